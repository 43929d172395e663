import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { databasePath, openDatabase } from '../../configuration/database/open-database.ts';
import { configurationModel as model } from '../../definitions.ts';
import { provisionDatabase } from '../../testing/provision-database.ts';
import { loadProperty } from '../configuration.ts';
import { ALL_MIGRATIONS } from './all-migrations.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'switchyard-migration-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const DEFINITION = {
  hashSeed: 's1',
  trafficAllocation: 100,
  variations: [{ key: 'a', weight: 1, value: 'A' }],
  exclusion: null,
  holdout: null,
};

/** A configuration as written by the previous version. */
async function writeOldConfiguration(): Promise<void> {
  const before = ALL_MIGRATIONS.filter(({ name }) => name < '021');
  await (await openDatabase(dataDir, { migrations: before })).close();
  const connection = new DatabaseSync(databasePath(dataDir));
  connection.exec(`
    insert into properties (id, name, hash_seed, version, position, created_at, updated_at)
      values ('shop', 'Shop', 'p1', 3, 1, 10, 10);
    insert into goals (property_id, id, name, kind, position, created_at)
      values ('shop', 'signup', 'Sign-ups', 'count', 1, 10);
    insert into split_tests (id, property_id, key, type, status, hash_seed, traffic_allocation, variations, position, created_at, updated_at)
      values ('tst_1', 'shop', 'hero', 'text', 'running', 's1', 100, '${JSON.stringify(DEFINITION.variations)}', 1, 10, 10);
    insert into split_test_goals (split_test_id, property_id, goal_id, position, role)
      values ('tst_1', 'shop', 'signup', 1, 'guardrail');
    insert into split_test_phases (split_test_id, property_id, number, started_at, reasons, definition)
      values ('tst_1', 'shop', 1, 10, '["started"]', '${JSON.stringify(DEFINITION)}');
  `);
  connection.close();
}

test('tests count visitors, guardrails have no margin, and the next change opens no phase', async () => {
  await writeOldConfiguration();
  const handle = await openDatabase(dataDir);
  const [stored] = await model.property.rows.list(handle.database);
  const shop = await loadProperty(handle.database, model, stored!);
  expect(shop.splitTests).toMatchObject([
    {
      unit: 'visitor',
      guardrails: ['signup'],
      phases: [{ number: 1, definition: { ...DEFINITION, unit: 'visitor' } }],
    },
  ]);
  await provisionDatabase(handle.database, { id: 'shop', name: 'Changed' });
  expect((await loadProperty(handle.database, model, stored!)).splitTests).toEqual(shop.splitTests);
  await handle.close();
});
