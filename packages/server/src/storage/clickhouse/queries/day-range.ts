import { DAY_MS } from '@switchyard/core/time';
import type { DayRange } from '../../split-test-queries.ts';
import type { SqlValues } from '../client/sql-values.ts';

/** SQL for the day of the range that a time belongs to. */
export function dayIn(values: SqlValues, { from, to, step }: DayRange, time: string): string {
  const [first, last, length] = [from, to, step * DAY_MS].map((value) => values.integer(value));
  const day = `least(intDiv(${time}, ${DAY_MS}) * ${DAY_MS}, ${last})`;
  return `if(${time} < ${first}, ${first} - ${DAY_MS}, ${last} - intDiv(${last} - ${day}, ${length}) * ${length})`;
}
