import type { ResultsSeries } from '@switchyard/core/api/results';
import { buildReport } from '@switchyard/core/stats/report/report';
import { noGoalSums } from '@switchyard/core/stats/report/report-counts';
import type { ReportGoalSums, ReportGroup } from '@switchyard/core/stats/report/report-input';
import { DAY_MS } from '@switchyard/core/time';
import type { GoalDay, SplitTestSeries } from '../../storage/event-store.ts';
import { goalMembers, metricResponse } from './report-response.ts';
import { type ReportScope, reportInput } from './report-scope.ts';

/** A test that runs longer is shown by its last days; the running totals still begin at its start. */
const MAX_DAYS = 366;

/** Day by day: what was added, and the result as it stood at the end of the day. */
export function seriesResponse(
  scope: ReportScope,
  series: SplitTestSeries,
  includeBots: boolean,
): ResultsSeries {
  const isCounted = ({ bot }: { bot: boolean }) => includeBots || !bot;
  const visitors = series.visitors.filter(isCounted);
  const goals = series.goals.filter(isCounted);
  const days = daysOf([...visitors, ...goals].map(({ at }) => at));
  return days.slice(-MAX_DAYS).map((at) => {
    const groups = groupsUntil(at, visitors, goals);
    const report = buildReport(
      reportInput(scope, { groups, exposures: [], firstExposureAt: days[0]! }, at + DAY_MS, true),
    );
    return {
      at,
      variations: report.variations.map(({ key, visitors: total }) => ({
        key,
        newVisitors: sum(
          visitors.filter((it) => it.at === at && it.variationKey === key),
          (it) => it.visitors,
        ),
        visitors: total,
      })),
      goals: report.goals.map(({ goal, metrics }) => ({
        ...goalMembers(goal),
        days: report.variations.map(({ key }) =>
          dayOf(
            key,
            goals.filter((it) => it.at === at && it.variationKey === key && it.goalId === goal.id),
          ),
        ),
        cumulative: metricResponse(metrics.find(({ decides }) => decides)!),
      })),
    };
  });
}

/** Without gaps, so that a silent day shows. */
function daysOf(times: readonly number[]): number[] {
  if (times.length === 0) return [];
  const first = times.reduce((least, at) => Math.min(least, at));
  const last = times.reduce((most, at) => Math.max(most, at));
  return Array.from({ length: (last - first) / DAY_MS + 1 }, (_, index) => first + index * DAY_MS);
}

function sum<T>(list: readonly T[], pick: (it: T) => number): number {
  return list.reduce((total, it) => total + pick(it), 0);
}

function dayOf(key: string, goals: readonly GoalDay[]) {
  return {
    key,
    converted: sum(goals, (it) => it.converted),
    conversions: sum(goals, (it) => it.conversions.sum),
    amount: sum(goals, (it) => it.amount.sum),
  };
}

function groupsUntil(
  day: number,
  visitors: SplitTestSeries['visitors'],
  goals: readonly GoalDay[],
): ReportGroup[] {
  const keys = [...new Set(visitors.map(({ variationKey }) => variationKey))];
  return keys.map((variationKey) => {
    const reached = goals.filter((it) => it.at <= day && it.variationKey === variationKey);
    return {
      variationKey,
      bot: false,
      early: false,
      visitors: sum(
        visitors.filter((it) => it.at <= day && it.variationKey === variationKey),
        (it) => it.visitors,
      ),
      goals: [...new Set(reached.map(({ goalId }) => goalId))].map((goalId) =>
        sumsOf(
          goalId,
          reached.filter((it) => it.goalId === goalId),
        ),
      ),
    };
  });
}

function sumsOf(goalId: string, days: readonly GoalDay[]): ReportGoalSums {
  const none = noGoalSums(goalId);
  const total = (pick: (day: GoalDay) => { sum: number; sumSquares: number }) => ({
    ...none.amount,
    sum: sum(days, (day) => pick(day).sum),
    sumSquares: sum(days, (day) => pick(day).sumSquares),
  });
  return {
    ...none,
    converted: sum(days, (day) => day.converted),
    conversions: total((day) => day.conversions),
    amount: total((day) => day.amount),
  };
}
