import type { AcceptedCollect } from '../../storage/accepted-request.ts';
import type { SessionIdentity } from '../../storage/event-store.ts';
import type { EventStoreClient } from '../../storage/event-store-client.ts';

const MAX_SESSIONS = 50_000;

type CollectedIdentity = Pick<AcceptedCollect, 'propertyId' | 'sessionId' | 'visitorId' | 'userId'>;

/**
 * Who a session belongs to, for evaluations that name only the session: live sessions are answered from memory,
 * others are looked up in the event store once.
 */
export class SessionIdentities {
  readonly #eventStore: Pick<EventStoreClient, 'sessionIdentity'>;
  /** Least recently used first; null: looked up and not known. */
  readonly #recent = new Map<string, SessionIdentity | null>();
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
    // What is not in memory may have a user in the store: leave it to the look-up.
    if (known === undefined && userId === undefined) return;
    this.#put(key, { visitorId, userId: userId ?? known?.userId ?? null });
  }

  /** Undefined or an identity when memory knows; a promise when the store must be asked. */
  find(
    propertyId: string,
    sessionId: string,
  ): SessionIdentity | undefined | Promise<SessionIdentity | undefined> {
    const key = keyOf(propertyId, sessionId);
    const known = this.#recent.get(key);
    if (known === undefined) return this.#lookUp(key, propertyId, sessionId);
    this.#recent.delete(key);
    this.#recent.set(key, known);
    return known ?? undefined;
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
      if (!lookUp.outdated) this.#put(key, found ?? null);
      return found;
    } finally {
      if (this.#lookUps.get(key) === lookUp) this.#lookUps.delete(key);
    }
  }

  #put(key: string, identity: SessionIdentity | null): void {
    this.#recent.delete(key);
    this.#recent.set(key, identity);
    if (this.#recent.size > MAX_SESSIONS) this.#recent.delete(this.#recent.keys().next().value!);
  }
}

const keyOf = (propertyId: string, sessionId: string) => `${propertyId}/${sessionId}`;
