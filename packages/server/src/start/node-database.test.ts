import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresDatabase, hasPostgres } from '@switchyard/testing/configuration/databases';
import { provisionDatabase } from '@switchyard/testing/configuration/provision-database';
import { FaultProxy } from '@switchyard/testing/network/fault-proxy';
import { waitFor } from '@switchyard/testing/time/wait';
import { type Logger, pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../configuration/database/open-database.ts';
import { openConfiguration } from '../configuration/snapshot/configuration.ts';
import { writeSnapshot } from '../configuration/snapshot/configuration-snapshot.ts';
import { loadConfig } from '../platform/settings/config.ts';
import { configurationModel } from './definitions.ts';
import { prepareConfiguration } from './first-start.ts';
import { openNodeDatabase } from './node-database.ts';

let database: { url: string; remove: () => Promise<void> };
let dataDir: string;
let lines: string[];
let log: Logger;

beforeEach(async () => {
  database = await createPostgresDatabase({ empty: true });
  dataDir = mkdtempSync(join(tmpdir(), 'switchyard-node-'));
  lines = [];
  log = pino({ base: null }, { write: (line) => lines.push(JSON.parse(line).msg) });
});

afterEach(async () => {
  rmSync(dataDir, { recursive: true });
  await database.remove();
});

const configWith = (databaseUrl: string, settings: Record<string, string> = {}) =>
  loadConfig(
    {
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      CLICKHOUSE_URL: 'http://127.0.0.1:1/events',
      ...settings,
    },
    {},
  );

describe.skipIf(!hasPostgres())('the start of nodes', () => {
  test('of several at once, one creates the demo property and the first owner', async () => {
    const owner = { ADMIN_EMAIL: 'owner@shop.example', ADMIN_PASSWORD: 'correct-horse-battery' };
    const config = configWith(database.url, owner);
    const starts = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const { handle } = await openNodeDatabase(config, log);
        const start = await prepareConfiguration(config, handle, log);
        await handle.close();
        return start;
      }),
    );
    expect(starts.filter(({ demo }) => demo)).toHaveLength(1);
    expect(starts.filter(({ generatedKeys }) => generatedKeys.length > 0)).toHaveLength(1);
    expect(starts.filter(({ firstOwner }) => firstOwner)).toHaveLength(1);
    const { database: rows, close } = await openDatabase('', { url: database.url });
    expect(await rows.selectFrom('api_keys').select('id').execute()).toHaveLength(2);
    expect(await rows.selectFrom('accounts').select('id').execute()).toHaveLength(1);
    await close();
  });

  test('while PostgreSQL is unavailable uses the snapshot, and then what PostgreSQL has', async () => {
    const other = await openDatabase('', { url: database.url });
    await provisionDatabase(other.database, { id: 'shop', name: 'Before' });
    const saved = await openConfiguration(other, configurationModel);
    await writeSnapshot(dataDir, saved.properties());
    await saved.close();
    await provisionDatabase(other.database, { id: 'shop', name: 'After' });
    await other.close();
    const { hostname: host, port } = new URL(database.url);
    const proxy = await FaultProxy.start({ host, port: Number(port) });
    proxy.refuse();
    const { handle, initial } = await openNodeDatabase(configWith(proxy.urlOf(database.url)), log);
    const configuration = await openConfiguration(handle, configurationModel, { initial });
    expect(configuration.property('shop')?.name).toBe('Before');
    proxy.pass();
    await waitFor('the configuration in PostgreSQL', () => configuration.property('shop')?.name === 'After');
    await configuration.close();
    await handle.close();
    await proxy.close();
    expect(lines.slice(0, 3)).toEqual([
      'starting with the configuration in configuration-snapshot.json',
      'PostgreSQL is unavailable; serving the configuration in memory, changes are refused',
      'PostgreSQL is back',
    ]);
  });

  test('fails without PostgreSQL and without a snapshot', async () => {
    const unavailable = configWith(database.url.replace(/:\d+\//, ':1/'));
    await expect(openNodeDatabase(unavailable, log, 600)).rejects.toThrow(
      'PostgreSQL is not available: connect ECONNREFUSED 127.0.0.1:1. Check DATABASE_URL, and that the server runs. ' +
        'This node has no configuration-snapshot.json to start from without it.',
    );
  });
});
