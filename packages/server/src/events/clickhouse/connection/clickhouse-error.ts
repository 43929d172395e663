import { ClickHouseError } from '@clickhouse/client';
import { StorageError } from '../../../platform/errors/storage-error.ts';

/** What the server says when a statement exceeds a limit: the same read will fail again, an insert may succeed later. */
const TOO_LARGE = ['MEMORY_LIMIT_EXCEEDED', 'TIMEOUT_EXCEEDED', 'TOO_SLOW'];

/** What the server says when the same statement can succeed later. */
const BUSY = new Set([
  ...TOO_LARGE,
  ...['TOO_MANY_SIMULTANEOUS_QUERIES', 'TOO_MANY_PARTS'],
  ...['SOCKET_TIMEOUT', 'NETWORK_ERROR', 'ALL_CONNECTION_TRIES_FAILED', 'ALL_REPLICAS_ARE_STALE'],
  ...['KEEPER_EXCEPTION', 'NO_ZOOKEEPER', 'TABLE_IS_READ_ONLY', 'UNFINISHED'],
]);

/** The database or the table does not exist. */
export function isUnknown(error: unknown, what: 'DATABASE' | 'TABLE'): boolean {
  return error instanceof ClickHouseError && error.type === `UNKNOWN_${what}`;
}

/** Of a SELECT: like `asStorageError`, but tells when it is too large. */
export function asReadError(error: unknown): unknown {
  if (!(error instanceof ClickHouseError) || !TOO_LARGE.includes(error.type ?? ''))
    return asStorageError(error);
  return new StorageError('QUERY_TOO_LARGE', `ClickHouse: ${error.message}`, { cause: error });
}

/** A `StorageError` if the server did not answer, or is too busy; else the error as it is. */
export function asStorageError(error: unknown): unknown {
  const isAnswer = error instanceof ClickHouseError && !BUSY.has(error.type ?? '');
  if (isAnswer || error instanceof StorageError || !(error instanceof Error)) return error;
  return Object.assign(new StorageError('STORE_UNAVAILABLE', `ClickHouse: ${error.message}`), {
    cause: error,
  });
}
