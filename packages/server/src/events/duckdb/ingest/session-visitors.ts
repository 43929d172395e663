import type { DuckDBConnection } from '@duckdb/node-api';
import { KeyTable } from '../../../platform/key-table.ts';
import { TimeSlice } from '../../../platform/threads/time-slice.ts';
import type { AcceptedCollect, JournalEntry } from '../../store/accepted-request.ts';
import { rowsOf } from '../connection/sql.ts';
import type { KeyHasher, SessionHash } from './lookup/key-hasher.ts';
import type { SessionRegistry } from './lookup/session-registry.ts';

/** Max sessions per generation of cached visitors, of which there are two. 32 bytes per slot. */
const GENERATION_SIZE = 90_000;

/**
 * How a collect changes the visitor of its session: not, because a later collect was stored before it; not, because it
 * is the same; the first one; possibly another one; or it is unknown whether there is a later collect. Stored with the
 * collect, so that queries need to read only a few collects, see `namingCollects`.
 */
const VISITOR_CHANGE = { outdated: -1, same: 0, first: 1, other: 2, unordered: 3 } as const;
type VisitorChange = (typeof VISITOR_CHANGE)[keyof typeof VISITOR_CHANGE];

/** SQL condition on `collects`: the visitor of the session may differ from the one stored with its events. */
export const CHANGED_VISITOR = `visitor_change >= ${VISITOR_CHANGE.other}`;

/** SQL condition on `collects`: the first one of its session, with its visitor unless that has changed. */
export const FIRST_VISITOR = `visitor_change = ${VISITOR_CHANGE.first}`;

/** Keys of a collect, so that they are hashed only once. */
export interface CollectKeys {
  session: SessionHash;
  visitor: bigint;
  change: VisitorChange;
}

interface Generation {
  visitors: KeyTable<'bigints'>;
  /** When the collect that names the visitor was received. */
  times: KeyTable<'numbers'>;
  /** The latest of these times. */
  newest: number;
}

const emptyGeneration = (): Generation => ({
  visitors: new KeyTable('bigints'),
  times: new KeyTable('numbers'),
  newest: Number.NEGATIVE_INFINITY,
});

/**
 * Cache of the visitors of recently seen sessions, so that nearly every event is stored with its visitor. The few whose
 * visitor is unknown or changes later are resolved at query time.
 */
export class SessionVisitors {
  #young = emptyGeneration();
  #old = emptyGeneration();
  /** No collect of a session that is not cached was received later. */
  #forgottenUntil = Number.NEGATIVE_INFINITY;
  #hasUnordered = false;
  #hasOutdated = false;

  async load(connection: DuckDBConnection): Promise<void> {
    this.clear();
    const [row] = await rowsOf<[bigint | null, number | null, number | null]>(
      connection,
      'SELECT max(received_at), max(visitor_change), min(visitor_change) FROM collects',
    );
    this.#forgottenUntil = Number(row?.[0] ?? Number.NEGATIVE_INFINITY);
    this.#hasUnordered = row?.[1] === VISITOR_CHANGE.unordered;
    this.#hasOutdated = row?.[2] === VISITOR_CHANGE.outdated;
  }

  /** Without the cache queries are slower but still correct, so it is not loaded at startup. */
  clear(): void {
    this.#forgottenUntil = Math.max(this.#forgottenUntil, this.#young.newest, this.#old.newest);
    this.#young = emptyGeneration();
    this.#old = emptyGeneration();
  }

  /** Whether the collects of each session were stored in the order of their receipt. */
  get isInOrder(): boolean {
    return !this.#hasUnordered && !this.#hasOutdated;
  }

  /** SQL condition on `collects`: those that the visitor of a session can be found with. */
  get namingCollects(): string {
    const changes = `visitor_change > ${VISITOR_CHANGE.same}`;
    if (!this.#hasUnordered) return changes;
    const unordered = `SELECT session_key FROM collects WHERE visitor_change = ${VISITOR_CHANGE.unordered}`;
    return `(${changes} OR session_key IN (${unordered}))`;
  }

  get({ low, high }: SessionHash): bigint | null {
    return this.#young.visitors.get(low, high) ?? this.#old.visitors.get(low, high) ?? null;
  }

  /**
   * Caches the visitors of a batch's collects before its events are stored, because pages send both at the same time in
   * any order. Returns the keys of each collect.
   *
   * @param severalSources whether collects that were received at the same time may be in any order
   */
  async addCollects(
    entries: readonly JournalEntry[],
    keys: KeyHasher,
    registry: SessionRegistry,
    severalSources: boolean,
  ): Promise<Map<AcceptedCollect, CollectKeys>> {
    const keysByCollect = new Map<AcceptedCollect, CollectKeys>();
    const slice = new TimeSlice();
    for (const { request } of entries) {
      if (request.kind !== 'collect') continue;
      if (slice.isOver) await slice.next();
      const session = keys.sessionHash(request.propertyId, request.sessionId);
      const visitor = keys.visitorKey(request.propertyId, request.visitorId);
      const change = this.#add(session, visitor, request.receivedAt, registry, severalSources);
      keysByCollect.set(request, { session, visitor, change });
    }
    return keysByCollect;
  }

  #add(
    session: SessionHash,
    visitor: bigint,
    receivedAt: number,
    registry: SessionRegistry,
    severalSources: boolean,
  ): VisitorChange {
    const before = this.get(session);
    if (before === null) {
      this.#set(session, visitor, receivedAt);
      if (!registry.knows(session)) return VISITOR_CHANGE.first;
      return receivedAt > this.#forgottenUntil ? VISITOR_CHANGE.other : this.#unordered();
    }
    const age = receivedAt - this.#timeOf(session);
    if (age < 0) {
      this.#hasOutdated = true;
      return VISITOR_CHANGE.outdated;
    }
    if (before === visitor) {
      if (age > 0) this.#set(session, visitor, receivedAt);
      return VISITOR_CHANGE.same;
    }
    if (age === 0 && severalSources) return this.#unordered();
    this.#set(session, visitor, receivedAt);
    return VISITOR_CHANGE.other;
  }

  #unordered(): VisitorChange {
    this.#hasUnordered = true;
    return VISITOR_CHANGE.unordered;
  }

  #timeOf({ low, high }: SessionHash): number {
    return this.#young.times.get(low, high) ?? this.#old.times.get(low, high)!;
  }

  #set({ low, high }: SessionHash, visitor: bigint, receivedAt: number): void {
    if (this.#young.visitors.size >= GENERATION_SIZE) {
      this.#forgottenUntil = Math.max(this.#forgottenUntil, this.#old.newest);
      this.#old = this.#young;
      this.#young = emptyGeneration();
    }
    this.#young.newest = Math.max(this.#young.newest, receivedAt);
    this.#young.visitors.set(low, high, visitor);
    this.#young.times.set(low, high, receivedAt);
  }
}
