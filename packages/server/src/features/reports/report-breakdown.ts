import type { ResultsBreakdown } from '@switchyard/core/api/results';
import {
  type ComparisonSettings,
  compareGoals,
  type GoalComparison,
} from '@switchyard/core/stats/report/goal-comparison';
import { variationCounts } from '@switchyard/core/stats/report/report-counts';
import { differingSegments } from '@switchyard/core/stats/report/segment-effects';
import { describeSegments, METRIC_SEGMENTS_WORDS } from '@switchyard/core/stats/words/segment-words';
import type { SplitTestCounts, VisitorGroup } from '../../events/store/split-test-queries.ts';
import { goalMembers, metricResponse } from './report-response.ts';
import { type ReportScope, reportInput } from './report-scope.ts';

type Segment = ResultsBreakdown['segments'][number];

interface ComparedSegment extends Segment {
  visitors: number;
  primary: GoalComparison | undefined;
}

/** The comparison for each segment: the largest first, then all others combined, then unknown. */
export function breakdownResponse(
  scope: ReportScope,
  by: string,
  counts: SplitTestCounts,
  asOf: number,
  includeBots: boolean,
  settings: ComparisonSettings,
): ResultsBreakdown {
  const segments = [...groupsBySegment(counts).values()]
    .map((groups) => comparedSegment(scope, groups, asOf, includeBots, settings))
    .filter(({ visitors }) => visitors > 0)
    .sort(bySize);
  const differences = differingSegments(
    segments.map(({ primary }) => primary),
    scope.statistics.alpha,
  ).map(({ segment, ...difference }) => ({
    value: segments[segment]!.value,
    other: segments[segment]!.other,
    ...difference,
  }));
  return {
    by,
    words: isMeasured(scope)
      ? METRIC_SEGMENTS_WORDS
      : describeSegments(
          differences.map((it) => ({
            ...it,
            segment: 0,
            name: it.value ?? (it.other ? 'other' : 'unknown'),
          })),
          segments.length,
        ),
    differences,
    segments: segments.map(({ visitors: _visitors, primary: _primary, ...segment }) => segment),
  };
}

const isMeasured = ({ goals }: ReportScope) =>
  goals.some(({ role, kind }) => role === 'primary' && kind === 'metric');

function comparedSegment(
  scope: ReportScope,
  groups: VisitorGroup[],
  asOf: number,
  includeBots: boolean,
  settings: ComparisonSettings,
): ComparedSegment {
  // Visitors are split by the segment, and not by what they would be stratified by.
  const plain = groups.map((group) => ({ ...group, segment: null, other: false }));
  const input = reportInput(scope, { groups: plain, exposures: [] }, asOf, includeBots);
  const variations = variationCounts(input);
  const goals = compareGoals(settings, variations, 'all');
  return {
    value: groups[0]!.segment,
    other: groups[0]!.other,
    visitors: variations.reduce((sum, { visitors }) => sum + visitors, 0),
    variations: variations.map(({ key, visitors }) => ({ key, visitors })),
    goals: goals.map(({ goal, metrics }) => ({
      ...goalMembers(goal),
      metrics: metrics.map(metricResponse),
    })),
    primary: goals.find(({ goal }) => goal.role === 'primary'),
  };
}

const rankOf = ({ value, other }: Segment) => (value !== null ? 0 : other ? 1 : 2);

const bySize = (a: ComparedSegment, b: ComparedSegment) =>
  rankOf(a) - rankOf(b) || b.visitors - a.visitors || (a.value! < b.value! ? -1 : 1);

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
