import { LRUCache } from 'lru-cache';

/** Counts that take longer than this are not taken anew for every event … */
const EXPENSIVE_MS = 500;
/** … unless they are of fewer exposures: then the machine was busy, which says nothing about the next time. */
const MANY_EXPOSURES = 100_000;
/** A snapshot may be as old as this many times what it costs … */
const AGE_PER_COST = 20;
/** … but never older. */
const MAX_AGE_MS = 5 * 60 * 1000;
const MAX_ENTRIES = 200;
/** Characters of JSON of all entries; in memory they take a few times as much. */
const MAX_LENGTH = 16 * 1024 * 1024;

export interface Snapshot<T> {
  value: T;
  /** When it was taken. */
  asOf: number;
}

interface CacheEntry extends Snapshot<unknown> {
  /** What was known of changes when it was taken. */
  changes: number;
  takenAt: number;
  costMs: number;
  exposures: number;
}

interface Question<T> {
  key: string;
  /** Grows whenever an answer may have changed. */
  changes: number;
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
  readonly #kept = new LRUCache<string, CacheEntry>({
    max: MAX_ENTRIES,
    maxSize: MAX_LENGTH,
    sizeCalculation: ({ value }, key) => key.length + JSON.stringify(value).length,
  });
  readonly #running = new Map<string, Promise<CacheEntry>>();

  async get<T>(question: Question<T>): Promise<Snapshot<T>> {
    const kept = question.fresh ? undefined : this.#kept.get(question.key);
    if (kept && kept.changes >= question.changes) return kept as Snapshot<T>;
    if (kept && isYoungEnough(kept)) {
      // Whoever asks next gets the outcome, or the error of an attempt of their own.
      this.#take(question).catch(() => undefined);
      return kept as Snapshot<T>;
    }
    return (await this.#take(question)) as Snapshot<T>;
  }

  #take<T>({ key, changes, take, exposures }: Question<T>): Promise<CacheEntry> {
    const running = this.#running.get(`${key} ${changes}`);
    if (running) return running;
    const [asOf, takenAt] = [Date.now(), performance.now()];
    const taking = take()
      .then((value) => {
        const costMs = performance.now() - takenAt;
        const kept = { value, asOf, changes, takenAt, costMs, exposures: exposures(value) };
        if ((this.#kept.peek(key)?.takenAt ?? 0) <= takenAt) this.#kept.set(key, kept);
        return kept;
      })
      .finally(() => this.#running.delete(`${key} ${changes}`));
    this.#running.set(`${key} ${changes}`, taking);
    return taking;
  }
}

function isYoungEnough({ takenAt, costMs, exposures }: CacheEntry): boolean {
  if (costMs <= EXPENSIVE_MS || exposures < MANY_EXPOSURES) return false;
  return performance.now() - takenAt < Math.min(MAX_AGE_MS, AGE_PER_COST * costMs);
}
