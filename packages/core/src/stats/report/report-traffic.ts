import { DAY_MS } from '../../time.ts';
import type { Traffic } from './forecast-paths.ts';
import { isCounted } from './report-counts.ts';
import { exposuresByDay, isPausedOn } from './report-days.ts';
import type { ReportInput } from './report-input.ts';

/** Recent traffic is used to predict the traffic of the next days. */
const RECENT_DAYS = 7;
/** Traffic is never known better than this, because it changes with seasons and campaigns. */
const MIN_UNCERTAINTY = 0.1;
/** The spread of the days is not known from fewer. */
const MIN_DAYS = 3;
const UNKNOWN_UNCERTAINTY = 0.3;

interface Day {
  readonly exposures: number;
  /** The part of the day that is over. */
  readonly length: number;
}

/** New visitors per day, without those of retired variations: in proportion to the exposures of an average day of the last week, without pauses. */
export function trafficOf(input: ReportInput, visitors: number): Traffic {
  const active = new Set(input.variations.filter(({ retired }) => !retired).map(({ key }) => key));
  const counted = input.exposures
    .filter(isCounted(input))
    .filter(({ variationKey }) => active.has(variationKey));
  const byDay = exposuresByDay(counted);
  const all = [...byDay.values()].reduce((sum, exposures) => sum + exposures, 0);
  const days = recentDays(input, byDay);
  const recent = days.reduce((sum, { exposures }) => sum + exposures, 0);
  const duration = Math.max(
    1,
    days.reduce((sum, { length }) => sum + length, 0),
  );
  return {
    dailyVisitors: all === 0 ? 0 : (visitors * recent) / all / duration,
    uncertainty: uncertaintyOf(days.filter(({ length }) => length === 1).map((day) => day.exposures)),
  };
}

function recentDays({ startedAt, asOf, pauses }: ReportInput, byDay: ReadonlyMap<number, number>): Day[] {
  const midnight = (time: number) => Math.floor(time / DAY_MS) * DAY_MS;
  const days: Day[] = [];
  for (let day = midnight(asOf - RECENT_DAYS * DAY_MS); day < asOf; day += DAY_MS) {
    if (isPausedOn(day, pauses)) continue;
    const length = (Math.min(asOf, day + DAY_MS) - Math.max(startedAt, day)) / DAY_MS;
    const exposures = byDay.get(day) ?? 0;
    if (length > 0 || exposures > 0) days.push({ exposures, length: Math.max(0, length) });
  }
  return days;
}

/** The standard error of the mean of the days, relative to it. */
function uncertaintyOf(days: readonly number[]): number {
  const mean = days.reduce((sum, day) => sum + day, 0) / days.length;
  if (days.length < MIN_DAYS || mean === 0) return UNKNOWN_UNCERTAINTY;
  const variance = days.reduce((sum, day) => sum + (day - mean) ** 2, 0) / (days.length - 1);
  return Math.max(MIN_UNCERTAINTY, Math.sqrt(variance / days.length) / mean);
}
