import type { Logger } from 'pino';
import type {
  PropertyConfiguration,
  SplitTest,
} from '../../configuration/property/property-configuration.ts';
import { type FoundHarm, type StopServices, stopHarm } from './stop-harm.ts';

/** A look counts the visitors that changed since the last one. */
export const LOOK_EVERY_MS = 5 * 60 * 1000;
/** After each look, this many times as long as it took, so that looks take a fifth of the time at most. */
const PAUSE_PER_COST = 4;

export interface HarmWatchOptions extends StopServices {
  properties: () => readonly PropertyConfiguration[];
  /** Looks for harm in the present phase of a test, on another thread. */
  evaluate: (property: PropertyConfiguration, test: SplitTest) => Promise<FoundHarm>;
  /** Called when nothing is left to evaluate. */
  release: () => Promise<void>;
  isStopping: () => boolean;
  log: Logger;
  /** Monotonic, in milliseconds. */
  clock?: () => number;
}

interface Watched {
  property: PropertyConfiguration;
  test: SplitTest;
}

/**
 * Stops what harms a running test that says `onHarm: stop`. Looking often costs no error rate, and nothing has to be
 * remembered: the test is always-valid, and whether something was stopped is part of the configuration.
 */
export class HarmWatch {
  readonly #options: HarmWatchOptions;
  readonly #clock: () => number;
  /** By version: a changed test is looked at anew. */
  readonly #lookedAt = new Map<string, number>();
  #nextAt = Number.NEGATIVE_INFINITY;
  #mayRelease = false;

  constructor(options: HarmWatchOptions) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
  }

  /** Looks at one test at most. */
  async run(): Promise<void> {
    const now = this.#clock();
    if (now < this.#nextAt) return;
    const next = this.#nextDue(now);
    if (next !== undefined) {
      this.#mayRelease = true;
      // Before it is evaluated, so that a failure is not repeated every second.
      this.#lookedAt.set(versionOf(next.test), now);
      await this.#look(next);
      this.#nextAt = this.#clock() + PAUSE_PER_COST * (this.#clock() - now);
    } else if (this.#mayRelease) {
      this.#mayRelease = false;
      await this.#options.release();
    }
  }

  /** The test that was looked at longest ago. */
  #nextDue(now: number): Watched | undefined {
    const watched = this.#options
      .properties()
      .flatMap((property) => property.splitTests.filter(isWatched).map((test) => ({ property, test })));
    const versions = new Set(watched.map(({ test }) => versionOf(test)));
    for (const version of this.#lookedAt.keys()) {
      if (!versions.has(version)) this.#lookedAt.delete(version);
    }
    const lookedAt = ({ test }: Watched) => this.#lookedAt.get(versionOf(test)) ?? Number.NEGATIVE_INFINITY;
    return watched
      .filter((it) => now - lookedAt(it) >= LOOK_EVERY_MS)
      .sort((a, b) => lookedAt(a) - lookedAt(b))[0];
  }

  async #look({ property, test }: Watched): Promise<void> {
    const { evaluate, isStopping, log } = this.#options;
    const about = { propertyId: property.id, splitTestKey: test.key };
    try {
      const found = await evaluate(property, test);
      if (found.harms.length === 0) return;
      const stopped = await stopHarm(this.#options, property.id, test, found);
      if (stopped) log.info({ ...about, action: stopped.action }, 'split test changed because of harm');
    } catch (err) {
      if (isStopping()) return;
      log.error({ err, ...about }, 'the look for harm in a split test failed; retrying in 5 minutes');
    }
  }
}

const versionOf = ({ id, version }: SplitTest) => `${id}:${version}`;

const isWatched = ({ status, onHarm }: SplitTest) => status === 'running' && onHarm === 'stop';
