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

/** A configuration as written by the previous version. */
async function writeOldConfiguration(): Promise<void> {
  const before = ALL_MIGRATIONS.filter(({ name }) => name < '011');
  await (await openDatabase(dataDir, { migrations: before })).close();
  const connection = new DatabaseSync(databasePath(dataDir));
  connection.exec(`
    insert into properties (id, name, version, position, created_at, updated_at)
      values ('shop', 'Shop', 1, 1, 10, 10);
    insert into goals (property_id, id, name, kind, position, created_at)
      values ('shop', 'signup', 'Sign-ups', 'count', 1, 10), ('shop', 'errors', 'Errors', 'count', 2, 10);
    insert into feedback_types (property_id, id, name, options, text_input, position, created_at)
      values ('shop', 'nps', 'NPS', '["good","bad"]', 0, 1, 10);
    insert into split_tests (id, property_id, key, type, status, hash_seed, traffic_allocation, variations, position, created_at, updated_at)
      values ('tst_1', 'shop', 'hero', 'id', 'running', 's1', 100, '[{"key":"a","weight":1,"value":"a"}]', 1, 10, 10);
    insert into split_test_goals (split_test_id, property_id, goal_id, position, role)
      values ('tst_1', 'shop', 'signup', 1, 'goal'), ('tst_1', 'shop', 'errors', 2, 'guardrail');
  `);
  connection.close();
}

test('keeps the goals of stored tests, which can then get feedback as well', async () => {
  await writeOldConfiguration();
  const handle = await openDatabase(dataDir);
  const { database } = handle;
  const testOf = async () => {
    const [stored] = await model.property.rows.list(database);
    return (await loadProperty(database, model, stored!)).splitTests[0]!;
  };
  expect(await testOf()).toMatchObject({ goals: ['signup'], guardrails: ['errors'] });
  const bad = { feedbackType: 'nps', option: 'bad', lowerIsBetter: true };
  const splitTests = [{ key: 'hero', guardrails: [bad, 'errors'] }];
  await provisionDatabase(database, { id: 'shop', splitTests });
  expect(await testOf()).toMatchObject({ goals: ['signup'], guardrails: [bad, 'errors'] });
  // Like a goal, a feedback type cannot be deleted while a test uses it, and is deleted with its property.
  const deleteType = () => database.deleteFrom('feedback_types').where('id', '=', 'nps').execute();
  await expect(deleteType()).rejects.toThrow(/FOREIGN KEY/);
  await database.deleteFrom('properties').execute();
  expect(await database.selectFrom('split_test_feedback').selectAll().execute()).toEqual([]);
  await handle.close();
});
