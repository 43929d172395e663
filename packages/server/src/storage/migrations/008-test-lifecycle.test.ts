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

const STATUSES = ['draft', 'running', 'paused', 'stopped', 'archived'];
const VARIATIONS = [{ key: 'a', weight: 1, value: 'A' }];

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'switchyard-migration-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

/** A configuration as written by the previous version. */
async function writeOldConfiguration(): Promise<void> {
  const before = ALL_MIGRATIONS.filter(({ name }) => name < '008');
  await (await openDatabase(dataDir, { migrations: before })).close();
  const connection = new DatabaseSync(databasePath(dataDir));
  connection.exec(`
    insert into properties (id, name, version, position, created_at, updated_at)
      values ('shop', 'Shop', 3, 1, 10, 10), ('blog', 'Blog', 1, 2, 10, 10);
    insert into goals (property_id, id, name, kind, position, created_at)
      values ('shop', 'signup', 'Sign-ups', 'count', 1, 10);
  `);
  const insert = connection.prepare(`
    insert into split_tests (id, property_id, key, type, status, hash_seed, traffic_allocation, variations, position, created_at, updated_at)
      values (?, 'shop', ?, 'text', ?, 's1', 50, ?, ?, 1000, 2000)`);
  for (const [index, status] of STATUSES.entries()) {
    insert.run(`tst_${index}`, status, status, JSON.stringify(VARIATIONS), index + 1);
  }
  connection.exec(`insert into split_test_goals values ('tst_1', 'shop', 'signup', 1)`);
  connection.close();
}

test('gives tests that have run a first phase, and new columns their defaults', async () => {
  await writeOldConfiguration();
  const handle = await openDatabase(dataDir);
  const [stored, other] = await model.property.rows.list(handle.database);
  const shop = await loadProperty(handle.database, model, stored!);
  expect(shop).toMatchObject({
    hashSeed: expect.stringMatching(/^[0-9a-f]{16}$/),
    holdout: 0,
    statistics: { engine: 'auto', alpha: 0.05 },
    goals: [{ id: 'signup', lowerIsBetter: false }],
  });
  expect(other?.hashSeed).toMatch(/^[0-9a-f]{16}$/);
  expect(other?.hashSeed).not.toBe(shop.hashSeed);
  const definition = {
    hashSeed: 's1',
    trafficAllocation: 50,
    variations: VARIATIONS,
    exclusion: null,
    holdout: null,
    unit: 'visitor',
  };
  const first = (endedAt: number | null, more = {}) => [
    { number: 1, startedAt: 1000, endedAt, reasons: ['started'], definition, ...more },
  ];
  expect(shop.splitTests.map(({ key, phases }) => ({ key, phases }))).toEqual([
    { key: 'draft', phases: [] },
    { key: 'running', phases: first(null) },
    { key: 'paused', phases: first(null, { pauses: [{ from: 2000, to: null }] }) },
    { key: 'stopped', phases: first(2000) },
    { key: 'archived', phases: first(2000) },
  ]);
  expect(shop.splitTests[1]).toMatchObject({
    goals: ['signup'],
    guardrails: [],
    exclusion: null,
    startAt: null,
    stopAt: null,
    winner: null,
    attributionDays: 7,
    plannedVisitors: null,
    smallestEffect: null,
  });
  // The next change must not open another phase.
  await provisionDatabase(handle.database, { id: 'shop', name: 'Changed' });
  expect((await loadProperty(handle.database, model, stored!)).splitTests).toEqual(shop.splitTests);
  await handle.close();
});
