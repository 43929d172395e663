import type { MessagePort } from 'node:worker_threads';
import type { CallMessage } from '../../platform/calls/remote-calls.ts';
import type { TracedWork, TraceParent } from '../../platform/tracing/tracer.ts';
import type { JournalWrite, WriteOutcome } from '../intake/journal/journal.ts';
import type { AcceptedCollect } from '../store/accepted-request.ts';
import type { CollectedSession, EventStore } from '../store/event-store.ts';
import type { FileHold } from './file-hold.ts';

export interface StorageOptions {
  dataDir: string;
  /** Start even if the event store is missing events that it had stored. */
  acceptLoss?: boolean;
  /** Whether other processes of this server can connect. */
  workers?: boolean;
  /** Stores events in ClickHouse, as one of several nodes. */
  clickhouse?: { url: string; cluster?: string };
}

/** Visitor and user of a session, for those who remember them. */
export type CollectedIdentity = Pick<AcceptedCollect, 'propertyId' | 'sessionId' | 'visitorId' | 'userId'>;

/** A request that others are told about when it is stored. */
export type AnnouncedWrite = JournalWrite & { collected?: CollectedIdentity };

/** First message to the storage thread. */
export type ThreadOptions = StorageOptions & { maxBytes: number };

/** Methods of the event store that other threads may call. */
export type StoreMethod = Exclude<
  keyof EventStore,
  'repeatsBatches' | 'append' | 'verify' | 'holdFiles' | 'releaseFiles' | 'close'
>;

/** What the storage thread is asked for. */
export type StorageMethods = Pick<EventStore, StoreMethod> &
  Pick<FileHold, 'holdFiles' | 'releaseJournal' | 'releaseFiles'> & {
    /** Returns after everything that was sent before has been handled, and the status has been sent. */
    sync(): void;
  };

/**
 * A `channel` also gets `ready` and `status`; it can send requests to the journal. A `worker` is one in another process,
 * and is also told what others have stored or erased.
 */
export type ClientRole = 'channel' | 'queries' | 'worker';

export type StorageRequest =
  | { type: 'commit'; writes: AnnouncedWrite[]; trace?: TraceParent }
  /** Of `StorageMethods`. */
  | CallMessage
  /** Another client uses this port as its channel; its queries are cancelled when it ends. */
  | { type: 'connect'; port: MessagePort; role: ClientRole }
  | { type: 'verify' }
  | { type: 'close' };

export interface StorageStatus {
  /** Name of the journal. */
  source: string;
  /** Size of acknowledged requests that are not in the event store yet. */
  journalBytes: number;
  /** Size of the idempotency keys of the last 24 hours. */
  idempotencyBytes: number;
  /** Number of acknowledged requests that are not in the event store yet. */
  lag: number;
  /** Position of the last acknowledged request; 0 before the first. */
  position: number;
  /** Incremented by everything that may change query results. */
  changes: number;
  /** False while loading into the event store fails. */
  healthy: boolean;
  /** When the oldest request was received that the event store lacks because it was unavailable. */
  lateSince?: number;
  /** Describes damage found in the event store. */
  damage?: string;
}

/** `all`: too many to name, or an erasure. */
export type ChangedSessions = readonly CollectedSession[] | 'all';

export type StorageReply =
  | { type: 'ready'; status: StorageStatus }
  /** The outcomes of a commit, in order; omitted if all were stored. */
  | { type: 'committed'; outcomes?: WriteOutcome[]; status: StorageStatus }
  /** The commit did not fit into the journal, which other processes may have filled. */
  | { type: 'refused'; status: StorageStatus }
  /** Stored by any of the processes that are connected; sent before `committed`. */
  | { type: 'collected'; identities: CollectedIdentity[] }
  /** Events were erased. */
  | { type: 'erased' }
  | CallMessage
  | { type: 'log'; level: 'info' | 'warn' | 'error'; message: string }
  | { type: 'status'; status: StorageStatus }
  /** For traced requests only. */
  | { type: 'traced'; work: TracedWork }
  /** Other nodes have changed the identity of these sessions. */
  | { type: 'sessionsChanged'; sessions: ChangedSessions }
  | { type: 'closed' }
  /** The journal failed: pending requests must not be acknowledged. */
  | { type: 'failed'; message: string; code?: string };
