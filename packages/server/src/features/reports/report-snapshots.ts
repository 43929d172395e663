/** Counts that take longer than this are not taken anew for every event … */
const EXPENSIVE_MS = 500;
/** … unless they are of fewer exposures: then the machine was busy, which says nothing about the next time. */
const MANY_EXPOSURES = 100_000;
/** A snapshot may be as old as this many times what it costs … */
const AGE_PER_COST = 20;
/** … but never older. */
const MAX_AGE_MS = 5 * 60 * 1000;
const MAX_ENTRIES = 200;

export interface Snapshot<T> {
  value: T;
  /** When it was taken. */
  asOf: number;
}

interface CacheEntry extends Snapshot<unknown> {
  /** What was known of changes when it was taken. */
  changes: number;
  costMs: number;
  exposures: number;
}

interface Question<T> {
  key: string;
  /** However long it takes. */
  fresh: boolean;
  take: () => Promise<T>;
  /** How many the answer was counted from. */
  exposures: (value: T) => number;
}

/**
 * Keeps answers that cost a look at the whole store. What nothing has changed since is never asked twice; what is
 * expensive may be a little old, and is refreshed behind the answer. Cheap answers are always of this moment.
 */
export class ReportSnapshots {
  readonly #changes: () => number;
  readonly #kept = new Map<string, CacheEntry>();
  readonly #running = new Map<string, Promise<CacheEntry>>();

  /** @param changes grows whenever an answer may have changed */
  constructor(changes: () => number) {
    this.#changes = changes;
  }

  async get<T>(question: Question<T>): Promise<Snapshot<T>> {
    const kept = question.fresh ? undefined : this.#kept.get(question.key);
    if (kept && kept.changes === this.#changes()) return kept as Snapshot<T>;
    if (kept && isYoungEnough(kept)) {
      // Whoever asks next gets the outcome, or the error of an attempt of their own.
      this.#take(question).catch(() => undefined);
      return kept as Snapshot<T>;
    }
    return (await this.#take(question)) as Snapshot<T>;
  }

  #take<T>({ key, take, exposures }: Question<T>): Promise<CacheEntry> {
    const changes = this.#changes();
    const running = this.#running.get(`${key} ${changes}`);
    if (running) return running;
    const asOf = Date.now();
    const taking = take()
      .then((value) => {
        const kept = { value, asOf, changes, costMs: Date.now() - asOf, exposures: exposures(value) };
        this.#keep(key, kept);
        return kept;
      })
      .finally(() => this.#running.delete(`${key} ${changes}`));
    this.#running.set(`${key} ${changes}`, taking);
    return taking;
  }

  #keep(key: string, kept: CacheEntry): void {
    if ((this.#kept.get(key)?.asOf ?? 0) > kept.asOf) return;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_ENTRIES) break;
      this.#kept.delete(oldest);
    }
  }
}

function isYoungEnough({ asOf, costMs, exposures }: CacheEntry): boolean {
  if (costMs <= EXPENSIVE_MS || exposures < MANY_EXPOSURES) return false;
  return Date.now() - asOf < Math.min(MAX_AGE_MS, AGE_PER_COST * costMs);
}
