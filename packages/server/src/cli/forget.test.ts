import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { HOUR_MS } from '@switchyard/core/time';
import { provisionDatabase } from '@switchyard/testing/configuration/provision-database';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { DatabaseHandle } from '../configuration/database/database.ts';
import { openDatabase } from '../configuration/database/open-database.ts';
import { dueErasures, finishErasures, recordFailure } from '../features/erasure/erasure-store.ts';
import { forget } from './forget.ts';

let dataDir: string;
/** The running server's connection. */
let server: DatabaseHandle;
let printed: string[];

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'switchyard-forget-'));
  server = await openDatabase(dataDir);
  await provisionDatabase(server.database, { id: 'shop' });
  printed = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => {
    printed.push(line);
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await server.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const options = () => ({ dataDir, property: 'shop', user: 'u-1', timeout: '10' });
const inUse = async () => false;

/** Acts as the server does at its next poll. */
async function serve(outcome: { rows: number } | { error: string }): Promise<void> {
  for (;;) {
    const [erasure] = await dueErasures(server.database, Date.now());
    if (erasure !== undefined) {
      if ('rows' in outcome) return finishErasures(server, [{ id: erasure.id, ...outcome }]);
      return recordFailure(server.database, [erasure], outcome.error);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test('waits for the running server and prints its count', async () => {
  await Promise.all([forget(options(), inUse), serve({ rows: 12 })]);
  await Promise.all([forget({ ...options(), json: true }, inUse), serve({ rows: 1 })]);
  expect(printed).toEqual(['Erased 12 rows.', '{"rows":1}']);
});

test('waits until the log of the database does not name the visitor either', async () => {
  const reader = new DatabaseSync(join(dataDir, 'config.db'));
  // A reader that keeps the log from being truncated, for longer than the server needs.
  reader.exec('BEGIN; SELECT * FROM erasures');
  const user = 'user-named-in-the-log';
  const isNamed = () => readFileSync(join(dataDir, 'config.db-wal')).includes(user);
  const isNamedAfterwards = forget({ ...options(), user }, inUse).then(isNamed);
  const served = serve({ rows: 1 });
  await waitFor('the erasure', async () => {
    const [erasure] = await server.database.selectFrom('erasures').select('rows').execute();
    return erasure?.rows === 1;
  });
  expect(isNamed()).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 300));
  reader.close();
  expect(await isNamedAfterwards).toBe(false);
  await served;
});

test('reports the failure that the server recorded, and keeps the request', async () => {
  const forgotten = forget(options(), inUse);
  await Promise.all([
    expect(forgotten).rejects.toThrow('The erasure failed: the disk is full.'),
    serve({ error: 'the disk is full' }),
  ]);
  expect(await dueErasures(server.database, Date.now() + HOUR_MS)).toMatchObject([
    { subject: 'u-1', attempts: 1 },
  ]);
});

test('stops waiting after the timeout', async () => {
  await expect(forget({ ...options(), timeout: '0.3' }, inUse)).rejects.toThrow(/has not finished in time/);
  expect(await dueErasures(server.database, Date.now())).toHaveLength(1);
});
