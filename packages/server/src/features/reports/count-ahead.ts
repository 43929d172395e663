import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';
import { scopeOf } from './report-scope.ts';
import { type ReportedTest, reportedTests } from './reported-test.ts';

/** The first requests after a start are served first. */
const START_DELAY_MS = 10_000;
const INTERVAL_MS = 15 * 60 * 1000;
/** After each count, this many times as long as it took, so that it takes a fifth of the time at most. */
const PAUSE_PER_COST = 4;

export interface CountAheadOptions {
  eventStore: Pick<EventStoreClient, 'countAhead'>;
  properties: () => readonly PropertyConfiguration[];
  /** Monotonic, in milliseconds. */
  clock?: () => number;
}

interface RunningTest {
  property: PropertyConfiguration;
  test: ReportedTest;
  /** Another definition is another count. */
  definition: string;
}

/**
 * Counts the visitors of running tests and measured rules before anyone asks for their results: the event store then only counts those
 * that changed since. Otherwise the first results of a large test take seconds after each change of its goals and each
 * erasure.
 */
export class CountAhead {
  readonly #options: CountAheadOptions;
  readonly #clock: () => number;
  /** By definition. */
  readonly #countedAt = new Map<string, number>();
  /** A change of the configuration creates a new object. */
  readonly #running = new WeakMap<PropertyConfiguration, RunningTest[]>();
  #nextAt: number;

  constructor(options: CountAheadOptions) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
    this.#nextAt = this.#clock() + START_DELAY_MS;
  }

  /** Counts one test at most. */
  async run(): Promise<void> {
    const startedAt = this.#clock();
    const next = startedAt < this.#nextAt ? undefined : this.#nextDue(startedAt);
    if (next === undefined) return;
    // Before it is counted, so that a failure is not repeated every second.
    this.#countedAt.set(next.definition, startedAt);
    try {
      await this.#options.eventStore.countAhead(
        scopeOf(next.property, next.test, undefined, Date.now()).query,
      );
    } finally {
      this.#nextAt = this.#clock() + PAUSE_PER_COST * (this.#clock() - startedAt);
    }
  }

  /** Call it after an erasure, which makes the event store forget what it has counted. */
  startAgain(): void {
    this.#countedAt.clear();
  }

  /** The running test that was counted longest ago. */
  #nextDue(now: number): RunningTest | undefined {
    const running = this.#options.properties().flatMap((property) => this.#runningIn(property));
    const definitions = new Set(running.map(({ definition }) => definition));
    for (const definition of this.#countedAt.keys()) {
      if (!definitions.has(definition)) this.#countedAt.delete(definition);
    }
    const countedAt = ({ definition }: RunningTest) => this.#countedAt.get(definition) ?? -INTERVAL_MS;
    return running
      .filter((it) => now - countedAt(it) >= INTERVAL_MS)
      .sort((a, b) => countedAt(a) - countedAt(b))[0];
  }

  #runningIn(property: PropertyConfiguration): RunningTest[] {
    const known = this.#running.get(property);
    if (known) return known;
    const running = reportedTests(property)
      .filter(({ status }) => status === 'running')
      .map((test) => ({ property, test, definition: definitionOf(property, test) }));
    this.#running.set(property, running);
    return running;
  }
}

/** Without the days, which change at midnight. */
function definitionOf(property: PropertyConfiguration, test: ReportedTest): string {
  return JSON.stringify({ ...scopeOf(property, test, undefined, Date.now()).query, days: undefined });
}
