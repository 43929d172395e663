import type { ComparedUnit } from './api/common.ts';
import { DAY_MS } from './time.ts';
import type { TimeZone } from './time-zone.ts';

/** From `from` (inclusive) to `to` (exclusive). */
interface Times {
  from: number;
  to: number;
}

export interface PreviousPeriod extends Times {
  /** The time in the previous period that a time of the period is compared with. */
  counterpart: (time: number) => number;
}

/**
 * The period that another one is compared with: like with like. A period that starts with a day is compared with as
 * many days before, until the same time of the day; any other with the time of the same length before it.
 */
export function previousPeriod(
  zone: TimeZone,
  { from, to }: Times,
  now: number,
  unit?: ComparedUnit,
): PreviousPeriod {
  if (unit === undefined && zone.startOf('day', from) !== from) {
    const length = to - from;
    return { from: from - length, to: from, counterpart: (time) => time - length };
  }
  const counterpart =
    unit === 'month' ? monthBefore(zone) : daysBefore(zone, daysOf(zone, { from, to }, unit));
  // What has not happened yet has no counterpart. The end is exclusive.
  const end = counterpart(Math.min(to, Math.max(now, from) + 1));
  return { from: counterpart(from), to: Math.min(end, from), counterpart };
}

const daysBefore = (zone: TimeZone, days: number) => (time: number) => zone.addDays(time, -days);

function daysOf(zone: TimeZone, { from, to }: Times, unit?: ComparedUnit): number {
  if (unit === 'week') return 7;
  const dayOf = (time: number) => Math.floor(zone.local(time) / DAY_MS);
  return dayOf(to - 1) - dayOf(from) + 1;
}

/** The same day and time of the month before; days that it does not have are over when it ends. */
const monthBefore = (zone: TimeZone) => (time: number) => {
  const date = new Date(zone.local(time));
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const first = Date.UTC(year, month);
  return zone.instant(Math.min(date.getTime() - first + Date.UTC(year, month - 1), first));
};
