import type { TimeZone } from '@switchyard/core/time-zone';

const DAY = 86_400_000;

export const PERIODS = {
  today: 'Today',
  '24h': 'Last 24 hours',
  week: 'This week',
  '7d': 'Last 7 days',
  month: 'This month',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  '12m': 'Last 12 months',
  custom: 'Custom',
} as const;
export type PeriodName = keyof typeof PERIODS;

export interface Period {
  name: PeriodName;
  /** Unix milliseconds, inclusive. */
  from: number;
  /** Exclusive. */
  to: number;
  /** The end moves with the time. */
  isUntilNow: boolean;
  label: string;
  /** What its previous period is the same part of; default: as many days before. */
  compare?: 'week' | 'month';
}

/** The period that a URL names. Days are those of the zone. */
export function periodOf(
  url: { period: string; from: string; to: string },
  now: number,
  zone: TimeZone,
): Period {
  const name: PeriodName = url.period in PERIODS ? (url.period as PeriodName) : '30d';
  const label = PERIODS[name];
  if (name === 'custom') {
    const [first, last] = [Date.parse(`${url.from}T00:00Z`), Date.parse(`${url.to}T00:00Z`)];
    if (!(first <= last)) return periodOf({ ...url, period: '30d' }, now, zone);
    const to = zone.instant(last + DAY);
    const limits = { from: zone.instant(first), to: Math.min(to, now) };
    if (limits.from >= limits.to) return periodOf({ ...url, period: '30d' }, now, zone);
    return { name, ...limits, isUntilNow: to > now, label: `${url.from} to ${url.to}` };
  }
  const until = { name, to: now, isUntilNow: true, label };
  // A period that is just over is shown until the next one has begun.
  if (name === 'week' || name === 'month') {
    return { ...until, from: zone.startOf(name, now - 1), compare: name };
  }
  if (name === '24h') return { ...until, from: now - DAY };
  const days = { today: 1, '7d': 7, '30d': 30, '90d': 90, '12m': 365 }[name];
  return { ...until, from: zone.addDays(zone.startOf('day', now - 1), 1 - days) };
}

/** The parts of a period that queries have. */
export const periodQuery = ({ from, to, compare }: Pick<Period, 'from' | 'to' | 'compare'>) => ({
  from,
  to,
  ...(compare && { compare }),
});
