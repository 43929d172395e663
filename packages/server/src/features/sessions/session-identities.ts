import { LRUCache } from 'lru-cache';
import type { AcceptedCollect } from '../../storage/accepted-request.ts';
import type { SessionIdentity } from '../../storage/event-store.ts';
import type { EventStoreClient } from '../../storage/event-store-client.ts';

const MAX_SESSIONS = 50_000;

/** Looked up, and the store has no such session. */
const NOT_KNOWN = 'not known';

type CollectedIdentity = Pick<AcceptedCollect, 'propertyId' | 'sessionId' | 'visitorId' | 'userId'>;

/**
 * Who a session belongs to, for evaluations that name only the session: live sessions are answered from memory,
 * others are looked up in the event store once.
 */
export class SessionIdentities {
  readonly #eventStore: Pick<EventStoreClient, 'sessionIdentity'>;
  readonly #recent = new LRUCache<string, SessionIdentity | typeof NOT_KNOWN>({ max: MAX_SESSIONS });
  /** Look-ups under way; `outdated` once a collect of the same session was stored meanwhile. */
  readonly #lookUps = new Map<string, { outdated: boolean }>();

  constructor(eventStore: Pick<EventStoreClient, 'sessionIdentity'>) {
    this.#eventStore = eventStore;
  }

  /** A collect was stored: its visitor is the session's from now on, and so is its user if it named one. */
  remember({ propertyId, sessionId, visitorId, userId }: CollectedIdentity): void {
    const key = keyOf(propertyId, sessionId);
    const lookUp = this.#lookUps.get(key);
    if (lookUp !== undefined) lookUp.outdated = true;
    const known = this.#recent.get(key);
    const knownUser = known === undefined || known === NOT_KNOWN ? null : known.userId;
    // What is not in memory may have a user in the store: leave it to the look-up.
    if (known === undefined && userId === undefined) return;
    this.#recent.set(key, { visitorId, userId: userId ?? knownUser });
  }

  /** Undefined or an identity when memory knows; a promise when the store must be asked. */
  find(
    propertyId: string,
    sessionId: string,
  ): SessionIdentity | undefined | Promise<SessionIdentity | undefined> {
    const key = keyOf(propertyId, sessionId);
    const known = this.#recent.get(key);
    if (known === undefined) return this.#lookUp(key, propertyId, sessionId);
    return known === NOT_KNOWN ? undefined : known;
  }

  /** After an erasure nobody may be remembered. */
  clear(): void {
    for (const lookUp of this.#lookUps.values()) lookUp.outdated = true;
    this.#recent.clear();
  }

  async #lookUp(key: string, propertyId: string, sessionId: string): Promise<SessionIdentity | undefined> {
    const lookUp = { outdated: false };
    this.#lookUps.set(key, lookUp);
    try {
      const found = await this.#eventStore.sessionIdentity(propertyId, sessionId);
      if (!lookUp.outdated) this.#recent.set(key, found ?? NOT_KNOWN);
      return found;
    } finally {
      if (this.#lookUps.get(key) === lookUp) this.#lookUps.delete(key);
    }
  }
}

const keyOf = (propertyId: string, sessionId: string) => `${propertyId}/${sessionId}`;
