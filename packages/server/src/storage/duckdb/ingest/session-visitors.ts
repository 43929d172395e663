import type { AcceptedCollect, JournalEntry } from '../../accepted-request.ts';
import type { KeyHasher, SessionKey } from '../lookup/key-hasher.ts';
import { KeyTable } from '../lookup/key-table.ts';
import type { SessionRegistry } from '../lookup/session-registry.ts';

/** Max sessions per generation of cached visitors, of which there are two. 16 bytes per slot. */
const GENERATION_SIZE = 90_000;

/**
 * How a collect changes the visitor of its session: the same visitor, the first one, or possibly another one. Stored
 * with the collect, so that queries need to read only a few collects.
 */
export const VISITOR_CHANGE = { same: 0, first: 1, other: 2 } as const;
type VisitorChange = (typeof VISITOR_CHANGE)[keyof typeof VISITOR_CHANGE];

/** Keys of a collect, so that they are hashed only once. */
export interface CollectKeys {
  session: SessionKey;
  visitor: bigint;
  change: VisitorChange;
}

/**
 * Cache of the visitors of recently seen sessions, so that nearly every event is stored with its visitor. The few whose
 * visitor is unknown or changes later are resolved at query time.
 */
export class SessionVisitors {
  #young = new KeyTable('bigints');
  #old = new KeyTable('bigints');

  /** Without the cache queries are slower but still correct, so it is not loaded at startup. */
  clear(): void {
    this.#young = new KeyTable('bigints');
    this.#old = new KeyTable('bigints');
  }

  get({ low, high }: SessionKey): bigint | null {
    return this.#young.get(low, high) ?? this.#old.get(low, high) ?? null;
  }

  set(key: SessionKey, visitor: bigint): void {
    if (this.#young.size >= GENERATION_SIZE) {
      this.#old = this.#young;
      this.#young = new KeyTable('bigints');
    }
    this.#young.set(key.low, key.high, visitor);
  }

  /**
   * Caches the visitors of a batch's collects before its events are stored, because pages send both at the same time in
   * any order. Returns the keys of each collect.
   */
  addCollects(
    entries: readonly JournalEntry[],
    keys: KeyHasher,
    registry: SessionRegistry,
  ): Map<AcceptedCollect, CollectKeys> {
    const keysByCollect = new Map<AcceptedCollect, CollectKeys>();
    for (const { request } of entries) {
      if (request.kind !== 'collect') continue;
      const session = keys.sessionKey(request.propertyId, request.sessionId);
      const visitor = keys.visitorKey(request.propertyId, request.visitorId);
      const before = this.get(session);
      let change: VisitorChange = VISITOR_CHANGE.same;
      if (before !== visitor) {
        const isFirst = before === null && !registry.knows(session);
        change = isFirst ? VISITOR_CHANGE.first : VISITOR_CHANGE.other;
        this.set(session, visitor);
      }
      keysByCollect.set(request, { session, visitor, change });
    }
    return keysByCollect;
  }
}
