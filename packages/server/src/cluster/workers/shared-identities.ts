import type { SessionIdentity } from '../../events/store/session-summary.ts';
import type { SessionIdentities } from '../../features/sessions/session-identities.ts';
import { withTimeout } from '../../platform/with-timeout.ts';

/**
 * How long to wait for the storage thread. When it does not respond, its disk is slow: then it has acknowledged nothing
 * since, and what it had acknowledged before has arrived here.
 */
const SYNC_TIMEOUT_MS = 250;

/** The identities of sessions in one of several workers, each of which may store new ones. */
export class SharedIdentities implements Pick<SessionIdentities, 'find' | 'remember'> {
  readonly #identities: SessionIdentities;
  readonly #sync: () => Promise<void>;

  /** @param sync resolves when this worker knows everything that was acknowledged before */
  constructor(identities: SessionIdentities, sync: () => Promise<void>) {
    this.#identities = identities;
    this.#sync = sync;
  }

  /** The storage thread tells all workers, also this one, in the order in which requests were stored. */
  remember(): void {}

  async find(propertyId: string, sessionId: string): Promise<SessionIdentity | undefined> {
    await withTimeout(this.#sync(), SYNC_TIMEOUT_MS, () => undefined);
    return this.#identities.find(propertyId, sessionId);
  }
}
