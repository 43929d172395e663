import type { AcceptedRequest, JournalEntry } from '../../../store/accepted-request.ts';
import type { ReceivedTimes } from '../../../store/traffic-queries.ts';

const KINDS = {
  collect: 'session',
  exposures: 'exposure',
  conversion: 'goal',
  feedback: 'feedback',
} as const satisfies Record<AcceptedRequest['kind'], keyof ReceivedTimes>;

interface Known {
  /** From the file. */
  stored: Promise<ReceivedTimes>;
  /** Loaded since; the file may have been read before or after. */
  added: ReceivedTimes;
}

/** The times of the first and last event of each kind, by property; otherwise every poll would scan whole tables. */
export class ReceivedCache {
  readonly #known = new Map<string, Known>();

  /** @param read reads the times from the file; called once per property */
  async get(propertyId: string, read: () => Promise<ReceivedTimes>): Promise<ReceivedTimes> {
    let known = this.#known.get(propertyId);
    if (known === undefined) {
      const none = { session: null, exposure: null, goal: null, feedback: null };
      known = { stored: read(), added: none };
      this.#known.set(propertyId, known);
    }
    const { stored, added } = known;
    try {
      return union(await stored, added);
    } catch (error) {
      if (this.#known.get(propertyId) === known) this.#known.delete(propertyId);
      throw error;
    }
  }

  /** Call after the entries are committed. */
  add(entries: readonly JournalEntry[]): void {
    if (this.#known.size === 0) return;
    for (const { request } of entries) {
      const added = this.#known.get(request.propertyId)?.added;
      if (added === undefined || (request.kind === 'exposures' && request.exposures.length === 0)) continue;
      const kind = KINDS[request.kind];
      added[kind] = span(added[kind], { first: request.receivedAt, last: request.receivedAt });
    }
  }

  /** Call after events were deleted. */
  clear(): void {
    this.#known.clear();
  }
}

function union(left: ReceivedTimes, right: ReceivedTimes): ReceivedTimes {
  return {
    session: span(left.session, right.session),
    exposure: span(left.exposure, right.exposure),
    goal: span(left.goal, right.goal),
    feedback: span(left.feedback, right.feedback),
  };
}

type Times = ReceivedTimes[keyof ReceivedTimes];

function span(left: Times, right: Times): Times {
  if (left === null || right === null) return left ?? right;
  return { first: Math.min(left.first, right.first), last: Math.max(left.last, right.last) };
}
