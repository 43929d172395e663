import type { ResultsSeries } from '@switchyard/core/api/results';
import { type ComparisonSettings, compareGoals } from '@switchyard/core/stats/report/goal-comparison';
import {
  addGoalSums,
  noGoalSums,
  noVariationCounts,
  totalVisitors,
} from '@switchyard/core/stats/report/report-counts';
import type { ReportGoalSums } from '@switchyard/core/stats/report/report-input';
import { DAY_MS } from '@switchyard/core/time';
import { timeZone } from '@switchyard/core/time-zone';
import type { DayRange, GoalDay, SplitTestSeries } from '../../events/store/split-test-queries.ts';
import { goalMembers, metricResponse } from './report-response.ts';
import type { ReportScope } from './report-scope.ts';

interface Point {
  visitors: SplitTestSeries['visitors'];
  goals: GoalDay[];
}

/** For each point: the change since the previous one, and the cumulative result at the end of the day. */
export function seriesResponse(
  scope: ReportScope,
  days: DayRange,
  series: SplitTestSeries,
  includeBots: boolean,
  settings: ComparisonSettings,
): ResultsSeries {
  const points = pointsOf(series, includeBots);
  const totals = noVariationCounts(scope);
  const response: ResultsSeries = [];
  const zone = timeZone(days.timeZone ?? 'UTC');
  for (const at of timesOf(points, days)) {
    const point = points.get(at) ?? { visitors: [], goals: [] };
    const added = noVariationCounts(scope);
    for (const counts of [totals, added]) add(counts, point);
    // Everything before the first day only adds to the totals.
    if (at < days.from) continue;
    response.push({
      at: zone.instant(at),
      variations: scope.variations.map(({ key }) => ({
        key,
        newVisitors: added.get(key)!.visitors,
        visitors: totals.get(key)!.visitors,
      })),
      // A plan is reached day by day.
      goals: compareGoals(
        { ...settings, visitors: totalVisitors([...totals.values()]) },
        [...totals.values()],
        'deciding',
      ).map(({ goal, metrics }) => ({
        ...goalMembers(goal),
        days: scope.variations.map(({ key }) => dayResponse(key, added.get(key)!.goals.get(goal.id))),
        cumulative: metricResponse(metrics[0]!),
      })),
    });
  }
  return response;
}

function pointsOf({ visitors, goals }: SplitTestSeries, includeBots: boolean): Map<number, Point> {
  const points = new Map<number, Point>();
  const at = (time: number): Point => {
    const point = points.get(time) ?? { visitors: [], goals: [] };
    points.set(time, point);
    return point;
  };
  for (const it of visitors) if (includeBots || !it.bot) at(it.at).visitors.push(it);
  for (const it of goals) if (includeBots || !it.bot) at(it.at).goals.push(it);
  return points;
}

/** From the first point with data to the last, without gaps, so that days without data show. */
function timesOf(points: ReadonlyMap<number, Point>, { from, to, step }: DayRange): number[] {
  if (points.size === 0) return [];
  const [first, last] = [Math.min(...points.keys()), Math.max(...points.keys())];
  const stepMs = step * DAY_MS;
  const earliest = to - Math.floor((to - from) / stepMs) * stepMs;
  const start = Math.max(first, earliest);
  const count = Math.max(0, Math.floor((last - start) / stepMs)) + 1;
  const times = Array.from({ length: count }, (_, index) => start + index * stepMs);
  return first < from ? [first, ...times] : times;
}

function add(counts: ReturnType<typeof noVariationCounts>, { visitors, goals }: Point): void {
  for (const { variationKey, visitors: more } of visitors) counts.get(variationKey)!.visitors += more;
  for (const day of goals) {
    const { goals: sums } = counts.get(day.variationKey)!;
    sums.set(day.goalId, addGoalSums(sums.get(day.goalId), sumsOf(day)));
  }
}

function sumsOf({ goalId, converted, conversions, amount }: GoalDay): ReportGoalSums {
  const none = noGoalSums(goalId);
  return {
    ...none,
    converted,
    conversions: { ...none.conversions, ...conversions },
    amount: { ...none.amount, ...amount },
  };
}

const dayResponse = (key: string, sums: ReportGoalSums | undefined) => ({
  key,
  converted: sums?.converted ?? 0,
  conversions: sums?.conversions.sum ?? 0,
  amount: sums?.amount.sum ?? 0,
});
