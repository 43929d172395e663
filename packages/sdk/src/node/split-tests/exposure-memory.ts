import { SESSION_IDLE_SECONDS } from '../../client/identity.ts';

const MAX_SESSIONS = 50_000;

interface ExposureKey {
  sessionId: string;
  testKey: string;
  variationKey: string;
  phase: number | undefined;
  timestamp: number;
}

interface SessionExposures {
  /** The last recorded phase and variation of each test. */
  exposures: Map<string, string>;
  /** The user that the session was last linked to; null: it is not linked yet. */
  userId: string | undefined | null;
  seenAt: number;
}

/** The exposures recorded in each session, so that each is recorded once. Idle sessions are removed. */
export class ExposureMemory {
  /** Least recently used first. */
  readonly #sessions = new Map<string, SessionExposures>();

  /** True if this phase and variation of the test are new in the session. */
  isFirst({ sessionId, testKey, variationKey, phase, timestamp }: ExposureKey): boolean {
    const { exposures } = this.#touch(sessionId, timestamp);
    const shown = `${phase} ${variationKey}`;
    if (exposures.get(testKey) === shown) return false;
    exposures.set(testKey, shown);
    return true;
  }

  /** True if this process has not linked the session yet, or not to this user. */
  isNewLink(sessionId: string, userId: string | undefined, timestamp: number): boolean {
    const session = this.#touch(sessionId, timestamp);
    // Signing out does not unlink: the service keeps the user of a session.
    if (session.userId !== null && (userId === undefined || session.userId === userId)) return false;
    session.userId = userId;
    return true;
  }

  exposed(sessionId: string): string[] {
    return [...(this.#sessions.get(sessionId)?.exposures.keys() ?? [])];
  }

  #touch(sessionId: string, now: number): SessionExposures {
    const session = this.#sessions.get(sessionId) ?? { exposures: new Map(), userId: null, seenAt: now };
    session.seenAt = now;
    this.#sessions.delete(sessionId);
    this.#sessions.set(sessionId, session);
    for (const [id, { seenAt }] of this.#sessions) {
      const isIdle = now - seenAt > SESSION_IDLE_SECONDS * 1000;
      if (!isIdle && this.#sessions.size <= MAX_SESSIONS) break;
      this.#sessions.delete(id);
    }
    return session;
  }
}
