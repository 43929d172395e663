import { useEffect, useMemo, useState } from 'react';
import { type Period, type PeriodName, periodOf } from '../fields/period-of.ts';
import { displayZone } from '../format/display-zone.ts';
import { useUrlState } from './use-url-state.ts';

/** The end of a period that lasts until now moves in steps, so that queries keep their key meanwhile. */
const STEP = 60_000;

const URL_DEFAULTS = { period: '30d', from: '', to: '' } as const;

/** The period of a page, from the URL. */
export function usePeriod(): [Period, (name: PeriodName, from?: string, to?: string) => void] {
  const [url, change] = useUrlState(URL_DEFAULTS);
  const now = useSteppedNow();
  const zone = displayZone();
  const period = useMemo(() => periodOf(url, now, zone), [url, now, zone]);
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
