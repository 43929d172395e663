import { ClickHouseError } from '@clickhouse/client';
import { StorageError } from '../../storage-error.ts';

/** What the server says when the same statement can succeed later. */
const BUSY = new Set([
  ...[
    'TOO_MANY_SIMULTANEOUS_QUERIES',
    'TIMEOUT_EXCEEDED',
    'TOO_SLOW',
    'MEMORY_LIMIT_EXCEEDED',
    'TOO_MANY_PARTS',
  ],
  ...['SOCKET_TIMEOUT', 'NETWORK_ERROR', 'ALL_CONNECTION_TRIES_FAILED', 'ALL_REPLICAS_ARE_STALE'],
  ...['KEEPER_EXCEPTION', 'NO_ZOOKEEPER', 'TABLE_IS_READ_ONLY', 'UNFINISHED'],
]);

/** The database or the table does not exist. */
export function isUnknown(error: unknown, what: 'DATABASE' | 'TABLE'): boolean {
  return error instanceof ClickHouseError && error.type === `UNKNOWN_${what}`;
}

/** A `StorageError` if the server did not answer, or is too busy; else the error as it is. */
export function asStorageError(error: unknown): unknown {
  const isAnswer = error instanceof ClickHouseError && !BUSY.has(error.type ?? '');
  if (isAnswer || error instanceof StorageError || !(error instanceof Error)) return error;
  return Object.assign(new StorageError('STORE_UNAVAILABLE', `ClickHouse: ${error.message}`), {
    cause: error,
  });
}
