import { createHash } from 'node:crypto';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { DAY_MS } from '@switchyard/core/time';
import { LegacyMarks } from './legacy-marks.ts';
import { MarkStore } from './mark-store.ts';

/** How long idempotency keys are stored. */
const IDEMPOTENCY_MS = DAY_MS;

export interface IdempotencyMark {
  /** Kind of the API key that the request was sent with. */
  kind: 'secret' | 'public';
  /** Property, kind and idempotency key in one string. */
  key: string;
  /** SHA-256 of the request in base64url, to detect a key that is reused for another request. */
  fingerprint: string;
}

/** `full`: the key is new, but there is no space to store it. */
export type ClaimOutcome = 'new' | 'replayed' | 'reused' | 'full';

/**
 * The idempotency keys of the last 24 hours, as hashes.
 *
 * Marks of secret API keys are guaranteed: when their storage is full, new keys are rejected until old ones expire.
 * Public API keys are available to anyone, so their marks are stored separately, and new ones replace the oldest.
 */
export class IdempotencyMarks {
  readonly #stores: Record<IdempotencyMark['kind'], MarkStore>;
  readonly #legacy: LegacyMarks;

  constructor(db: DatabaseSyncInstance, limits: { secretMarks: number; publicMarks: number }) {
    this.#stores = {
      secret: new MarkStore(db, 'secret', limits.secretMarks),
      public: new MarkStore(db, 'public', limits.publicMarks),
    };
    this.#legacy = new LegacyMarks(db);
  }

  get bytes(): number {
    return this.#stores.secret.bytes + this.#stores.public.bytes;
  }

  /** Called in the transaction of the request. */
  claim(mark: IdempotencyMark, now: number): ClaimOutcome {
    const store = this.#stores[mark.kind];
    const key = createHash('sha256').update(mark.key).digest().subarray(0, 16);
    const fingerprint = Buffer.from(mark.fingerprint, 'base64url').subarray(0, 16);
    const since = now - IDEMPOTENCY_MS;
    const isSame = store.matches(key, fingerprint, since) ?? this.#legacy.matches(mark, since);
    if (isSame !== undefined) return isSame ? 'replayed' : 'reused';
    if (store.isFull) {
      if (mark.kind === 'secret') return 'full';
      store.dropOldest();
    }
    store.add(key, fingerprint, now);
    return 'new';
  }

  /** Called at the end of a transaction with claims. */
  saveCounts(): void {
    this.#stores.secret.saveCount();
    this.#stores.public.saveCount();
  }

  /** Deletes some expired marks; returns whether there may be more. */
  deleteExpired(now: number): boolean {
    const before = now - IDEMPOTENCY_MS;
    const { secret, public: open } = this.#stores;
    return secret.deleteExpired(before) || open.deleteExpired(before) || this.#legacy.deleteExpired(before);
  }
}
