import type { MessagePort } from 'node:worker_threads';
import type { EventStore } from './event-store.ts';
import type { JournalWrite, WriteOutcome } from './journal/journal.ts';
import type { JournalLimits } from './journal/journal-limits.ts';

export interface StorageOptions {
  dataDir: string;
  /** Start even if the event store is missing events that it had stored. */
  acceptLoss?: boolean;
}

/** `workerData` of the storage thread. */
export type ThreadOptions = StorageOptions & { limits: JournalLimits };

/** Methods of the event store that other threads may call. */
export type StoreMethod = Exclude<
  keyof EventStore,
  'append' | 'verify' | 'holdFiles' | 'releaseFiles' | 'close'
>;

/** Steps of a backup, see `FileHold`. */
export type HoldMethod = 'holdFiles' | 'releaseJournal' | 'releaseFiles';

export type StorageRequest =
  | { type: 'commit'; writes: JournalWrite[] }
  | { type: 'call'; id: number; method: StoreMethod | HoldMethod; args: unknown[] }
  /** Another thread sends report queries on this port; they are cancelled when that thread ends. */
  | { type: 'connect'; port: MessagePort }
  | { type: 'verify' }
  | { type: 'close' };

export interface StorageStatus {
  /** Size of acknowledged requests that are not in the event store yet. */
  journalBytes: number;
  /** Size of the idempotency keys of the last 24 hours. */
  idempotencyBytes: number;
  /** Number of acknowledged requests that are not in the event store yet. */
  lag: number;
  /** Position of the last acknowledged request; 0 before the first. */
  position: number;
  /** False while loading into the event store fails. */
  healthy: boolean;
  /** Describes damage found in the event store. */
  damage?: string;
}

export type StorageReply =
  | { type: 'ready'; status: StorageStatus }
  /** The outcomes of a commit, in order; omitted if all were stored. */
  | { type: 'committed'; outcomes?: WriteOutcome[]; status: StorageStatus }
  | {
      type: 'result';
      id: number;
      value?: unknown;
      error?: { message: string; stack?: string; code?: string };
    }
  | { type: 'log'; level: 'info' | 'warn' | 'error'; message: string }
  | { type: 'status'; status: StorageStatus }
  | { type: 'closed' }
  /** The journal failed: pending requests must not be acknowledged. */
  | { type: 'failed'; message: string; code?: string };
