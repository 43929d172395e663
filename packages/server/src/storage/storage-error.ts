/** Storage errors that map to different HTTP responses. */
export type StorageErrorCode =
  | 'STORAGE_OVERLOADED'
  | 'IDEMPOTENCY_FULL'
  | 'REQUEST_TOO_LARGE'
  | 'STORE_DAMAGED';

export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
