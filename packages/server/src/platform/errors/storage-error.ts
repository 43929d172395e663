/** Storage errors that map to different HTTP responses. */
export type StorageErrorCode =
  | 'STORAGE_OVERLOADED'
  | 'REQUEST_TOO_LARGE'
  | 'STORE_DAMAGED'
  | 'DATABASE_UNAVAILABLE'
  /** The engine does not respond; it may later. */
  | 'STORE_UNAVAILABLE'
  /** The engine may not use the memory or the time that a query needs; it will not later either. */
  | 'QUERY_TOO_LARGE'
  /** A deleted property of the same id still has events. */
  | 'PROPERTY_BEING_DELETED';

export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** An outage of the configuration database is logged when it begins: errors that it causes need not be. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return error instanceof StorageError && error.code === 'DATABASE_UNAVAILABLE';
}
