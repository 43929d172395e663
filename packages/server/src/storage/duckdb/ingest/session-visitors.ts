import type { AcceptedCollect, JournalEntry } from '../../accepted-request.ts';
import type { KeyHasher, SessionKey } from '../lookup/key-hasher.ts';
import { KeyTable } from '../lookup/key-table.ts';
import type { SessionRegistry } from '../lookup/session-registry.ts';

/** Sessions whose visitor is at hand; twice as many at most. 16 bytes a slot. */
const GENERATION = 90_000;

/**
 * What a collect tells of its session's visitor: the same as before, the first one, or another one (or perhaps
 * another one). Stored with the collect, so that a question needs to look at few of them.
 */
export const VISITOR_CHANGE = { same: 0, first: 1, other: 2 } as const;
type VisitorChange = (typeof VISITOR_CHANGE)[keyof typeof VISITOR_CHANGE];

/** A collect with the keys of its session and visitor, so that they are hashed once. */
export interface LearnedCollect {
  session: SessionKey;
  visitor: bigint;
  change: VisitorChange;
}

/**
 * The visitors of the sessions heard of lately. With them nearly every event is stored with its visitor; the few
 * whose visitor is not known yet, or becomes another one, are resolved when a question is asked.
 */
export class SessionVisitors {
  #young = new KeyTable('bigints');
  #old = new KeyTable('bigints');

  /** Nothing is wrong without them, only slower; so a start does not wait for them. */
  forget(): void {
    this.#young = new KeyTable('bigints');
    this.#old = new KeyTable('bigints');
  }

  of({ low, high }: SessionKey): bigint | null {
    return this.#young.get(low, high) ?? this.#old.get(low, high) ?? null;
  }

  set(key: SessionKey, visitor: bigint): void {
    if (this.#young.size >= GENERATION) {
      this.#old = this.#young;
      this.#young = new KeyTable('bigints');
    }
    this.#young.set(key.low, key.high, visitor);
  }

  /**
   * Takes in the collects of a batch before its events are stored: pages send both at the same time, in any order.
   * Answers with what each of them tells.
   */
  learn(
    entries: readonly JournalEntry[],
    keys: KeyHasher,
    registry: SessionRegistry,
  ): Map<AcceptedCollect, LearnedCollect> {
    const learned = new Map<AcceptedCollect, LearnedCollect>();
    for (const { request } of entries) {
      if (request.kind !== 'collect') continue;
      const session = keys.sessionKey(request.propertyId, request.sessionId);
      const visitor = keys.visitorKey(request.propertyId, request.visitorId);
      const before = this.of(session);
      let change: VisitorChange = VISITOR_CHANGE.same;
      if (before !== visitor) {
        const isFirst = before === null && !registry.knows(session);
        change = isFirst ? VISITOR_CHANGE.first : VISITOR_CHANGE.other;
        this.set(session, visitor);
      }
      learned.set(request, { session, visitor, change });
    }
    return learned;
  }
}
