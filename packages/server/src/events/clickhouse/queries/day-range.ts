import { DAY_MS } from '@switchyard/core/time';
import { localTime } from '../../store/local-time.ts';
import type { DayRange } from '../../store/split-test-queries.ts';
import type { SqlValues } from '../connection/sql-values.ts';

/** SQL for the day of the range that a time belongs to. */
export function dayIn(values: SqlValues, days: DayRange, happenedAt: string): string {
  const { from, to, step } = days;
  const time = localTime(days, happenedAt);
  const [first, last, length] = [from, to, step * DAY_MS].map((value) => values.integer(value));
  const day = `least(intDiv(${time}, ${DAY_MS}) * ${DAY_MS}, ${last})`;
  return `if(${time} < ${first}, ${first} - ${DAY_MS}, ${last} - intDiv(${last} - ${day}, ${length}) * ${length})`;
}
