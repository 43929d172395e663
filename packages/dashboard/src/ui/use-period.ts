import { useEffect, useMemo, useState } from 'react';
import { useUrlState } from './use-url-state.ts';

const DAY = 86_400_000;
/** The end of a period that lasts until now moves in steps, so that queries keep their key meanwhile. */
const STEP = 60_000;

export const PERIODS = {
  today: 'Today',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
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
}

const URL_DEFAULTS = { period: '30d', from: '', to: '' } as const;

/** The period of a page, from the URL. Days are those of the browser. */
export function usePeriod(): [Period, (name: PeriodName, from?: string, to?: string) => void] {
  const [url, change] = useUrlState(URL_DEFAULTS);
  const now = useSteppedNow();
  const period = useMemo(() => periodOf(url, now), [url, now]);
  const choose = (name: PeriodName, from?: string, to?: string) => change({ period: name, from, to });
  return [period, choose];
}

function useSteppedNow(): number {
  const [now, setNow] = useState(currentStep);
  useEffect(() => {
    // Figures are not computed again while nobody looks at them.
    const update = () => document.hidden || setNow(currentStep());
    const timer = setInterval(update, STEP);
    document.addEventListener('visibilitychange', update);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', update);
    };
  }, []);
  return now;
}

const currentStep = () => Math.ceil(Date.now() / STEP) * STEP;

function periodOf(url: Record<keyof typeof URL_DEFAULTS, string>, now: number): Period {
  const name: PeriodName = url.period in PERIODS ? (url.period as PeriodName) : '30d';
  const label = PERIODS[name];
  if (name === 'custom') {
    const from = new Date(`${url.from}T00:00`).getTime();
    const to = new Date(`${url.to}T00:00`).getTime() + DAY;
    if (from < to) {
      return { name, from, to: Math.min(to, now), isUntilNow: to > now, label: `${url.from} to ${url.to}` };
    }
    return periodOf({ ...url, period: '30d' }, now);
  }
  return { name, from: startOf(name, now), to: now, isUntilNow: true, label };
}

function startOf(name: Exclude<PeriodName, 'custom'>, now: number): number {
  if (name === '24h') return now - DAY;
  const days = { today: 1, '7d': 7, '30d': 30, '90d': 90, '12m': 365 }[name];
  const midnight = new Date(now - 1);
  midnight.setHours(0, 0, 0, 0);
  midnight.setDate(midnight.getDate() - (days - 1));
  return midnight.getTime();
}
