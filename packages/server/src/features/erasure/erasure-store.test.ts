import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS, HOUR_MS } from '@switchyard/core/time';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DatabaseHandle } from '../../configuration/database/database.ts';
import { openDatabase } from '../../configuration/database/open-database.ts';
import {
  dueErasures,
  findErasure,
  finishErasures,
  recordFailure,
  requestErasure,
  subjectOf,
} from './erasure-store.ts';

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

test('new requests are due, with their subjects', async () => {
  const ids = [
    await requestErasure(handle.database, { propertyId: 'shop', visitorId: 'v' }),
    await requestErasure(handle.database, { propertyId: 'shop', userId: 'u' }),
    await requestErasure(handle.database, { propertyId: 'shop', sessionId: 's' }),
  ];
  const due = await dueErasures(handle.database, Date.now());
  expect(due.map((erasure) => erasure.id).sort()).toEqual(ids.sort());
  expect(due.map(subjectOf)).toContainEqual({ propertyId: 'shop', userId: 'u' });
  expect(due.map(subjectOf)).toContainEqual({ propertyId: 'shop', sessionId: 's' });
});

test('a finished request keeps its outcome and a hash, and no file contains the subject', async () => {
  const id = await requestErasure(handle.database, { propertyId: 'shop', visitorId: VISITOR });
  const inFiles = () =>
    readdirSync(dataDir).some((name) => readFileSync(join(dataDir, name)).includes(VISITOR));
  expect(inFiles()).toBe(true);
  await finishErasures(handle, [{ id, rows: 12 }]);
  expect(await dueErasures(handle.database, Date.now())).toEqual([]);
  expect(await findErasure(handle.database, id)).toMatchObject({
    subject: expect.stringMatching(/^[\w-]{22}$/),
    rows: 12,
    error: null,
    finishedAt: expect.any(Number),
  });
  expect(inFiles()).toBe(false);
});

test('a request is finished only once, and an unknown one is ignored', async () => {
  const id = await requestErasure(handle.database, { propertyId: 'shop', visitorId: VISITOR });
  await finishErasures(handle, [{ id, rows: 1 }]);
  await finishErasures(handle, [
    { id, rows: 2 },
    { id: 'era_none', rows: 1 },
  ]);
  expect(await findErasure(handle.database, id)).toMatchObject({ rows: 1 });
  expect(await findErasure(handle.database, 'era_none')).toBeUndefined();
});

test('a failed request is retried with increasing delays, and success clears its error', async () => {
  const id = await requestErasure(handle.database, { propertyId: 'shop', visitorId: VISITOR });
  const delays: number[] = [];
  for (let attempts = 0; attempts < 15; attempts++) {
    const before = Date.now();
    await recordFailure(handle.database, [{ id, attempts }], new Error('the disk is full'));
    const { nextAttemptAt, ...failed } = (await findErasure(handle.database, id))!;
    expect(failed).toMatchObject({ error: 'the disk is full', attempts: attempts + 1, finishedAt: null });
    expect(await dueErasures(handle.database, nextAttemptAt! - 1)).toEqual([]);
    expect(await dueErasures(handle.database, nextAttemptAt!)).toHaveLength(1);
    // If the clock is set back by a day, the retry must not wait for a day.
    expect(await dueErasures(handle.database, nextAttemptAt! - DAY_MS)).toHaveLength(1);
    delays.push(nextAttemptAt! - before);
  }
  expect(delays[1]).toBeGreaterThan(delays[0]!);
  expect(Math.max(...delays)).toBeLessThan(2 * HOUR_MS);
  await finishErasures(handle, [{ id, rows: 3 }]);
  expect(await findErasure(handle.database, id)).toMatchObject({ error: null, rows: 3 });
});
