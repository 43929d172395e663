import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDuckDbEventStore } from '../duckdb/duckdb-event-store.ts';
import { T0 } from '../store/contract/random-requests.contract.ts';
import { goal } from '../store/contract/sample-requests.contract.ts';
import type { EventStore } from '../store/event-store.ts';
import { BatchAttempts } from './batch-attempts.ts';
import { Journal } from './journal/journal.ts';
import { LoadTracing } from './load-tracing.ts';
import { Loader } from './loader.ts';

let directory: string;
let store: EventStore;
let journal: Journal;
let loader: Loader | undefined;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'switchyard-loader-'));
  mkdirSync(join(directory, 'data'));
  store = await openDuckDbEventStore(join(directory, 'events.duckdb'));
  journal = openJournal();
});
afterEach(async () => {
  await loader?.stop();
  loader = undefined;
  journal.close();
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

const openJournal = (acceptLoss = false) =>
  new Journal(join(directory, 'data', 'node.db'), { maxBytes: 1e6, acceptLoss });

const accept = (count: number) =>
  journal.commit(
    Array.from({ length: count }, () => ({
      payload: JSON.stringify(goal({ propertyId: 'shop', receivedAt: T0 })),
    })),
    Date.now(),
  ).stored;

const counted = async () =>
  (await store.goalTotals({ propertyId: 'shop', goalId: 'signup', from: 0, to: 2 * T0 })).increments;

/** The store behind a connection with faults: what is appended, and which calls fail before or after they arrive. */
function remoteStore() {
  const batches: [number, number][] = [];
  const old: boolean[] = [];
  const faults = { unavailable: false, loseAnswers: 0, rejectBatches: false, delay: Promise.resolve() };
  const guard = <T>(work: () => Promise<T>) =>
    faults.unavailable ? Promise.reject(new Error('connection refused')) : work();
  const remote: EventStore = Object.assign(Object.create(store) as EventStore, {
    repeatsBatches: true,
    watermark: (source: string) => guard(() => store.watermark(source)),
    ping: () => guard(() => store.ping()),
    append: (source: string, entries: Parameters<EventStore['append']>[1], isOld: boolean) =>
      guard(async () => {
        if (faults.rejectBatches) throw new Error('too many parts');
        await faults.delay;
        old.push(isOld);
        batches.push([entries[0]!.seq, entries.at(-1)!.seq]);
        await store.append(source, entries);
        if (faults.loseAnswers-- > 0) throw new Error('timeout');
      }),
  });
  return { remote, batches, old, faults };
}

const load = (remote: EventStore) =>
  new Loader({
    journal,
    store: remote,
    isRemote: true,
    onError: () => {},
    tracing: new LoadTracing(() => {}),
  });

test('a node keeps its id, and another file is another node', () => {
  const { source } = journal;
  expect(source).toMatch(/^[0-9a-f]{12}$/);
  journal.close();
  journal = openJournal();
  expect(journal.source).toBe(source);
  const other = new Journal(join(directory, 'other.db'), { maxBytes: 1e6 });
  expect(other.source).not.toBe(source);
  other.close();
});

test('a remote store that is unavailable delays loading, and queries fail at once', async () => {
  const { remote, faults } = remoteStore();
  faults.unavailable = true;
  loader = load(remote);
  loader.offer(accept(3));
  await expect.poll(() => loader!.healthy).toBe(false);
  expect([loader.lateSince, loader.lag]).toEqual([T0, 3]);
  await expect(loader.catchUp()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  faults.unavailable = false;
  await expect.poll(() => loader!.lag).toBe(0);
  await expect.poll(() => [loader!.healthy, loader!.lateSince]).toEqual([true, undefined]);
  expect(await counted()).toBe(3);
});

test('queries of a remote store that is slow, or takes no batches now, get late figures', async () => {
  const { remote, faults } = remoteStore();
  faults.rejectBatches = true;
  loader = load(remote);
  loader.offer(accept(1));
  await expect.poll(() => loader!.healthy).toBe(false);
  await loader.catchUp();
  expect([loader.lateSince, loader.lag]).toEqual([T0, 1]);
  faults.rejectBatches = false;
  await expect.poll(() => loader!.lateSince).toBeUndefined();
  let answer = () => {};
  faults.delay = new Promise((resolve) => (answer = resolve));
  loader.offer(accept(1));
  await loader.catchUp();
  expect([loader.lateSince, loader.lag, loader.healthy]).toEqual([T0, 1, true]);
  answer();
  await expect.poll(() => [loader!.lag, loader!.lateSince]).toEqual([0, undefined]);
});

test('a batch that failed long ago is old, until another one follows', () => {
  let now = 0;
  const attempts = new BatchAttempts(undefined, () => now);
  attempts.failed(5);
  now = 4 * 60_000;
  attempts.failed(5);
  expect(attempts.isOld(5)).toBe(false);
  now = 6 * 60_000;
  expect([attempts.isOld(5), attempts.isOld(6)]).toEqual([true, false]);
  attempts.failed(6);
  expect(attempts.isOld(6)).toBe(false);
});

test('a node notices that another one uses a copy of its journal', async () => {
  const { remote } = remoteStore();
  loader = load(remote);
  loader.offer(accept(2));
  await loader.loadAll();
  const { source, lastSeq } = journal;
  loader.assertUnique(await store.watermark(source));
  const request = goal({ propertyId: 'shop', receivedAt: T0 });
  await store.append(source, [{ seq: lastSeq + 1, request }]);
  const position = await store.watermark(source);
  expect(() => loader!.assertUnique(position)).toThrow('a copy of node.db');
});

test('a stop does not wait for a remote store that does not respond', async () => {
  const { remote, batches } = remoteStore();
  const closed = new AbortController();
  const silent: EventStore = Object.assign(Object.create(remote) as EventStore, {
    append: (_source: string, entries: Parameters<EventStore['append']>[1]) =>
      new Promise<never>((_resolve, reject) => {
        batches.push([entries[0]!.seq, entries.at(-1)!.seq]);
        closed.signal.addEventListener('abort', () => reject(new Error('connection closed')));
      }),
    close: async () => closed.abort(),
  });
  accept(2);
  loader = load(silent);
  await expect.poll(() => batches.length).toBe(1);
  await loader.stop();
  expect(journal.planned).toEqual({ from: 1, to: 2 });
  loader = load(remote);
  await loader.loadAll();
  expect([await counted(), batches]).toEqual([
    2,
    [
      [1, 2],
      [1, 2],
    ],
  ]);
});

test('a batch is repeated with the same entries, also after a restart and although more have arrived', async () => {
  const { remote, batches, old, faults } = remoteStore();
  faults.loseAnswers = 1;
  accept(2);
  loader = load(remote);
  await expect.poll(() => batches.length).toBe(1);
  faults.unavailable = true;
  await loader.stop();
  journal.close();
  journal = openJournal();
  expect(journal.planned).toEqual({ from: 1, to: 2 });
  accept(3);
  faults.unavailable = false;
  // As if the first attempt had stored only a part: without the watermark.
  const partial = Object.assign(Object.create(remote) as EventStore, { watermark: async () => 0 });
  loader = load(partial);
  await loader.loadAll();
  expect(batches).toEqual([
    [1, 2],
    [1, 2],
    [3, 5],
  ]);
  expect(old).toEqual([false, true, false]);
  expect([await counted(), journal.planned, journal.bytes]).toEqual([5, undefined, 0]);
});

test('entries that the store has are not sent again, and missing ones are noticed', async () => {
  const { remote, batches, faults } = remoteStore();
  accept(2);
  faults.loseAnswers = 1;
  loader = load(remote);
  await expect.poll(() => batches.length).toBe(1);
  await loader.stop();
  journal.close();
  journal = openJournal();
  loader = load(remote);
  await expect.poll(() => journal.bytes).toBe(0);
  expect(batches).toHaveLength(1);
  expect(() => journal.confirm(1)).toThrow(/missing events/);
});

test('a node that accepts a loss goes on after it, also if its journal is empty', async () => {
  const { remote } = remoteStore();
  accept(3);
  loader = load(remote);
  await loader.loadAll();
  await loader.stop();
  journal.close();
  journal = openJournal(true);
  // As if the store had been restored from a backup.
  loader = load(Object.assign(Object.create(remote) as EventStore, { watermark: async () => 1 }));
  await expect.poll(() => journal.handedOver).toBe(1);
  expect(loader.lag).toBe(0);
  loader.offer(accept(2));
  await loader.loadAll();
  expect([await counted(), await store.watermark(journal.source)]).toEqual([5, 5]);
});

test('a batch that was planned before a loss is not extended', async () => {
  const { remote, batches, faults } = remoteStore();
  accept(2);
  loader = load(remote);
  await loader.loadAll();
  faults.loseAnswers = 1;
  loader.offer(accept(1));
  await expect.poll(() => batches.length).toBe(2);
  faults.unavailable = true;
  await loader.stop();
  journal.close();
  journal = openJournal(true);
  accept(2);
  faults.unavailable = false;
  loader = load(Object.assign(Object.create(remote) as EventStore, { watermark: async () => 0 }));
  await loader.loadAll();
  expect(batches.slice(2)).toEqual([
    [3, 3],
    [4, 5],
  ]);
});

test('what a node accepts with an older copy of its journal is kept until the store is back, and stored once', async () => {
  const { remote, faults } = remoteStore();
  const [data, copy] = [join(directory, 'data'), join(directory, 'copy')];
  accept(2);
  journal.close();
  cpSync(data, copy, { recursive: true });
  journal = openJournal();
  accept(3);
  loader = load(remote);
  await loader.loadAll();
  await loader.stop();
  journal.close();
  rmSync(data, { recursive: true });
  renameSync(copy, data);
  journal = openJournal();
  faults.unavailable = true;
  loader = load(remote);
  loader.offer(accept(4));
  await expect.poll(() => loader!.healthy).toBe(false);
  faults.unavailable = false;
  await expect.poll(() => loader!.lag).toBe(0);
  expect([await counted(), journal.bytes]).toEqual([9, 0]);
});

test('a remote store that takes long to delete gets new entries meanwhile', async () => {
  const { remote } = remoteStore();
  loader = load(remote);
  let finish = () => {};
  const deleting = loader.runExclusive(() => new Promise<void>((resolve) => (finish = resolve)));
  loader.offer(accept(2));
  await loader.loadAll();
  expect(await counted()).toBe(2);
  finish();
  await deleting;
});

test('entries are deleted in steps, so that commits come between; a crash meanwhile brings none of them back', async () => {
  const stored = accept(1200);
  const bytes = journal.bytes;
  let steps = 0;
  const crash = async () => {
    steps++;
    accept(1);
    if (steps === 2) throw new Error('killed');
  };
  await expect(journal.prune(stored.at(-1)!.seq, bytes, crash)).rejects.toThrow('killed');
  journal.close();
  journal = openJournal();
  expect([journal.handedOver, journal.lastSeq]).toEqual([1200, 1202]);
  expect(journal.read(0, 10, 1e6).map(({ seq }) => seq)).toEqual([1201, 1202]);
});
