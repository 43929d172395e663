/** How JOURNAL_MAX_BYTES is divided, so that none of the three can take the room of another. */
export interface JournalLimits {
  /** Characters of requests that are acknowledged, but not in the event store yet. */
  requests: number;
  /** Bytes of the idempotency keys that came with a secret API key. */
  secretMarks: number;
  /** Bytes of the idempotency keys that came with a public API key. */
  publicMarks: number;
}

export function journalLimits(maxBytes: number): JournalLimits {
  return {
    requests: Math.floor(maxBytes / 2),
    secretMarks: Math.floor((maxBytes * 3) / 8),
    publicMarks: Math.floor(maxBytes / 8),
  };
}
