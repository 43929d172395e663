import { DAY_MS } from '../../time.ts';
import type { Traffic } from './forecast.ts';
import type { ReportInput } from './report-input.ts';

/** Recent traffic is used to predict the traffic of the next days. */
const RECENT_DAYS = 7;
/** Traffic is never known better than this, because it changes with seasons and campaigns. */
const MIN_UNCERTAINTY = 0.1;
/** The spread of the days is not known from fewer. */
const MIN_DAYS = 3;
const UNKNOWN_UNCERTAINTY = 0.3;

/** New visitors per day: in proportion to the exposures of an average day of the last week, starting at midnight. */
export function trafficOf(input: ReportInput, visitors: number): Traffic {
  const midnight = Math.floor((input.asOf - RECENT_DAYS * DAY_MS) / DAY_MS) * DAY_MS;
  const since = Math.max(midnight, input.startedAt);
  const days = Math.max(1, (input.asOf - since) / DAY_MS);
  const byDay = new Map<number, number>();
  let all = 0;
  for (const { at, exposures } of input.exposures) {
    all += exposures;
    if (at >= midnight) byDay.set(at, (byDay.get(at) ?? 0) + exposures);
  }
  const recent = [...byDay.values()].reduce((sum, exposures) => sum + exposures, 0);
  const fullDays = [...byDay].flatMap(([at, exposures]) =>
    at >= since && at + DAY_MS <= input.asOf ? [exposures] : [],
  );
  return {
    dailyVisitors: all === 0 ? 0 : (visitors * recent) / all / days,
    uncertainty: uncertaintyOf(fullDays),
  };
}

/** The standard error of the mean of the days, relative to it. */
function uncertaintyOf(days: readonly number[]): number {
  if (days.length < MIN_DAYS) return UNKNOWN_UNCERTAINTY;
  const mean = days.reduce((sum, day) => sum + day, 0) / days.length;
  const variance = days.reduce((sum, day) => sum + (day - mean) ** 2, 0) / (days.length - 1);
  return Math.max(MIN_UNCERTAINTY, Math.sqrt(variance / days.length) / mean);
}
