import { DAY_MS } from '../../time.ts';
import type { Method } from '../analysis.ts';
import { distinctLooks, FINAL_LOOK, type Looks } from '../group-sequential/compare.ts';
import { isCounted } from './report-counts.ts';
import { exposuresByDay } from './report-days.ts';
import type { ReportInput } from './report-input.ts';

/** Boundaries for more looks take longer, and differ little. */
const MAX_LOOKS = 100;

/** Without a plan, there is no end over which errors could be spent. */
export function engineOf({
  statistics: { engine },
  plannedVisitors,
}: Pick<ReportInput, 'statistics' | 'plannedVisitors'>): Method {
  if (engine !== 'auto' && engine !== 'group-sequential') return engine;
  return plannedVisitors === null ? 'sequential' : 'group-sequential';
}

/** The looks at a test, and when they were. */
export interface DatedLooks extends Looks {
  /** End of the day of each look; ascending. */
  readonly times: readonly number[];
}

/**
 * One look per day, at midnight UTC, so that results stay valid if they are checked every day. Until a day is over, the
 * boundary of the day before applies, which is stricter. The last look is when the planned number of visitors is
 * reached or the test has ended.
 */
export function looksOf(input: ReportInput, visitors: number): DatedLooks {
  const { plannedVisitors, statistics } = input;
  if (plannedVisitors === null || visitors === 0) return { ...FINAL_LOOK, times: [input.asOf] };
  const days = thinOut(fullDays(input, visitors), MAX_LOOKS);
  const isLast = input.endedAt !== null || visitors >= plannedVisitors;
  const dated = isLast || days.length === 0 ? [...days, { time: input.asOf, visitors }] : days;
  const looks = distinctLooks(
    dated.map((day) => day.visitors),
    plannedVisitors,
  );
  return {
    fractions: looks.map(({ fraction }) => fraction),
    current: looks.length - 1,
    spending: statistics.spending,
    times: looks.map(({ index }) => dated[index]!.time),
  };
}

interface Day {
  readonly time: number;
  readonly visitors: number;
}

/** Visitors at the end of each full day, in proportion to the exposures until then. */
function fullDays(input: ReportInput, visitors: number): Day[] {
  const byDay = exposuresByDay(input.exposures.filter(isCounted(input)));
  const ordered = [...byDay].toSorted(([a], [b]) => a - b);
  const total = ordered.reduce((sum, [, number]) => sum + number, 0);
  if (total === 0) return [];
  let soFar = 0;
  const days = ordered.map(([at, number]) => {
    soFar += number;
    return { time: at + DAY_MS, visitors: (visitors * soFar) / total };
  });
  return days.filter(({ time }) => time <= input.asOf);
}

/** At most `max` of them, evenly, and always with the last. */
export function thinOut<T>(all: readonly T[], max: number): T[] {
  const step = Math.ceil(all.length / max);
  return all.filter((_, index) => (all.length - 1 - index) % step === 0);
}

/** The looks as they were at a time. */
export function looksUntil(looks: DatedLooks, time: number): Looks {
  const later = looks.times.findIndex((it) => it > time);
  const current = later === -1 ? looks.fractions.length - 1 : Math.max(0, later - 1);
  return { ...looks, current };
}
