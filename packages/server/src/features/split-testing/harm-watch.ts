import type { Logger } from 'pino';

/** A look counts the visitors that changed since the last one. */
export const LOOK_EVERY_MS = 5 * 60 * 1000;
/** After each look, this many times as long as it took, so that looks take a fifth of the time at most. */
const PAUSE_PER_COST = 4;

/** What is looked at: a split test, or a rollout. */
export interface Watched {
  /** Contains its version: a changed one is looked at anew. */
  readonly id: string;
  /** For the log. */
  readonly about: object;
  /** Evaluates it, on another thread, and does what has to be done. */
  readonly look: () => Promise<void>;
}

interface HarmWatchOptions {
  watched: () => readonly Watched[];
  /** Called when nothing is left to evaluate. */
  release: () => Promise<void>;
  isStopping: () => boolean;
  log: Logger;
  /** Monotonic, in milliseconds. */
  clock?: (() => number) | undefined;
}

/**
 * Looks for harm in what says that harm stops it. Looking often costs no error rate, and nothing has to be remembered:
 * the tests are always-valid, and whether something was stopped is part of the configuration.
 */
export class HarmWatch {
  readonly #options: HarmWatchOptions;
  readonly #clock: () => number;
  readonly #lookedAt = new Map<string, number>();
  #nextAt = Number.NEGATIVE_INFINITY;
  #mayRelease = false;

  constructor(options: HarmWatchOptions) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
  }

  /** Looks at one test or rollout at most. */
  async run(): Promise<void> {
    const now = this.#clock();
    if (now < this.#nextAt) return;
    const next = this.#nextDue(now);
    if (next !== undefined) {
      this.#mayRelease = true;
      // Before it is evaluated, so that a failure is not repeated every second.
      this.#lookedAt.set(next.id, now);
      await this.#look(next);
      this.#nextAt = this.#clock() + PAUSE_PER_COST * (this.#clock() - now);
    } else if (this.#mayRelease) {
      this.#mayRelease = false;
      await this.#options.release();
    }
  }

  /** What was looked at longest ago. */
  #nextDue(now: number): Watched | undefined {
    const watched = this.#options.watched();
    const ids = new Set(watched.map(({ id }) => id));
    for (const id of this.#lookedAt.keys()) {
      if (!ids.has(id)) this.#lookedAt.delete(id);
    }
    const lookedAt = ({ id }: Watched) => this.#lookedAt.get(id) ?? Number.NEGATIVE_INFINITY;
    return watched
      .filter((it) => now - lookedAt(it) >= LOOK_EVERY_MS)
      .sort((a, b) => lookedAt(a) - lookedAt(b))[0];
  }

  async #look({ look, about }: Watched): Promise<void> {
    const { isStopping, log } = this.#options;
    try {
      await look();
    } catch (err) {
      if (isStopping()) return;
      log.error({ err, ...about }, 'the look for harm failed; retrying in 5 minutes');
    }
  }
}
