import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { databasePath, openDatabase } from '../../configuration/database/open-database.ts';
import { configurationModel, createConfigurationWriter } from '../../definitions.ts';
import { type Browser, ownerBrowser, WITH_OWNER } from '../../testing/browser.ts';
import { applyProvision, switchyard } from '../../testing/command-line.ts';
import { readHistory, storedProperty } from '../../testing/exact-history.ts';
import { provisionDatabase } from '../../testing/provision-database.ts';
import { startServer, type TestServer } from '../../testing/test-server.ts';
import type { Database } from '../database.ts';
import { ALL_MIGRATIONS } from '../migrations/all-migrations.ts';
import { documentAtVersion } from './configuration-at.ts';
import { HistoryState } from './history-state.ts';
import { verifyHistory } from './verify-history.ts';

let dataDir: string;
let server: TestServer | undefined;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'switchyard-history-'));
  await writeOldConfiguration();
});
afterEach(async () => {
  await server?.stop('SIGKILL');
  server = undefined;
  rmSync(dataDir, { recursive: true, force: true });
});

/** A configuration as written by a version without history. */
async function writeOldConfiguration(): Promise<void> {
  const before = ALL_MIGRATIONS.filter(({ name }) => name < '013');
  await (await openDatabase(dataDir, { migrations: before })).close();
  const connection = new DatabaseSync(databasePath(dataDir));
  connection.exec(`
    insert into properties (id, name, version, position, created_at, updated_at)
      values ('shop', 'Shop', 7, 1, 10, 20), ('blog', 'Blog', 2, 2, 10, 20);
    insert into environments (property_id, id, name, position, created_at)
      values ('shop', 'production', 'Production', 1, 10), ('blog', 'production', 'Production', 1, 10);
    insert into goals (property_id, id, name, kind, position, created_at)
      values ('shop', 'signup', 'Sign-ups', 'count', 1, 10);
    insert into split_tests (id, property_id, key, type, status, hash_seed, traffic_allocation, variations, position, created_at, updated_at)
      values ('tst_1', 'shop', 'hero', 'id', 'stopped', 's1', 100, '[{"key":"a","weight":1,"value":"a"}]', 1, 10, 10);
    insert into flags (id, property_id, key, name, type, default_value, version, position, created_at, updated_at)
      values ('flg_1', 'shop', 'dark', 'Dark', 'boolean', 'false', 5, 1, 10, 10);
  `);
  connection.close();
}

async function withDatabase<T>(run: (database: Database) => Promise<T>): Promise<T> {
  const handle = await openDatabase(dataDir);
  try {
    return await run(handle.database);
  } finally {
    await handle.close();
  }
}

const IMPORTED = {
  sequence: 1,
  action: 'import',
  via: 'upgrade',
  actor: { type: 'system' },
  entity: { type: 'property' },
};

describe('the history of an installation that is older than it', () => {
  it('begins with the whole state, once', async () => {
    await withDatabase(async (database) => {
      const writer = createConfigurationWriter(database);
      await Promise.all([writer.startHistory(), writer.startHistory()]);
      for (const [id, version] of [
        ['shop', 7],
        ['blog', 2],
      ] as const) {
        const entries = await readHistory(database, id);
        expect(entries).toMatchObject([{ ...IMPORTED, version, propertyVersion: version }]);
        const property = (await storedProperty(database, id))!;
        expect(entries[0]?.changes).toEqual([
          {
            pointer: '',
            after: JSON.parse(JSON.stringify(HistoryState.of(configurationModel, property).serialize())),
          },
        ]);
        expect(await verifyHistory(database, configurationModel, id, property)).toEqual({
          entries: 1,
          redacted: 0,
        });
      }
    });
  });

  it('begins at the latest with the first change, which follows it', async () => {
    await withDatabase(async (database) => {
      await provisionDatabase(database, { id: 'shop', flags: [{ key: 'dark', name: 'Darker' }] });
      expect(await readHistory(database, 'shop')).toMatchObject([
        { ...IMPORTED, propertyVersion: 7 },
        { action: 'update', entity: { type: 'flag', key: 'dark' }, version: 6, propertyVersion: 8 },
      ]);
      expect(await readHistory(database, 'blog')).toEqual([]);
      expect(
        (await verifyHistory(database, configurationModel, 'shop', await storedProperty(database, 'shop')))
          .problem,
      ).toBeUndefined();
      const flag = { type: 'flag', key: 'dark' } as const;
      expect(await documentAtVersion(database, configurationModel, 'shop', flag, 5)).toMatchObject({
        name: 'Dark',
      });
      expect(await documentAtVersion(database, configurationModel, 'shop', flag, 6)).toMatchObject({
        name: 'Darker',
      });
      expect(await documentAtVersion(database, configurationModel, 'shop', flag, 4)).toBeUndefined();
      const goal = { type: 'goal', key: 'signup' } as const;
      expect(await documentAtVersion(database, configurationModel, 'shop', goal, 1)).toMatchObject({
        name: 'Sign-ups',
      });
      const property = { type: 'property', key: 'shop' } as const;
      expect(await documentAtVersion(database, configurationModel, 'shop', property, 7)).toMatchObject({
        name: 'Shop',
      });
      expect(await documentAtVersion(database, configurationModel, 'shop', property, 6)).toBeUndefined();
    });
  });

  it('is known to a server, which merges with versions from before', async () => {
    server = await startServer({ dataDir, env: WITH_OWNER });
    const owner: Browser = await ownerBrowser(server);
    const url = '/v1/manage/properties/shop/flags/dark';
    const patch = (version: number, body: object) =>
      owner.call('PATCH', url, { body, headers: { 'if-match': `"${version}"` } });
    expect((await patch(5, { name: 'Darker' })).status).toBe(200);
    // Somebody who has seen only the imported version.
    const merged = await patch(5, { description: 'Dark colors' });
    expect(merged.body).toMatchObject({ name: 'Darker', description: 'Dark colors', version: 7 });
    const conflict = await patch(5, { name: 'Light' });
    expect(conflict).toMatchObject({ status: 412, body: { conflicts: ['/name'] } });
    await applyProvision(server, { properties: [{ id: 'blog', name: 'New blog' }] });
    const entries = await owner.get('/v1/manage/properties/blog/history');
    expect(entries.body.history).toMatchObject([
      { action: 'update', version: 3 },
      { action: 'import', version: 2 },
    ]);
    const { code, stdout } = await switchyard(server, 'doctor');
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/^ok {4}History .*properties: 2, entries: 5, redacted: 0$/m);
  });
});
