import { LRUCache } from 'lru-cache';
import type { AcceptedCollect } from '../../events/store/accepted-request.ts';
import type { SessionIdentity } from '../../events/store/session-summary.ts';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';
import type { ChangedSessions } from '../../events/thread/storage-messages.ts';

const MAX_SESSIONS = 50_000;

/** The session was looked up and does not exist. */
const UNKNOWN = 'unknown';

type CollectedIdentity = Pick<AcceptedCollect, 'propertyId' | 'sessionId' | 'visitorId' | 'userId'>;

/**
 * Finds the visitor and user of a session, for evaluations that only name the session. Active sessions are in memory;
 * others are looked up in the event store once.
 */
export class SessionIdentities {
  readonly #eventStore: Pick<EventStoreClient, 'sessionIdentity'>;
  #cache: LRUCache<string, SessionIdentity | typeof UNKNOWN> | undefined;
  /** Pending lookups; `outdated` if a collect request of the session was stored in the meantime. */
  readonly #lookups = new Map<string, { outdated: boolean }>();

  constructor(eventStore: Pick<EventStoreClient, 'sessionIdentity'>) {
    this.#eventStore = eventStore;
  }

  /** Created by the first session, because a cache allocates room for all its entries at once. */
  get #recent() {
    this.#cache ??= new LRUCache({ max: MAX_SESSIONS });
    return this.#cache;
  }

  /** Call after a collect request was stored: its visitor, and its user if any, replace those of the session. */
  remember({ propertyId, sessionId, visitorId, userId }: CollectedIdentity): void {
    const key = keyOf(propertyId, sessionId);
    const lookup = this.#lookups.get(key);
    if (lookup !== undefined) lookup.outdated = true;
    const known = this.#recent.get(key);
    const knownUser = known === undefined || known === UNKNOWN ? null : known.userId;
    // A session that is not in memory may have a user in the store: leave it to the lookup.
    if (known === undefined && userId === undefined) return;
    this.#recent.set(key, { visitorId, userId: userId ?? knownUser });
  }

  /** Synchronous if the session is in memory; otherwise a promise of the lookup. */
  find(
    propertyId: string,
    sessionId: string,
  ): SessionIdentity | undefined | Promise<SessionIdentity | undefined> {
    const key = keyOf(propertyId, sessionId);
    const known = this.#recent.get(key);
    if (known === undefined) return this.#lookup(key, propertyId, sessionId);
    return known === UNKNOWN ? undefined : known;
  }

  /** Call when another node has stored collects of these sessions, or erased some. */
  drop(sessions: ChangedSessions): void {
    if (sessions === 'all') this.clear();
    else
      for (const { propertyId, sessionId } of sessions) {
        const key = keyOf(propertyId, sessionId);
        const lookup = this.#lookups.get(key);
        if (lookup !== undefined) lookup.outdated = true;
        this.#recent.delete(key);
      }
  }

  /** Call after an erasure, so that no erased identity stays in memory. */
  clear(): void {
    for (const lookup of this.#lookups.values()) lookup.outdated = true;
    this.#recent.clear();
  }

  async #lookup(key: string, propertyId: string, sessionId: string): Promise<SessionIdentity | undefined> {
    const lookup = { outdated: false };
    this.#lookups.set(key, lookup);
    try {
      const found = await this.#eventStore.sessionIdentity(propertyId, sessionId);
      if (!lookup.outdated) this.#recent.set(key, found ?? UNKNOWN);
      return found;
    } finally {
      if (this.#lookups.get(key) === lookup) this.#lookups.delete(key);
    }
  }
}

const keyOf = (propertyId: string, sessionId: string) => `${propertyId}/${sessionId}`;
