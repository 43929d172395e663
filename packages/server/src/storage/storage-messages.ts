import type { MessagePort } from 'node:worker_threads';
import type { EventStore } from './event-store.ts';
import type { JournalWrite, WriteOutcome } from './journal.ts';
import type { JournalLimits } from './journal-limits.ts';

export interface StorageOptions {
  dataDir: string;
  /** Whether to go on with an event store that lacks what it once had. */
  acceptLoss?: boolean;
}

/** What the storage thread is started with. */
export type ThreadOptions = StorageOptions & { limits: JournalLimits };

/** Questions and orders that the serving thread may put to the event store. */
export type StoreMethod = Exclude<keyof EventStore, 'append' | 'verify' | 'close'>;

export type StorageRequest =
  | { type: 'commit'; writes: JournalWrite[] }
  | { type: 'ask'; id: number; method: StoreMethod; args: unknown[] }
  /** Another thread sends report queries on this port; they are cancelled when that thread ends. */
  | { type: 'connect'; port: MessagePort }
  | { type: 'verify' }
  | { type: 'close' };

export interface StorageStatus {
  /** Acknowledged bytes that are not in the event store yet. */
  journalBytes: number;
  /** Size of the idempotency keys of the last 24 hours. */
  idempotencyBytes: number;
  /** Acknowledged requests that are not in the event store yet. */
  lag: number;
  /** Position of the last acknowledged request; 0 before the first. */
  position: number;
  /** False while the event store refuses what the journal holds. */
  healthy: boolean;
  /** What of the event store cannot be read any more; undefined: nothing is known to be. */
  damage?: string;
}

export type StorageReply =
  | { type: 'ready'; status: StorageStatus }
  /** The outcomes of a commit, in order; left out when all were stored. */
  | { type: 'committed'; outcomes?: WriteOutcome[]; status: StorageStatus }
  | {
      type: 'answer';
      id: number;
      value?: unknown;
      error?: { message: string; stack?: string; code?: string };
    }
  | { type: 'log'; level: 'info' | 'warn' | 'error'; message: string }
  | { type: 'status'; status: StorageStatus }
  | { type: 'closed' }
  /** The journal can no longer promise anything: nothing that was not acknowledged may be. */
  | { type: 'failed'; message: string; code?: string };
