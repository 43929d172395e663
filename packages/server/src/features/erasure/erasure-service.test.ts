import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DatabaseHandle, openDatabase } from '../../storage/database.ts';
import type { Subject } from '../../storage/event-store.ts';
import { runPendingErasures } from './erasure-service.ts';
import { find, request } from './erasure-store.ts';

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

/** Erases everybody but one, whom it fails at. */
function store(poisoned: string) {
  const passes: string[][] = [];
  const forget = async (subjects: readonly Subject[]) => {
    const names = subjects.map((subject) => ('visitorId' in subject ? subject.visitorId : ''));
    passes.push(names);
    if (names.includes(poisoned)) throw new Error(`${poisoned} cannot be erased`);
    return names.map((name) => ({ rows: name.length }));
  };
  return { forget, passes };
}

const ask = (visitorId: string) => request(handle.database, { propertyId: 'shop', visitorId });
const run = (eventStore: ReturnType<typeof store>) =>
  runPendingErasures(handle, eventStore, () => undefined).catch((error: Error) => error.message);
/** As if the time until the next attempt had passed. */
const wait = () => handle.database.updateTable('erasures').set({ next_attempt_at: null }).execute();

test('all that is pending is erased in one pass, and each gets its own count', async () => {
  const ids = [await ask('a'), await ask('bb'), await ask('ccc')];
  const eventStore = store('nobody');
  await run(eventStore);
  expect(eventStore.passes.map((names) => [...names].sort())).toEqual([['a', 'bb', 'ccc']]);
  const rows = await Promise.all(ids.map(async (id) => (await find(handle.database, id))?.rows));
  expect(rows).toEqual([1, 2, 3]);
});

test('a subject that cannot be erased ends up alone; the others, and those that come later, are erased', async () => {
  const names = Array.from({ length: 20 }, (_, i) => `visitor-${i}`);
  const poisoned = await ask('poisoned');
  const ids = await Promise.all(names.map(ask));
  const eventStore = store('poisoned');
  expect(await run(eventStore)).toBe('poisoned cannot be erased');
  // It is recorded with everybody of the pass, and nothing is tried before its time.
  expect(await find(handle.database, ids[0]!)).toMatchObject({
    error: 'poisoned cannot be erased',
    attempts: 1,
  });
  await run(eventStore);
  expect(eventStore.passes).toHaveLength(1);
  const late = await ask('late');
  await run(eventStore);
  expect(await find(handle.database, late)).toMatchObject({ rows: 'late'.length, error: null });

  const unfinished = async () => {
    const found = await Promise.all(ids.map((id) => find(handle.database, id)));
    return found.filter((erasure) => erasure?.finishedAt === null).length;
  };
  let runs = 0;
  for (; (await unfinished()) > 0; runs++) {
    expect(runs).toBeLessThan(20);
    await wait();
    await run(eventStore);
  }
  expect(eventStore.passes.length).toBeLessThan(names.length);
  expect(await find(handle.database, poisoned)).toMatchObject({ finishedAt: null, subject: 'poisoned' });
});
