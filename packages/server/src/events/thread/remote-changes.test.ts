import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDuckDbEventStore } from '../duckdb/duckdb-event-store.ts';
import { T0 } from '../store/contract/random-requests.contract.ts';
import { collect } from '../store/contract/sample-requests.contract.ts';
import type { EventStore } from '../store/event-store.ts';
import { watchRemoteChanges } from './remote-changes.ts';
import type { ChangedSessions } from './storage-messages.ts';

let directory: string;
let store: EventStore;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'switchyard-remote-changes-'));
  store = await openDuckDbEventStore(join(directory, 'events.duckdb'));
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

test('a node that could not see the store at its start forgets what it knows when it can', async () => {
  const changes: ChangedSessions[] = [];
  const stopping = new AbortController();
  let fails = 2;
  const remote = Object.assign(Object.create(store) as EventStore, {
    positions: () => (fails-- > 0 ? Promise.reject(new Error('unavailable')) : store.positions()),
  });
  const watching = watchRemoteChanges(
    { store: remote, ownSource: 'own', onChange: (sessions) => changes.push(sessions), pollMs: 5 },
    stopping.signal,
  );
  await expect.poll(() => changes).toEqual(['all']);
  stopping.abort();
  await watching;
});

test('a node notices what another one has stored', async () => {
  const changes: ChangedSessions[] = [];
  const stopping = new AbortController();
  const watching = watchRemoteChanges(
    { store, ownSource: 'own', onChange: (sessions) => changes.push(sessions), pollMs: 5 },
    stopping.signal,
  );
  const visit = (seq: number, sessionId: string) => [
    { seq, request: collect({ propertyId: 'shop', sessionId, receivedAt: T0 }) },
  ];
  await store.append('own', visit(1, 'mine'));
  // Until the first look is over, nothing is new.
  let seq = 0;
  const storeMore = async () => {
    await store.append('other', visit(++seq, 'theirs'));
    return changes.length;
  };
  await expect.poll(storeMore).toBeGreaterThan(0);
  expect(changes[0]).toEqual([{ propertyId: 'shop', sessionId: 'theirs' }]);
  stopping.abort();
  await watching;
});
