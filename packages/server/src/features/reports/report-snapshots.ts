import { LRUCache } from 'lru-cache';

/** Queries slower than this are not repeated for every new event … */
const EXPENSIVE_MS = 500;
/** … unless they counted fewer exposures: then the machine was just busy. */
const MANY_EXPOSURES = 100_000;
/** A snapshot may be this many times as old as its query took … */
const AGE_PER_COST = 20;
/** … but never older than this. */
const MAX_AGE_MS = 5 * 60 * 1000;
const MAX_ENTRIES = 200;
/** Total JSON length of all entries; they take several times as much memory. */
const MAX_LENGTH = 16 * 1024 * 1024;

export interface Snapshot<T> {
  value: T;
  /** When it was taken. */
  asOf: number;
}

interface CacheEntry extends Snapshot<unknown> {
  /** The change counter when it was taken. */
  changes: number;
  takenAt: number;
  costMs: number;
  exposures: number;
}

interface SnapshotRequest<T> {
  key: string;
  /** Change counter: increases whenever the result may have changed. */
  changes: number;
  /** Never return an older snapshot. */
  fresh: boolean;
  /** Snapshots up to this age are used, whatever has changed since. */
  maxAgeMs?: number;
  take: () => Promise<T>;
  /** The number of exposures that were counted. */
  exposures: (value: T) => number;
}

/**
 * Caches the results of queries that scan the whole store. Without changes, a query is never repeated. Expensive
 * results may be slightly old and are refreshed in the background; cheap ones are always current.
 */
export class ReportSnapshots {
  readonly #cache = new LRUCache<string, CacheEntry>({
    max: MAX_ENTRIES,
    maxSize: MAX_LENGTH,
    sizeCalculation: ({ value }, key) => key.length + JSON.stringify(value).length,
  });
  readonly #running = new Map<string, Promise<CacheEntry>>();

  async get<T>(request: SnapshotRequest<T>): Promise<Snapshot<T>> {
    const cached = request.fresh ? undefined : this.#cache.get(request.key);
    if (cached && cached.changes >= request.changes) return cached as Snapshot<T>;
    if (cached && performance.now() - cached.takenAt < (request.maxAgeMs ?? 0)) return cached as Snapshot<T>;
    if (cached && isFreshEnough(cached)) {
      // The next request gets the new result, or runs into the error itself.
      this.#take(request).catch(() => undefined);
      return cached as Snapshot<T>;
    }
    return (await this.#take(request)) as Snapshot<T>;
  }

  #take<T>({ key, changes, take, exposures }: SnapshotRequest<T>): Promise<CacheEntry> {
    const running = this.#running.get(`${key} ${changes}`);
    if (running) return running;
    const [asOf, takenAt] = [Date.now(), performance.now()];
    const pending = take()
      .then((value) => {
        const costMs = performance.now() - takenAt;
        const entry = { value, asOf, changes, takenAt, costMs, exposures: exposures(value) };
        if ((this.#cache.peek(key)?.takenAt ?? 0) <= takenAt) this.#cache.set(key, entry);
        return entry;
      })
      .finally(() => this.#running.delete(`${key} ${changes}`));
    this.#running.set(`${key} ${changes}`, pending);
    return pending;
  }
}

function isFreshEnough({ takenAt, costMs, exposures }: CacheEntry): boolean {
  if (costMs <= EXPENSIVE_MS || exposures < MANY_EXPOSURES) return false;
  return performance.now() - takenAt < Math.min(MAX_AGE_MS, AGE_PER_COST * costMs);
}
