import { maskText } from '@switchyard/core/cleaning/mask-text';
import { DAY_MS } from '@switchyard/core/time';

/** Per property; clients could send any number of names. */
const MAX_NAMES = 200;
/** Other names may be values that somebody put there. */
const NAME = /^[\w.[\]-]{1,40}$/;
const OTHERS = '(others)';

export interface RemovedParameter {
  name: string;
  count: number;
}

/** Counts the names of query parameters that were removed today (UTC), in the memory of this process. */
export class RemovedParameters {
  #day = 0;
  readonly #counts = new Map<string, Map<string, number>>();

  count(propertyId: string, name: string): void {
    const counts = this.#of(propertyId);
    const known = counts.has(name) || (counts.size < MAX_NAMES && isName(name)) ? name : OTHERS;
    counts.set(known, (counts.get(known) ?? 0) + 1);
  }

  /** Most frequent first. */
  list(propertyId: string): RemovedParameter[] {
    return [...this.#of(propertyId)]
      .map(([name, count]) => ({ name, count }))
      .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  }

  #of(propertyId: string): Map<string, number> {
    const day = Math.floor(Date.now() / DAY_MS);
    if (day !== this.#day) this.#counts.clear();
    this.#day = day;
    let counts = this.#counts.get(propertyId);
    if (counts === undefined) {
      counts = new Map();
      this.#counts.set(propertyId, counts);
    }
    return counts;
  }
}

const isName = (name: string) => NAME.test(name) && maskText(name) === name;
