import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileError } from '../../platform/errors/file-error.ts';
import { FileQueue } from '../../platform/threads/file-queue.ts';
import type { TracedWork } from '../../platform/tracing/tracer.ts';
import type { ClickHouseOptions } from '../clickhouse/connection/clickhouse-client.ts';
import { StoreLock } from '../duckdb/connection/store-lock.ts';
import { openDuckDbEventStore } from '../duckdb/duckdb-event-store.ts';
import { Journal, type JournalOptions } from '../intake/journal/journal.ts';
import { assertNoLoss, positionReached } from '../intake/journal/journal-loss.ts';
import { LoadTracing } from '../intake/load-tracing.ts';
import { Loader, type LoaderOptions } from '../intake/loader.ts';
import { type EventStore, LOCAL_SOURCE } from '../store/event-store.ts';
import { FileHold } from './file-hold.ts';
import type { StorageStatus, ThreadOptions } from './storage-messages.ts';

/** Everything that the storage thread owns. */
export interface OpenStorage {
  journal: Journal;
  loader: Loader;
  store: EventStore;
  queue: FileQueue;
  hold: FileHold;
  loadTracing: LoadTracing;
  /** Other nodes use the event store too. */
  isShared: boolean;
  /** Keeps another server out of the directory; with DuckDB, the store has such a lock. */
  lock?: StoreLock;
  /** See `StorageStatus.changes`. */
  changes: number;
  damage?: string;
}

export interface OpenOptions extends ThreadOptions {
  log: (level: 'info' | 'warn' | 'error', message: string) => void;
  /** Called when a batch could not be stored; it is tried again. */
  onLoadError: (error: unknown, isRepeated: boolean) => void;
  onTraced: (work: TracedWork) => void;
}

export function openStorage(options: OpenOptions): Promise<OpenStorage> {
  const { clickhouse } = options;
  return clickhouse === undefined ? openEmbedded(options) : openNode({ ...options, clickhouse });
}

async function openEmbedded(options: OpenOptions): Promise<OpenStorage> {
  // The event store is opened first: its lock prevents a second server from using this directory.
  const tracing = new LoadTracing(options.onTraced);
  const store = await openDuckDb(options);
  const watermark = await store.watermark(LOCAL_SOURCE);
  const journal = openJournal(join(options.dataDir, 'journal.db'), {
    ...options,
    source: LOCAL_SOURCE,
    watermark,
  });
  return connect({ journal, store, onError: options.onLoadError, tracing });
}

type NodeOptions = OpenOptions & { clickhouse: ClickHouseOptions };

/** The event store may be unavailable: it is opened by the first use. */
async function openNode(options: NodeOptions): Promise<OpenStorage> {
  const file = join(options.dataDir, 'node.db');
  const lock = StoreLock.take(file);
  try {
    const store = await openClickHouse(options);
    const journal = openJournal(file, options);
    const tracing = new LoadTracing(options.onTraced);
    const storage = connect({ journal, store, isRemote: true, onError: options.onLoadError, tracing });
    return { ...storage, lock };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function connect(options: LoaderOptions): OpenStorage {
  const { journal, store } = options;
  const loader = new Loader(options);
  const queue = new FileQueue();
  const hold = new FileHold({ journal, loader, store, queue });
  const { isRemote: isShared = false } = options;
  return { journal, loader, store, queue, hold, isShared, loadTracing: options.tracing, changes: 0 };
}

/** Imported only if needed: the client takes time and memory. */
async function openClickHouse({ clickhouse, log }: NodeOptions): Promise<EventStore> {
  const { openClickHouseEventStore } = await import('../clickhouse/clickhouse-event-store.ts');
  return openClickHouseEventStore({ ...clickhouse, log: (message) => log('info', message) });
}

function openDuckDb({ dataDir, acceptLoss }: OpenOptions): Promise<EventStore> {
  const file = join(dataDir, 'events.duckdb');
  // Checked before opening: creating a new file in place of a lost one would discard its write-ahead log.
  if (!acceptLoss && !existsSync(file)) assertNoLoss(0, positionReached(join(dataDir, 'journal.db')));
  return openDuckDbEventStore(file).catch((error: unknown) => {
    throw fileError(file, error);
  });
}

function openJournal(file: string, { maxBytes, source, watermark, acceptLoss }: JournalOptions): Journal {
  const marksFile = join(dirname(file), 'marks.db');
  try {
    return new Journal(file, { maxBytes, marksFile, source, watermark, acceptLoss });
  } catch (error) {
    throw fileError(file, error);
  }
}

export function statusOf({ journal, loader, changes, damage }: OpenStorage): StorageStatus {
  const { bytes: journalBytes, markBytes: idempotencyBytes, lastSeq: position, source } = journal;
  const { lag, healthy, lateSince } = loader;
  return {
    source,
    journalBytes,
    idempotencyBytes,
    lag,
    position,
    healthy,
    changes,
    ...(lateSince === undefined ? {} : { lateSince }),
    ...(damage === undefined ? {} : { damage }),
  };
}

/** Loads what is journalled first; resolves with the error if that fails: the rest stays in the journal. */
export async function closeStorage({
  hold,
  queue,
  loader,
  store,
  journal,
  lock,
}: OpenStorage): Promise<unknown> {
  await hold.releaseFiles();
  await queue.idle();
  const failure = await loader.close().then(
    () => undefined,
    (error: unknown) => error,
  );
  await store.close();
  journal.close();
  lock?.release();
  return failure;
}

/** After a fatal error: waits for native work to finish, so that the process can exit. */
export async function abandonStorage({ loader, store }: OpenStorage): Promise<void> {
  await loader.stop();
  await store.close().catch(() => undefined);
}
