import { DAY_MS } from '@switchyard/core/time';
import { localTime } from '../../store/local-time.ts';
import type { DayRange } from '../../store/split-test-queries.ts';

/** SQL for the day of the range that a time belongs to. */
export function dayIn(days: DayRange, happenedAt: string): string {
  const { from, to, step } = days;
  const time = localTime(days, happenedAt);
  const day = `least((${time} // ${DAY_MS}) * ${DAY_MS}, ${to})`;
  const label = step === 1 ? day : `${to} - ((${to} - ${day}) // ${step * DAY_MS}) * ${step * DAY_MS}`;
  return `(CASE WHEN ${time} < ${from} THEN ${from - DAY_MS} ELSE ${label} END)`;
}
