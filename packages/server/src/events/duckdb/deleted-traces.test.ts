import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR_MS } from '@switchyard/core/time';
import { storedTraces, uniqueText } from '@switchyard/testing/server/stored-traces';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AcceptedRequest } from '../store/accepted-request.ts';
import { collect, exposure, exposures, goal } from '../store/contract/sample-requests.contract.ts';
import { type EventStore, LOCAL_SOURCE } from '../store/event-store.ts';
import { openDuckDbEventStore } from './duckdb-event-store.ts';

const T0 = Date.UTC(2025, 10, 12);

let directory: string;
let store: EventStore;
let seq: number;
const open = async () => {
  store = await openDuckDbEventStore(join(directory, 'events.duckdb'));
};
/** Then the data is in the blocks of the file, not only in its log. */
const reopen = async () => {
  await store.close();
  await open();
};
const add = (...requests: AcceptedRequest[]) =>
  store.append(
    LOCAL_SOURCE,
    requests.map((request) => ({ seq: ++seq, request })),
  );

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'switchyard-traces-'));
  seq = 0;
  await open();
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

test('a deleted property leaves no trace, nor do names that only it used', async () => {
  const [propertyId, goalId, splitTestKey, visitorId, sessionId] = unique();
  const names = [propertyId, goalId, splitTestKey, visitorId, sessionId];
  await add(
    goal({ propertyId: 'shop', receivedAt: T0 }),
    collect({ propertyId, sessionId, visitorId, receivedAt: T0 }),
    goal({ propertyId, goalId, receivedAt: T0 }),
    exposures(propertyId, T0, [{ ...exposure(sessionId, T0), splitTestKey }]),
    collect({ propertyId: 'shop', sessionId: 'kept', receivedAt: T0 }),
  );
  await reopen();
  expect(storedTraces(directory, names)).toHaveLength(names.length);
  expect(await store.forget([{ propertyId, everything: true }])).toEqual([{ rows: 3 }]);
  expect(storedTraces(directory, names)).toEqual([]);

  // Terms of other properties are still known, and new ones do not get the id of another.
  await add(
    goal({ propertyId: 'shop', goalId: 'new goal', receivedAt: T0 }),
    goal({ propertyId: 'shop', receivedAt: T0 }),
  );
  const counts = () => Promise.all(['signup', 'new goal', goalId].map(increments));
  expect(await counts()).toEqual([2, 1, 0]);
  await reopen();
  expect(await counts()).toEqual([2, 1, 0]);
  expect(storedTraces(directory, names)).toEqual([]);
});

test('what has expired is gone within a day, also from a small store, and whatever restarts', async () => {
  const [sessionId, visitorId, url] = unique();
  const traces = [sessionId, visitorId, url];
  const page = { type: 'pageview', at: T0, url } as const;
  await add(collect({ propertyId: 'shop', sessionId, visitorId, receivedAt: T0 }, [page]));
  await add(
    ...Array.from({ length: 50 }, () =>
      collect({ propertyId: 'shop', sessionId: uniqueText(), receivedAt: T0 + 1 }),
    ),
  );
  await reopen();
  expect(await store.expire('shop', T0 + 1)).toEqual({ rows: 1 });
  await reopen();
  expect(storedTraces(directory, traces)).toHaveLength(traces.length);
  // Rewriting can wait, but not for longer than a day.
  expect(await store.removeRemains(Date.now() + 19 * HOUR_MS)).toBe(false);
  // Later deletions do not postpone it.
  expect(await store.expire('shop', T0 + 1)).toEqual({ rows: 0 });
  await reopen();
  expect(await store.removeRemains(Date.now() + 20 * HOUR_MS)).toBe(true);
  expect(storedTraces(directory, traces)).toEqual([]);
  expect(await store.eventCount('shop')).toBe(50);
  expect(await store.removeRemains(Date.now() + 40 * HOUR_MS)).toBe(false);
});

const increments = async (goalId: string) =>
  (await store.goalTotals({ propertyId: 'shop', goalId, from: 0, to: 2 * T0 })).increments;

const unique = () => Array.from({ length: 5 }, uniqueText) as [string, string, string, string, string];
