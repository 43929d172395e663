import type { MessagePort } from 'node:worker_threads';
import type { StorageReply, StorageRequest } from './storage-messages.ts';

/**
 * A connection to the storage thread. The journal client and the event-store client share one, and do not depend on
 * where the storage thread runs.
 */
export interface StorageChannel {
  /** Call it once, before `post`; the first reply is `ready`. */
  listen(listener: StorageListener): void;
  post(request: StorageRequest): void;
  /**
   * A connection of its own for a report thread, in the process of the storage thread; queries on it are cancelled when
   * that thread ends.
   */
  connectThread?(): MessagePort;
  /** Resolves when everything that was posted has been handled, and the channel has ended. */
  close(): Promise<void>;
  /** Resolves when the other side has exited, for any reason. */
  readonly ended: Promise<void>;
}

export interface StorageListener {
  receive(reply: StorageReply): void;
  /** The channel ended without `close`. Nothing that was posted and not answered is known to be stored. */
  fail(error: Error): void;
}
