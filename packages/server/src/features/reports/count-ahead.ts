import type { EventStoreClient } from '../../storage/event-store-client.ts';
import type { PropertyConfiguration, SplitTest } from '../../storage/property-configuration.ts';
import { scopeOf } from './report-scope.ts';

/** The first requests after a start are served first. */
const START_DELAY_MS = 10_000;
const INTERVAL_MS = 15 * 60 * 1000;
/** After each count, this many times as long as it took, so that it takes a fifth of the time at most. */
const PAUSE_PER_COST = 4;

export interface CountAheadParts {
  eventStore: Pick<EventStoreClient, 'countAhead'>;
  properties: () => readonly PropertyConfiguration[];
  /** Monotonic, in milliseconds. */
  clock?: () => number;
}

/**
 * Counts the visitors of running tests before anyone asks for their results: the event store then only counts those
 * that changed since. Otherwise the first results of a large test take seconds after each start and each erasure.
 */
export class CountAhead {
  readonly #parts: CountAheadParts;
  readonly #clock: () => number;
  readonly #countedAt = new Map<string, number>();
  #nextAt: number;

  constructor(parts: CountAheadParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? (() => performance.now());
    this.#nextAt = this.#clock() + START_DELAY_MS;
  }

  /** Counts one test at most. */
  async run(): Promise<void> {
    const startedAt = this.#clock();
    const next = startedAt < this.#nextAt ? undefined : this.#nextDue(startedAt);
    if (next === undefined) return;
    // Before it is counted, so that a failure is not repeated every second.
    this.#countedAt.set(next.test.id, startedAt);
    try {
      await this.#parts.eventStore.countAhead(scopeOf(next.property, next.test, undefined, Date.now()).query);
    } finally {
      this.#nextAt = this.#clock() + PAUSE_PER_COST * (this.#clock() - startedAt);
    }
  }

  /** The running test that was counted longest ago. */
  #nextDue(now: number): { property: PropertyConfiguration; test: SplitTest } | undefined {
    const running = this.#parts
      .properties()
      .flatMap((property) => property.splitTests.map((test) => ({ property, test })))
      .filter(({ test }) => test.status === 'running');
    const ids = new Set(running.map(({ test }) => test.id));
    for (const id of this.#countedAt.keys()) if (!ids.has(id)) this.#countedAt.delete(id);
    const countedAt = ({ test }: { test: SplitTest }) => this.#countedAt.get(test.id) ?? -INTERVAL_MS;
    return running
      .filter((it) => now - countedAt(it) >= INTERVAL_MS)
      .sort((a, b) => countedAt(a) - countedAt(b))[0];
  }
}
