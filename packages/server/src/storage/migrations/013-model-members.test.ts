import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { databasePath, openDatabase } from '../../configuration/database/open-database.ts';
import { configurationModel as model } from '../../definitions.ts';
import { loadProperty } from '../configuration.ts';
import { ALL_MIGRATIONS } from './all-migrations.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'switchyard-migration-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

/** A configuration as written by the previous version. */
async function writeOldConfiguration(): Promise<void> {
  const before = ALL_MIGRATIONS.filter(({ name }) => name < '013');
  await (await openDatabase(dataDir, { migrations: before })).close();
  const connection = new DatabaseSync(databasePath(dataDir));
  connection.exec(`
    insert into properties (id, name, version, position, created_at, updated_at)
      values ('shop', 'Shop', 1, 1, 10, 10);
    insert into environments (property_id, id, name, position, created_at)
      values ('shop', 'production', 'Production', 1, 10);
    insert into goals (property_id, id, name, kind, position, created_at)
      values ('shop', 'signup', 'Sign-ups', 'count', 1, 10);
    insert into feedback_types (property_id, id, name, options, text_input, position, created_at)
      values ('shop', 'nps', 'NPS', '["good","bad"]', 0, 1, 10);
    insert into split_tests (id, property_id, key, type, status, hash_seed, traffic_allocation, variations, position, created_at, updated_at)
      values ('tst_1', 'shop', 'hero', 'id', 'stopped', 's1', 100, '[{"key":"a","weight":1,"value":"a"}]', 1, 10, 10);
    insert into flags (id, property_id, key, name, type, default_value, version, position, created_at, updated_at)
      values ('flg_1', 'shop', 'dark', 'Dark', 'boolean', 'false', 1, 1, 10, 10);
  `);
  connection.close();
}

test('gives stored entries the defaults of the new fields', async () => {
  await writeOldConfiguration();
  const handle = await openDatabase(dataDir);
  const [stored] = await model.property.rows.list(handle.database);
  expect(await loadProperty(handle.database, model, stored!)).toMatchObject({
    displayCurrency: 'USD',
    environments: [{ protected: false }],
    goals: [{ target: null }],
    feedbackTypes: [{ options: ['good', 'bad'], optionStyles: {} }],
    splitTests: [{ description: null, hypothesis: null, tags: [], owner: null, decision: null }],
    flags: [{ tags: [], owner: null }],
  });
  await handle.close();
});
