import type { HoldoutReport } from '../../api/holdout.ts';
import type { StatisticsSettings } from '../../api/statistics.ts';
import { collectingOf } from './health.ts';
import type { GoalReport, Report } from './report.ts';

type GoalResult = GoalReport['metrics'][number]['variations'][number];

/** A goal with what was found. */
export interface ComparedGoal extends Pick<HoldoutReport['goals'][number], 'finding' | 'collecting'> {
  readonly report: GoalReport;
}

/** Too little data is judged as in a split test; beyond chance is a corrected p-value below alpha. */
export function comparedGoal(
  report: GoalReport,
  { variations }: Report,
  isHealthy: boolean,
  { alpha }: StatisticsSettings,
): ComparedGoal {
  const collecting = collectingOf({
    variations: variations.map(({ key, visitors, weight }, index) => ({
      key,
      visitors,
      weight,
      conversions: report.counts[index]!.converted,
    })),
    mixedVisitors: 0,
  });
  if (!isHealthy) return { report, collecting, finding: 'unhealthy' };
  if (collecting !== null) return { report, collecting, finding: 'collecting' };
  const { absolute, adjustedPValue } = decidingResult(report);
  if (absolute === null) return { report, collecting, finding: 'collecting' };
  const isProven = adjustedPValue !== null && adjustedPValue < alpha;
  if (!isProven || absolute.estimate === 0) return { report, collecting, finding: 'unclear' };
  const isBetter = absolute.estimate > 0 !== report.goal.lowerIsBetter;
  return { report, collecting, finding: isBetter ? 'better' : 'worse' };
}

/** Everybody else, compared with the visitors of the holdout. */
export const decidingResult = ({ metrics }: GoalReport): GoalResult =>
  metrics.find(({ decides }) => decides)!.variations[1]!;
