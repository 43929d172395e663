import type { ResultsBreakdown } from '@switchyard/core/api/results';
import { type ComparisonSettings, compareGoals } from '@switchyard/core/stats/report/goal-comparison';
import { variationCounts } from '@switchyard/core/stats/report/report-counts';
import type { SplitTestCounts, VisitorGroup } from '../../storage/event-store.ts';
import { goalMembers, metricResponse } from './report-response.ts';
import { type ReportScope, reportInput } from './report-scope.ts';

const WARNING =
  'Exploratory: with many segments, some differ by chance alone. Treat a difference found here as an idea for the next test, not as a result of this one.';

type Segment = ResultsBreakdown['segments'][number];

/** The comparison for each segment: the largest first, then all others combined, then unknown. */
export function breakdownResponse(
  scope: ReportScope,
  by: string,
  counts: SplitTestCounts,
  asOf: number,
  includeBots: boolean,
  settings: ComparisonSettings,
): ResultsBreakdown {
  const segments = [...groupsBySegment(counts)].map(([, groups]): Segment & { visitors: number } => {
    const input = reportInput(scope, { groups, exposures: [] }, asOf, includeBots);
    const variations = variationCounts(input, () => true);
    return {
      value: groups[0]!.segment,
      other: groups[0]!.other,
      visitors: variations.reduce((sum, { visitors }) => sum + visitors, 0),
      variations: variations.map(({ key, visitors }) => ({ key, visitors })),
      goals: compareGoals(settings, variations, 'all').map(({ goal, metrics }) => ({
        ...goalMembers(goal),
        metrics: metrics.map(metricResponse),
      })),
    };
  });
  const rank = ({ value, other }: Segment) => (value !== null ? 0 : other ? 1 : 2);
  return {
    by,
    warning: WARNING,
    segments: segments
      .filter(({ visitors }) => visitors > 0)
      .sort((a, b) => rank(a) - rank(b) || b.visitors - a.visitors || (a.value! < b.value! ? -1 : 1))
      .map(({ visitors: _visitors, ...segment }) => segment),
  };
}

function groupsBySegment({ groups }: SplitTestCounts): Map<string | boolean, VisitorGroup[]> {
  const segments = new Map<string | boolean, VisitorGroup[]>();
  for (const group of groups) {
    const name = group.segment ?? group.other;
    const existing = segments.get(name);
    if (existing) existing.push(group);
    else segments.set(name, [group]);
  }
  return segments;
}
