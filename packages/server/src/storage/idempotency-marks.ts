import { createHash } from 'node:crypto';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { DAY_MS } from '@switchyard/core/time';
import { FormerMarks } from './former-marks.ts';
import { MarkShare } from './mark-share.ts';

/** How long an idempotency key is remembered. */
const IDEMPOTENCY_MS = DAY_MS;

export interface IdempotencyMark {
  /** Of the API key that the request came with. */
  kind: 'secret' | 'public';
  /** Property, kind and key of the caller, in one string. */
  key: string;
  /** SHA-256 in base64url; tells requests with the same key but another body apart. */
  fingerprint: string;
}

/** Whether a key is new; `full`: it is, but there is no room to remember it. */
export type ClaimOutcome = 'new' | 'replayed' | 'reused' | 'full';

/**
 * The idempotency keys of the last 24 hours, as hashes.
 *
 * A mark of a secret key is a promise: when there is no room for another one, new keys are refused until old ones
 * expire. Everybody can have the public key, so its marks have a share of their own, and the oldest make room.
 */
export class IdempotencyMarks {
  readonly #shares: Record<IdempotencyMark['kind'], MarkShare>;
  readonly #former: FormerMarks;

  constructor(db: DatabaseSyncInstance, limits: { secretMarks: number; publicMarks: number }) {
    this.#shares = {
      secret: new MarkShare(db, 'secret', limits.secretMarks),
      public: new MarkShare(db, 'public', limits.publicMarks),
    };
    this.#former = new FormerMarks(db);
  }

  get bytes(): number {
    return this.#shares.secret.bytes + this.#shares.public.bytes;
  }

  /** In the transaction of the request. */
  claim(mark: IdempotencyMark, now: number): ClaimOutcome {
    const share = this.#shares[mark.kind];
    const key = createHash('sha256').update(mark.key).digest().subarray(0, 16);
    const fingerprint = Buffer.from(mark.fingerprint, 'base64url').subarray(0, 16);
    const since = now - IDEMPOTENCY_MS;
    const isSame = share.isSame(key, fingerprint, since) ?? this.#former.isSame(mark, since);
    if (isSame !== undefined) return isSame ? 'replayed' : 'reused';
    if (share.isFull) {
      if (mark.kind === 'secret') return 'full';
      share.dropOldest();
    }
    share.add(key, fingerprint, now);
    return 'new';
  }

  /** At the end of a transaction with claims. */
  saveCounts(): void {
    this.#shares.secret.saveCount();
    this.#shares.public.saveCount();
  }

  /** Deletes a few of those that have expired; answers whether there may be more. */
  forgetOld(now: number): boolean {
    const before = now - IDEMPOTENCY_MS;
    const { secret, public: open } = this.#shares;
    return secret.deleteExpired(before) || open.deleteExpired(before) || this.#former.deleteExpired(before);
  }
}
