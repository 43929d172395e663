import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DatabaseHandle } from '../../configuration/database/database.ts';
import { openDatabase } from '../../configuration/database/open-database.ts';
import type { Subject } from '../../events/store/erasure-subject.ts';
import { runPendingErasures } from './erasure-service.ts';
import { findErasure, requestErasure } from './erasure-store.ts';

let dataDir: string;
let handle: DatabaseHandle;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'switchyard-erasures-'));
  handle = await openDatabase(dataDir);
});
afterEach(async () => {
  await handle.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** An event store that erases every subject except one, for which it fails. */
function storeFailingAt(poisoned: string) {
  const passes: string[][] = [];
  const forget = async (subjects: readonly Subject[]) => {
    const names = subjects.map((subject) => ('visitorId' in subject ? subject.visitorId : ''));
    passes.push(names);
    if (names.includes(poisoned)) throw new Error(`${poisoned} cannot be erased`);
    return names.map((name) => ({ rows: name.length }));
  };
  return { forget, passes };
}

const requestFor = (visitorId: string) => requestErasure(handle.database, { propertyId: 'shop', visitorId });
const run = (eventStore: ReturnType<typeof storeFailingAt>) =>
  runPendingErasures(handle, eventStore, async () => undefined).catch((error: Error) => error.message);
/** Makes failed requests due again. */
const skipDelay = () => handle.database.updateTable('erasures').set({ next_attempt_at: null }).execute();

test('all pending requests are erased in one pass, each with its own count', async () => {
  const ids = [await requestFor('a'), await requestFor('bb'), await requestFor('ccc')];
  const eventStore = storeFailingAt('none');
  await run(eventStore);
  expect(eventStore.passes.map((names) => [...names].sort())).toEqual([['a', 'bb', 'ccc']]);
  const rows = await Promise.all(ids.map(async (id) => (await findErasure(handle.database, id))?.rows));
  expect(rows).toEqual([1, 2, 3]);
});

test('a run that was interrupted after it erased something is finished by the next one', async () => {
  const id = await requestFor('a');
  await handle.database.updateTable('erasures').set({ subject: 'hash', rows: 7 }).execute();
  const eventStore = storeFailingAt('none');
  await run(eventStore);
  expect(eventStore.passes).toEqual([]);
  expect(await findErasure(handle.database, id)).toMatchObject({
    subject: 'hash',
    rows: 7,
    finishedAt: expect.any(Number),
  });
});

test('a subject that cannot be erased is isolated; all others, including later ones, are erased', async () => {
  const names = Array.from({ length: 20 }, (_, i) => `visitor-${i}`);
  const poisoned = await requestFor('poisoned');
  const ids = await Promise.all(names.map(requestFor));
  const eventStore = storeFailingAt('poisoned');
  expect(await run(eventStore)).toBe('poisoned cannot be erased');
  // The error is recorded for every request of the pass, and none is retried before its time.
  expect(await findErasure(handle.database, ids[0]!)).toMatchObject({
    error: 'poisoned cannot be erased',
    attempts: 1,
  });
  await run(eventStore);
  expect(eventStore.passes).toHaveLength(1);
  const late = await requestFor('late');
  await run(eventStore);
  expect(await findErasure(handle.database, late)).toMatchObject({ rows: 'late'.length, error: null });

  const unfinished = async () => {
    const found = await Promise.all(ids.map((id) => findErasure(handle.database, id)));
    return found.filter((erasure) => erasure?.finishedAt === null).length;
  };
  let runs = 0;
  for (; (await unfinished()) > 0; runs++) {
    expect(runs).toBeLessThan(20);
    await skipDelay();
    await run(eventStore);
  }
  expect(eventStore.passes.length).toBeLessThan(names.length);
  expect(await findErasure(handle.database, poisoned)).toMatchObject({
    finishedAt: null,
    subject: 'poisoned',
  });
});
