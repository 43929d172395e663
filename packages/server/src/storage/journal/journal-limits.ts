/** The shares of JOURNAL_MAX_BYTES; separate, so that none can use up the space of another. */
export interface JournalLimits {
  /** Characters of acknowledged requests that are not in the event store yet. */
  requests: number;
  /** Bytes of idempotency keys sent with a secret API key. */
  secretMarks: number;
  /** Bytes of idempotency keys sent with a public API key. */
  publicMarks: number;
}

export function journalLimits(maxBytes: number): JournalLimits {
  return {
    requests: Math.floor(maxBytes / 2),
    secretMarks: Math.floor((maxBytes * 3) / 8),
    publicMarks: Math.floor(maxBytes / 8),
  };
}
