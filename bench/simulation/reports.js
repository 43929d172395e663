import { DEFAULT_STATISTICS } from '../../packages/core/dist/api/statistics.js';
import { buildReport } from '../../packages/core/dist/stats/report/report.js';
import { noGoalSums } from '../../packages/core/dist/stats/report/report-counts.js';

export const DAY_MS = 86_400_000;
export const START = Date.UTC(2026, 0, 5);

export const goalOf = (id, role) => ({ id, role, name: id, kind: 'count', lowerIsBetter: false });

/** Visitors of a variation. `converted` has a number of converted visitors for each goal. */
export function rateGroup(variationKey, visitors, converted) {
  return {
    variationKey,
    bot: false,
    early: false,
    visitors,
    goals: Object.entries(converted).map(([goalId, count]) => {
      const none = noGoalSums(goalId);
      return {
        ...none,
        converted: count,
        conversions: { ...none.conversions, sum: count, sumSquares: count },
      };
    }),
  };
}

/** The report of a test after some days. `settings` are the members of its input that matter. */
export const reportOf = (settings) => buildReport(reportInputOf(settings));

export function reportInputOf({ keys, days, statistics, ...settings }) {
  return {
    variations: keys.map((key) => ({ key, weight: 1 })),
    statistics: { ...DEFAULT_STATISTICS, ...statistics },
    smallestEffect: null,
    plannedVisitors: null,
    includeBots: false,
    exposures: [],
    startedAt: START,
    endedAt: null,
    asOf: START + days * DAY_MS,
    ...settings,
  };
}
