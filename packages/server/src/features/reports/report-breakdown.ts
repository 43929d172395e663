import type { ResultsBreakdown } from '@switchyard/core/api/results';
import { buildReport } from '@switchyard/core/stats/report/report';
import type { SplitTestCounts } from '../../storage/event-store.ts';
import { goalMembers, metricResponse } from './report-response.ts';
import { type ReportScope, reportInput } from './report-scope.ts';

/** Segments beyond these are too small to say anything. */
const MAX_SEGMENTS = 50;

const WARNING =
  'Exploratory: with many segments some differ by chance alone. Take a difference found here as an idea for the next test, not as a result of this one.';

/** The same comparison for each segment alone, the largest first. */
export function breakdownResponse(
  scope: ReportScope,
  by: string,
  counts: SplitTestCounts,
  asOf: number,
  includeBots: boolean,
): ResultsBreakdown {
  const values = [...new Set(counts.groups.map(({ segment }) => segment))];
  const segments = values.map((value) => {
    const groups = counts.groups.filter(({ segment }) => segment === value);
    const { variations, goals } = buildReport(reportInput(scope, { ...counts, groups }, asOf, includeBots));
    return {
      value,
      variations: variations.map(({ key, visitors }) => ({ key, visitors })),
      goals: goals.map(({ goal, metrics }) => ({
        ...goalMembers(goal),
        metrics: metrics.map(metricResponse),
      })),
    };
  });
  const sizeOf = ({ variations }: (typeof segments)[number]) =>
    variations.reduce((sum, { visitors }) => sum + visitors, 0);
  return {
    by,
    warning: WARNING,
    segments: segments
      .filter((segment) => sizeOf(segment) > 0)
      .sort((a, b) => sizeOf(b) - sizeOf(a) || ((a.value ?? '') < (b.value ?? '') ? -1 : 1))
      .slice(0, MAX_SEGMENTS),
  };
}
