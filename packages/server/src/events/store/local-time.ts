import { DAY_MS } from '@switchyard/core/time';
import { timeZone } from '@switchyard/core/time-zone';
import type { DayRange } from './split-test-queries.ts';

/** SQL for what clocks showed at a time of these days, as if it were UTC. */
export function localTime({ from, to, timeZone: zone = 'UTC' }: DayRange, time: string): string {
  const spans = timeZone(zone).clockSpans(from - DAY_MS, to + 2 * DAY_MS);
  const local = spans.map(({ offset }) => (offset === 0 ? time : `(${time} + ${offset})`));
  if (local.length === 1) return local[0]!;
  const cases = spans.slice(1).map((next, index) => `WHEN ${time} < ${next.from} THEN ${local[index]}`);
  return `(CASE ${cases.join(' ')} ELSE ${local.at(-1)} END)`;
}
