import type { ComparedUnit } from '@switchyard/core/api/common';
import type { Interval } from '@switchyard/core/api/goals';
import { DAY_MS } from '@switchyard/core/time';
import { invalidField } from '../../platform/errors/errors.ts';

const DEFAULT_PERIOD_MS = 30 * DAY_MS;

/** From `from` (inclusive) to `to` (exclusive), in Unix milliseconds. */
export interface Period {
  from: number;
  to: number;
  interval: Interval;
  /** When it was requested. */
  now: number;
  compare?: ComparedUnit;
}

type PeriodQuery = Partial<Pick<Period, 'from' | 'to' | 'interval' | 'compare'>>;

/** The period of a query; default: the last 30 days. */
export function periodOf({ interval = 'day', compare, ...query }: PeriodQuery, now: number): Period {
  // The end is exclusive, and events acknowledged in this millisecond must count.
  const to = query.to ?? now + 1;
  const from = query.from ?? Math.max(0, to - DEFAULT_PERIOD_MS);
  if (from >= to) throw invalidField('/from', 'must be before `to`');
  return { from, to, interval, now, ...(compare && { compare }) };
}
