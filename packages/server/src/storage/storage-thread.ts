import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { openDuckDbEventStore } from './duckdb/duckdb-event-store.ts';
import type { EventStore } from './event-store.ts';
import { fileError } from './file-error.ts';
import { FileHold } from './file-hold.ts';
import { FileQueue } from './file-queue.ts';
import { assertNoLoss, Journal, type JournalWrite, positionReached } from './journal/journal.ts';
import { Loader } from './loader.ts';
import { StorageError } from './storage-error.ts';
import type {
  HoldMethod,
  StorageReply,
  StorageRequest,
  StorageStatus,
  StoreMethod,
  ThreadOptions,
} from './storage-messages.ts';
import { verifyDaily } from './verify-daily.ts';

// All disk I/O for events runs on this thread, so that it never blocks the thread that serves requests.

const HOUSEKEEPING_MS = 60 * 1000;
/** Pause after each housekeeping step, so that commits come first; longer after slow steps. */
const STEP_PAUSE_MS = 10;
const STEP_PAUSE_FACTOR = 4;
const STATUS_MS = 1000;

interface Storage {
  journal: Journal;
  loader: Loader;
  store: EventStore;
  queue: FileQueue;
  hold: FileHold;
  damage?: string;
}

const port = parentPort!;
const send = (reply: StorageReply) => port.postMessage(reply);

async function open(options: ThreadOptions, onStoreError: (error: unknown) => void): Promise<Storage> {
  // The event store is opened first: its lock prevents a second server from using this directory.
  const store = await openStore(options);
  const watermark = await store.watermark();
  const journal = openJournal(options, watermark);
  const loader = new Loader(journal, store, watermark, (error) => {
    send({
      type: 'log',
      level: 'error',
      message: `Writing a batch to the event store failed; it stays in the journal: ${text(error)}`,
    });
    onStoreError(error);
  });
  const queue = new FileQueue();
  const hold = new FileHold({ journal, loader, store, queue });
  return { journal, loader, store, queue, hold };
}

function openStore({ dataDir, acceptLoss }: ThreadOptions): Promise<EventStore> {
  const file = join(dataDir, 'events.duckdb');
  // Checked before opening: creating a new file in place of a lost one would discard its write-ahead log.
  if (!acceptLoss && !existsSync(file)) assertNoLoss(0, positionReached(join(dataDir, 'journal.db')));
  const onUpgrade = (message: string) => send({ type: 'log', level: 'info', message });
  return openDuckDbEventStore(file, { onUpgrade }).catch((error: unknown) => {
    throw fileError(file, error);
  });
}

function openJournal({ dataDir, acceptLoss, limits }: ThreadOptions, watermark: number): Journal {
  const file = join(dataDir, 'journal.db');
  try {
    return new Journal(file, watermark, { limits, acceptLoss });
  } catch (error) {
    throw fileError(file, error);
  }
}

function status({ journal, loader, damage }: Storage): StorageStatus {
  const { bytes: journalBytes, markBytes: idempotencyBytes, lastSeq: position } = journal;
  const { lag, healthy } = loader;
  return {
    journalBytes,
    idempotencyBytes,
    lag,
    position,
    healthy,
    ...(damage === undefined ? {} : { damage }),
  };
}

function commit(storage: Storage, writes: JournalWrite[]): void {
  const { outcomes, stored } = storage.journal.commit(writes, Date.now());
  const allStored = stored.length === writes.length;
  send({ type: 'committed', ...(allStored ? {} : { outcomes }), status: status(storage) });
  storage.loader.offer(stored);
}

async function handleCall(
  storage: Storage,
  method: StoreMethod | HoldMethod,
  args: unknown[],
): Promise<unknown> {
  if (method === 'ping') return storage.store.ping();
  if (method === 'releaseJournal' || method === 'releaseFiles') return storage.hold[method]();
  if (storage.damage !== undefined) throw new StorageError('STORE_DAMAGED', storage.damage);
  if (method === 'holdFiles') return storage.hold.holdFiles();
  if (method === 'forget' || method === 'expire') return erase(storage, method, args);
  // Reads see everything that has been acknowledged.
  await storage.loader.catchUp();
  return call(storage.store, method, args);
}

const erase = (storage: Storage, method: 'forget' | 'expire', args: unknown[]): Promise<unknown> =>
  storage.queue.run(() => (method === 'forget' ? forget : expire)(storage, args));

const expire = ({ loader, store }: Storage, args: unknown[]): Promise<unknown> =>
  loader.runExclusive(() => call(store, 'expire', args));

async function forget({ journal, loader, store }: Storage, args: unknown[]): Promise<unknown> {
  // The journal table must be empty before `rotate`, so that `scrub` overwrites all its pages.
  await loader.catchUp();
  journal.rotate();
  const erased = await loader.runExclusive(() => call(store, 'forget', args));
  await journal.scrub(() => sleep(STEP_PAUSE_MS));
  return erased;
}

async function deleteExpiredKeys({ journal }: Storage, signal: AbortSignal): Promise<void> {
  for (;;) {
    const startedAt = performance.now();
    const more = journal.deleteExpiredKeys(Date.now());
    const pause = Math.max(STEP_PAUSE_MS, STEP_PAUSE_FACTOR * (performance.now() - startedAt));
    await sleep(more ? pause : HOUSEKEEPING_MS, undefined, { signal });
  }
}

const call = (store: EventStore, method: StoreMethod, args: unknown[]): Promise<unknown> =>
  (store[method] as (...args: unknown[]) => Promise<unknown>)(...args);

async function close(storage: Storage): Promise<void> {
  await storage.hold.releaseFiles();
  await storage.queue.idle();
  await storage.loader.close().catch((error) =>
    send({
      type: 'log',
      level: 'warn',
      message: `Some events could not be loaded and stay in the journal until the next start: ${text(error)}`,
    }),
  );
  await storage.store.close();
  storage.journal.close();
}

/** After a fatal error: waits for native work to finish, so that the process can exit. */
async function abandon({ loader, store }: Storage): Promise<void> {
  await loader.stop();
  await store.close().catch(() => undefined);
}

const text = (error: unknown) => (error instanceof Error ? error.message : String(error));

const codeOf = (error: unknown) => (error as { code?: unknown }).code;

function describeError(error: unknown): { message: string; code?: string } {
  const code = codeOf(error);
  return { message: text(error), ...(typeof code === 'string' ? { code } : {}) };
}

function fail(error: unknown): void {
  send({ type: 'failed', ...describeError(error) });
}

/** Stops loading: new events stay in the journal, because the restored file will not contain them. */
function reportDamage(storage: Storage, damage: string): void {
  if (storage.damage === damage) return;
  storage.damage = damage;
  void storage.loader.stop();
  send({ type: 'status', status: status(storage) });
  send({
    type: 'log',
    level: 'error',
    message:
      `${damage}. Queries now fail with status 503; new events are kept in journal.db until it is full. ` +
      'Stop the server, copy the data directory, restore events.duckdb from the last backup, ' +
      'and start once with "serve --accept-loss". Run "switchyard doctor" to check the files.',
  });
}

async function main(): Promise<void> {
  let ending = false;
  const giveUp = (error: unknown) => {
    ending = true;
    fail(error);
    end(abandon(storage));
  };
  const onStoreError = (error: unknown) => {
    // A store that closed itself cannot be reopened in this process; the next start replays the journal.
    if (codeOf(error) === 'STORE_CLOSED' && !ending) giveUp(error);
    if (codeOf(error) === 'STORE_DAMAGED') reportDamage(storage, text(error));
  };
  const storage = await open(workerData as ThreadOptions, onStoreError);
  const handlers = {
    commit(request: StorageRequest & { type: 'commit' }) {
      if (ending) return;
      try {
        commit(storage, request.writes);
      } catch (error) {
        giveUp(error);
      }
    },
    call({ id, method, args }: StorageRequest & { type: 'call' }, reply = send) {
      handleCall(storage, method, args).then(
        (value) => reply({ type: 'result', id, value }),
        (error) => {
          reply({ type: 'result', id, error: { ...describeError(error), stack: (error as Error).stack } });
          onStoreError(error);
        },
      );
    },
    connect({ port: client }: StorageRequest & { type: 'connect' }) {
      const disconnected = new AbortController();
      client.on('message', (request: StorageRequest & { type: 'call' }) =>
        handlers.call({ ...request, args: [...request.args, disconnected.signal] }, (reply) =>
          client.postMessage(reply),
        ),
      );
      client.on('close', () => disconnected.abort());
      // A referenced port would keep this thread alive.
      client.unref();
    },
    verify() {
      void verifyDaily(storage.store, onStoreError, background.signal);
    },
    close() {
      ending = true;
      end(close(storage).then(() => send({ type: 'closed' }), fail));
    },
  };
  const end = (closing: Promise<unknown>) => {
    background.abort();
    clearInterval(reporting);
    void closing.finally(() => port.close());
  };
  const background = new AbortController();
  deleteExpiredKeys(storage, background.signal).catch((error) => {
    if (!background.signal.aborted) giveUp(error);
  });
  const reporting = setInterval(() => send({ type: 'status', status: status(storage) }), STATUS_MS);
  port.on('message', (request: StorageRequest) => handlers[request.type](request as never));
  send({ type: 'ready', status: status(storage) });
}

main().catch((error) => {
  fail(error);
  port.close();
});
