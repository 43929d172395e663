import type { MessagePort } from 'node:worker_threads';
import { RemoteCalls } from '../../platform/calls/remote-calls.ts';
import type { Tracer } from '../../platform/tracing/tracer.ts';
import type { HeldFiles } from '../store/event-store.ts';
import { type EventStoreClient, eventStoreClient } from './event-store-client.ts';
import { JournalClient } from './journal-client.ts';
import type { StorageChannel } from './storage-channel.ts';
import type {
  ChangedSessions,
  CollectedIdentity,
  StorageMethods,
  StorageOptions,
  StorageReply,
  StorageStatus,
} from './storage-messages.ts';
import { ThreadChannel } from './thread-channel.ts';

export interface EventStorageOptions {
  log: (level: 'info' | 'warn' | 'error', message: string) => void;
  /** Called once, when events can no longer be stored. */
  onFailure: (error: Error) => void;
  tracer?: Tracer | undefined;
  /** Of how many processes that share the storage this is one. */
  processes?: number;
  /** One of the processes has stored these. */
  onCollected?: (identities: readonly CollectedIdentity[]) => void;
  /** Events were erased: what is remembered of them must be forgotten. */
  onErased?: () => void;
}

export interface EmbeddedStorageOptions extends EventStorageOptions, StorageOptions {
  /** Max size of the journal. */
  maxBytes: number;
}

/** With less room in the journal, many requests are refused. */
const MIN_ROOM = 64 * 1024;

/** Starts the storage thread in this process, and connects to it. */
export async function openEventStorage(options: EmbeddedStorageOptions): Promise<EventStorage> {
  const storage = startEventStorage(options);
  await storage.opened;
  return storage;
}

/** Can be used when `opened` has resolved. */
export function startEventStorage(options: EmbeddedStorageOptions): EventStorage {
  const { log, onFailure, tracer, ...storage } = options;
  return new EventStorage(new ThreadChannel(storage), storage.maxBytes, { log, onFailure, tracer });
}

/** All that happens with events: requests go into the journal, queries to the event store. */
export class EventStorage {
  readonly opened: Promise<void>;
  readonly journal: JournalClient;
  readonly eventStore: EventStoreClient;
  readonly #channel: StorageChannel;
  readonly #maxBytes: number;
  readonly #calls: RemoteCalls<StorageMethods>;
  readonly #options: EventStorageOptions;
  #status: StorageStatus = {
    source: '',
    journalBytes: 0,
    idempotencyBytes: 0,
    lag: 0,
    position: 0,
    healthy: true,
    changes: 0,
  };
  #syncing: Promise<void> | undefined;
  #onSessionsChanged: (sessions: ChangedSessions) => void = () => {};
  #failure: Error | undefined;
  #opening: { resolve: () => void; reject: (error: Error) => void } | undefined;

  static async connect(
    channel: StorageChannel,
    maxBytes: number,
    options: EventStorageOptions,
  ): Promise<EventStorage> {
    const storage = new EventStorage(channel, maxBytes, options);
    await storage.opened;
    return storage;
  }

  constructor(channel: StorageChannel, maxBytes: number, options: EventStorageOptions) {
    this.opened = new Promise((resolve, reject) => {
      this.#opening = { resolve, reject };
    });
    // Handled by those who wait for it, which may be later.
    this.opened.catch(() => {});
    this.#channel = channel;
    this.#maxBytes = maxBytes;
    this.#options = options;
    const { tracer } = options;
    this.#calls = new RemoteCalls((message) => channel.post(message));
    this.journal = new JournalClient({
      maxBytes,
      journalBytes: () => this.#status.journalBytes,
      commit: (writes, trace) =>
        channel.post({ type: 'commit', writes, ...(trace !== undefined && { trace }) }),
      tracer,
      ...(options.processes !== undefined && { processes: options.processes }),
    });
    this.eventStore = eventStoreClient(this.#calls, tracer && (() => tracer.current()));
    channel.listen({ receive: (reply) => this.#receive(reply), fail: (error) => this.#fail(error) });
  }

  get status(): StorageStatus {
    return this.#status;
  }

  /** Incremented by everything that may change query results. */
  get changes(): number {
    return this.#status.changes;
  }

  /** Whether small requests can be stored. */
  get hasRoom(): boolean {
    return this.#status.journalBytes < this.#maxBytes - Math.min(MIN_ROOM, this.#maxBytes / 16);
  }

  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** Resolves when the storage thread has exited, for any reason. */
  get ended(): Promise<void> {
    return this.#channel.ended;
  }

  /** The listener is called when other nodes have changed the identity of sessions. */
  onSessionsChanged(listener: (sessions: ChangedSessions) => void): void {
    this.#onSessionsChanged = listener;
  }

  /** See `StorageChannel.connectThread`. */
  connectThread(): MessagePort {
    const { connectThread } = this.#channel;
    if (connectThread === undefined) throw new Error('reports run in the process of the storage thread');
    return connectThread.call(this.#channel);
  }

  /**
   * Resolves when everything is known here that any process had acknowledged before the call: `changes`, and what
   * `onCollected` and `onErased` are called with. Calls in the same turn of the event loop share one request.
   */
  sync(): Promise<void> {
    this.#syncing ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        this.#syncing = undefined;
        this.#calls.call('sync', []).then(resolve, reject);
      });
    });
    return this.#syncing;
  }

  /** Starts checking for damage in the background; call it after startup, which it would slow down. */
  startVerification(): void {
    this.#channel.post({ type: 'verify' });
  }

  /** Keeps the files copyable in their present state, for a backup; see `FileHold`. */
  holdFiles(): Promise<HeldFiles> {
    return this.#calls.call('holdFiles', []);
  }

  /** Call it when journal.db is copied. */
  releaseJournal(): Promise<void> {
    return this.#calls.call('releaseJournal', []);
  }

  releaseFiles(): Promise<void> {
    return this.#calls.call('releaseFiles', []);
  }

  /** Stores all accepted requests and closes the channel. */
  async close(): Promise<void> {
    if (this.#failure !== undefined) return;
    await this.journal.drain();
    await this.#channel.close();
  }

  #receive(reply: StorageReply): void {
    switch (reply.type) {
      case 'committed':
        // First: the status counts the change, so no report from before the commit is used afterwards.
        this.#status = reply.status;
        this.journal.committed(reply.outcomes);
        break;
      case 'refused':
        this.#status = reply.status;
        this.journal.refused();
        break;
      case 'collected':
        this.#options.onCollected?.(reply.identities);
        break;
      case 'erased':
        this.#options.onErased?.();
        break;
      case 'status':
        this.#status = reply.status;
        break;
      case 'sessionsChanged':
        this.#onSessionsChanged(reply.sessions);
        break;
      case 'log':
        this.#options.log(reply.level, reply.message);
        break;
      case 'traced':
        this.#options.tracer?.record(reply.work);
        break;
      case 'ready':
        this.#status = reply.status;
        this.#opening?.resolve();
        this.#opening = undefined;
        break;
      case 'result':
        this.#calls.receive(reply);
        break;
    }
  }

  #fail(error: Error): void {
    this.#failure = error;
    this.journal.fail(error);
    this.#calls.fail(error);
    if (this.#opening === undefined) this.#options.onFailure(error);
    else this.#opening.reject(error);
  }
}
