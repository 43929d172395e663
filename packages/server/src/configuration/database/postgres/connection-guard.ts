import pg from 'pg';
import { isDatabaseUnavailable, StorageError } from '../../../platform/errors/storage-error.ts';

/** Classes and codes of SQLSTATE with which a server says that it cannot be used now. */
const UNAVAILABLE = [
  '08', // connection exception
  '28', // the password or the rights were changed
  '53', // too many connections, disk full, out of memory
  '57', // shutting down, starting, statement timeout
  '58', // disk error
  '25006', // read-only: a replica during a failover
  '25P03', // idle in a transaction for too long
];

/** Rejects statements while the server is known to be unavailable, so that no request waits for it. */
export class ConnectionGuard {
  readonly #clients = new Set<pg.ClientBase>();
  #cause: unknown;
  /** Called when a statement fails because of the server or the network. */
  onFailure: () => void = () => {};

  get isAvailable(): boolean {
    return this.#cause === undefined;
  }

  assertAvailable(): void {
    if (this.#cause !== undefined) throw databaseUnavailable(this.#cause);
  }

  /** The error to throw instead of one of the client. */
  failed(error: unknown): unknown {
    if (!isConnectionError(error)) return error;
    this.onFailure();
    return databaseUnavailable(error);
  }

  add(client: pg.ClientBase): void {
    this.#clients.add(client);
  }

  delete(client: pg.ClientBase): void {
    this.#clients.delete(client);
  }

  /** Ends all connections: statements that wait for an answer fail now. */
  setUnavailable(cause: unknown): void {
    this.#cause = cause;
    for (const client of this.#clients) disconnect(client);
    this.#clients.clear();
  }

  setAvailable(): void {
    this.#cause = undefined;
  }
}

/** Whether a statement failed because of the server or the network, not because of what it does. */
export function isConnectionError(error: unknown): boolean {
  if (isDatabaseUnavailable(error)) return true;
  if (!(error instanceof pg.DatabaseError)) return error instanceof Error && !(error instanceof TypeError);
  return UNAVAILABLE.some((prefix) => error.code?.startsWith(prefix));
}

function databaseUnavailable(cause: unknown): StorageError {
  if (cause instanceof StorageError) return cause;
  return new StorageError('DATABASE_UNAVAILABLE', `PostgreSQL is not available: ${reasonOf(cause)}`, {
    cause,
  });
}

/** An attempt to connect to several addresses of a host fails with a list of errors and no message. */
function reasonOf(cause: unknown): string {
  const { message, errors } = cause as Partial<AggregateError>;
  return message || (errors ?? []).map((error) => (error as Error).message).join(', ') || String(cause);
}

/** Not `end`, which waits for a server that may not answer. */
export function disconnect(client: pg.ClientBase): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } };
  connection.stream.destroy();
}
