/** The value that a flag returned last, and since when it has returned no other. */
export interface LatestValue {
  value: string;
  since: number;
  lastAt: number;
}

interface SeenValue {
  value: string;
  /** The last time. */
  at: number;
}

/** The latest value after further evaluations, which may be reported late. */
export function latestValue(previous: LatestValue | undefined, seen: readonly SeenValue[]): LatestValue {
  const all = previous === undefined ? seen : [{ value: previous.value, at: previous.lastAt }, ...seen];
  const latest = all.reduce((last, it) => (it.at > last.at ? it : last));
  const others = all.filter(({ value }) => value !== latest.value).map(({ at }) => at);
  const first = Math.min(...all.map(({ at }) => at));
  const known = previous === undefined ? first : previous.value === latest.value ? previous.since : 0;
  return { value: latest.value, since: Math.max(known, ...others), lastAt: latest.at };
}
