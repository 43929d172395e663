import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DatabaseHandle, openDatabase } from '../../storage/database.ts';
import { find, finish, pending, request, subjectOf } from './erasure-store.ts';

const VISITOR = 'visitor-4711-who-wants-to-be-forgotten';

let dataDir: string;
let handle: DatabaseHandle;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'switchyard-erasure-'));
  handle = await openDatabase(dataDir);
});
afterEach(async () => {
  await handle.close();
  rmSync(dataDir, { recursive: true, force: true });
});

test('requests wait in their order and carry their subject', async () => {
  const ids = [
    await request(handle.database, { propertyId: 'shop', visitorId: 'v' }),
    await request(handle.database, { propertyId: 'shop', userId: 'u' }),
    await request(handle.database, { propertyId: 'shop', sessionId: 's' }),
  ];
  const waiting = await pending(handle.database);
  expect(waiting.map((erasure) => erasure.id).sort()).toEqual(ids.sort());
  expect(waiting.map(subjectOf)).toContainEqual({ propertyId: 'shop', userId: 'u' });
  expect(waiting.map(subjectOf)).toContainEqual({ propertyId: 'shop', sessionId: 's' });
});

test('a finished request keeps its outcome and a hash, and no file names the subject', async () => {
  const id = await request(handle.database, { propertyId: 'shop', visitorId: VISITOR });
  const inFiles = () =>
    readdirSync(dataDir).some((name) => readFileSync(join(dataDir, name)).includes(VISITOR));
  expect(inFiles()).toBe(true);
  await finish(handle, id, { rows: 12 });
  expect(await pending(handle.database)).toEqual([]);
  expect(await find(handle.database, id)).toMatchObject({
    subject: createHash('sha256').update(VISITOR).digest('hex'),
    rows: 12,
    error: null,
    finishedAt: expect.any(Number),
  });
  expect(inFiles()).toBe(false);
});

test('a request is finished once, and an unknown one not at all', async () => {
  const id = await request(handle.database, { propertyId: 'shop', visitorId: VISITOR });
  await finish(handle, id, { error: 'the store is closed' });
  await finish(handle, id, { rows: 1 });
  expect(await find(handle.database, id)).toMatchObject({ rows: null, error: 'the store is closed' });
  await finish(handle, 'era_none', { rows: 1 });
  expect(await find(handle.database, 'era_none')).toBeUndefined();
});
