import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { databasePath, openDatabase } from '../../configuration/database/open-database.ts';
import { ALL_MIGRATIONS } from './all-migrations.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'switchyard-migration-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

test('the position of a webhook becomes that of the only source', async () => {
  const before = ALL_MIGRATIONS.filter(({ name }) => name < '018');
  await (await openDatabase(dataDir, { migrations: before })).close();
  const connection = new DatabaseSync(databasePath(dataDir));
  connection.exec(`
    PRAGMA foreign_keys = OFF;
    insert into webhook_feedback_positions (property_id, webhook_id, position) values ('shop', 'whk_1', 4711);
  `);
  connection.close();
  const handle = await openDatabase(dataDir);
  const rows = await handle.database.selectFrom('webhook_feedback_positions').selectAll().execute();
  expect(rows).toEqual([{ property_id: 'shop', webhook_id: 'whk_1', positions: '{"local":4711}' }]);
  await handle.close();
});
