import { SESSION_IDLE_SECONDS } from '../../client/identity.ts';

const MAX_SESSIONS = 50_000;

interface RememberedExposure {
  sessionId: string;
  testKey: string;
  variationKey: string;
  phase: number | undefined;
  timestamp: number;
}

interface SessionExposures {
  /** What was last recorded for each test. */
  exposures: Map<string, string>;
  seenAt: number;
}

/** Which exposures were recorded for which session, so that each is recorded once; forgotten with the session. */
export class ExposureMemory {
  /** The session heard of longest ago comes first. */
  readonly #sessions = new Map<string, SessionExposures>();

  /** True for the first time that the session is shown this in the test. */
  isFirst({ sessionId, testKey, variationKey, phase, timestamp }: RememberedExposure): boolean {
    const { exposures } = this.#touch(sessionId, timestamp);
    const shown = `${phase} ${variationKey}`;
    if (exposures.get(testKey) === shown) return false;
    exposures.set(testKey, shown);
    return true;
  }

  exposed(sessionId: string): string[] {
    return [...(this.#sessions.get(sessionId)?.exposures.keys() ?? [])];
  }

  #touch(sessionId: string, now: number): SessionExposures {
    const known = this.#sessions.get(sessionId);
    const remembered = known ?? { exposures: new Map(), seenAt: now };
    remembered.seenAt = now;
    this.#sessions.delete(sessionId);
    this.#sessions.set(sessionId, remembered);
    for (const [id, { seenAt }] of this.#sessions) {
      const isOver = now - seenAt > SESSION_IDLE_SECONDS * 1000;
      if (!isOver && this.#sessions.size <= MAX_SESSIONS) break;
      this.#sessions.delete(id);
    }
    return remembered;
  }
}
