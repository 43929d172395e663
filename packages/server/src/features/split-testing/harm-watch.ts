import type { Logger } from 'pino';

/** A look counts the visitors that changed since the last one. */
export const LOOK_EVERY_MS = 5 * 60 * 1000;
/** After each look, this many times as long as it took, so that looks take a fifth of the time at most. */
const PAUSE_PER_COST = 4;

/** What is looked at: a split test, or a rollout. */
export interface Watched {
  /** The same in all of its versions, so that a change does not move it ahead of others. */
  readonly id: string;
  /** Whenever it is another one, there is a reason to look at once. */
  readonly version: string;
  /** For the log. */
  readonly about: object;
  /** Evaluates it, on another thread, and does what has to be done. */
  readonly look: () => Promise<void>;
}

interface LastLook {
  readonly at: number;
  readonly version: string | undefined;
}

const NEVER: LastLook = { at: Number.NEGATIVE_INFINITY, version: undefined };

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
  /** By id, in the order in which they have waited: each one goes to the end when it is looked at. */
  readonly #seen = new Map<string, LastLook>();
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
      this.#putLast(next, now);
      await this.#look(next);
      this.#nextAt = this.#clock() + PAUSE_PER_COST * (this.#clock() - now);
    } else if (this.#mayRelease) {
      this.#mayRelease = false;
      await this.#options.release();
    }
  }

  /** Of those with a reason to look, what has waited longest: so each has its turn, however often others change. */
  #nextDue(now: number): Watched | undefined {
    const watched = new Map(this.#options.watched().map((it) => [it.id, it]));
    for (const id of this.#seen.keys()) if (!watched.has(id)) this.#seen.delete(id);
    for (const id of watched.keys()) if (!this.#seen.has(id)) this.#seen.set(id, NEVER);
    for (const [id, { at, version }] of this.#seen) {
      const it = watched.get(id)!;
      if (version !== it.version || now - at >= LOOK_EVERY_MS) return it;
    }
    return undefined;
  }

  #putLast({ id, version }: Watched, at: number): void {
    this.#seen.delete(id);
    this.#seen.set(id, { at, version });
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
