import type { PlanResponse } from '@switchyard/core/api/test-plan';
import { meanArm, proportionArm } from '@switchyard/core/stats/arm';
import { measuresOf } from '@switchyard/core/stats/metrics/metric-measures';
import { metricBaseline } from '@switchyard/core/stats/metrics/metric-plan';
import type { Baseline } from '@switchyard/core/stats/planner';
import type { ReportMetric } from '@switchyard/core/stats/report/report-input';
import { DAY_MS } from '@switchyard/core/time';
import type {
  Goal,
  Metric,
  PropertyConfiguration,
} from '../../../configuration/property/property-configuration.ts';
import { reportMetric } from '../../../configuration/property/report-metric.ts';
import type { EventQueries, GoalBaseline } from '../../../events/store/event-store.ts';
import type { MetricBaseline, MetricSums, MetricTerm } from '../../../events/store/metric-queries.ts';
import { metricTerm, windowOf } from '../metric-terms.ts';

/** A goal or a metric that a test may be measured by. */
export type PlannedOutcome =
  | { readonly kind: 'goal'; readonly id: string; readonly name: string; readonly goal: Goal }
  | {
      readonly kind: 'metric';
      readonly id: string;
      readonly name: string;
      readonly term: MetricTerm;
      readonly definition: ReportMetric;
    };

export const plannedGoal = (goal: Goal): PlannedOutcome => ({
  kind: 'goal',
  id: goal.id,
  name: goal.name,
  goal,
});

export const plannedMetric = (
  metric: Metric,
  property: Pick<PropertyConfiguration, 'goals'>,
): PlannedOutcome & { kind: 'metric' } => ({
  kind: 'metric',
  id: metric.id,
  name: metric.name,
  term: metricTerm(metric),
  definition: reportMetric(metric, property),
});

/** What recent visitors say about an outcome. */
export interface OutcomeBaseline {
  /** Days in which its visitors came, with or without a complete window. */
  readonly days: number;
  /** Who is evaluated. */
  readonly visitors: number;
  /** Whose window is not over. */
  readonly pending: number;
  /** With a value above 0. */
  readonly reached: number;
  /** How it is measured, as in results. */
  readonly measure: PlanResponse['metric'];
  readonly isShare: boolean;
  readonly mean: number | null;
  /** Of the value of one of `visitors`. */
  readonly variance: number | null;
  /** For the planner; null without data. */
  readonly baseline: Baseline | null;
  /** Of a metric. */
  readonly counts?: MetricBaseline;
}

interface Period {
  readonly propertyId: string;
  readonly from: number;
  readonly to: number;
}

export async function outcomeBaseline(
  store: Pick<EventQueries, 'goalBaseline' | 'metricBaseline'>,
  outcome: PlannedOutcome,
  period: Period,
  signal?: AbortSignal,
): Promise<OutcomeBaseline> {
  if (outcome.kind === 'goal') {
    const { id: goalId, kind } = outcome.goal;
    const isRevenue = kind === 'revenue';
    const recent = await store.goalBaseline({ ...period, goalId, isRevenue }, signal);
    return goalBaseline(outcome.goal, recent, daysOf(period));
  }
  const { definition, term } = outcome;
  // As many days of visitors whose windows are over as of those of a goal.
  const followed = { ...period, from: period.from - (windowOf(term) ?? 0) };
  const counts = await store.metricBaseline({ ...followed, metric: term }, signal);
  const all = 'values' in counts ? await visitorsOf(store, term, followed, signal) : counts;
  return measuredBaseline(definition, counts, all, daysOf(followed));
}

/** A quantile is of visitors with values: how many there are without any is asked for separately. */
async function visitorsOf(
  store: Pick<EventQueries, 'metricBaseline'>,
  term: MetricTerm,
  period: Period,
  signal: AbortSignal | undefined,
): Promise<Pick<MetricSums, 'visitors' | 'pending'>> {
  const metric: MetricTerm = {
    metricId: term.metricId,
    kind: 'mean',
    value: { path: null },
    withinMs: windowOf(term),
    cap: null,
  };
  const counts = await store.metricBaseline({ ...period, metric }, signal);
  return { visitors: counts.visitors, pending: 'pending' in counts ? counts.pending : 0 };
}

const daysOf = ({ from, to }: Period) => (to - from) / DAY_MS;

function goalBaseline(goal: Goal, recent: GoalBaseline, days: number): OutcomeBaseline {
  const isShare = goal.kind === 'count';
  const { mean, variance } = isShare
    ? proportionArm({ n: recent.visitors, sum: recent.converted })
    : meanArm({ n: recent.visitors, ...recent.amount });
  return {
    days,
    visitors: recent.visitors,
    pending: 0,
    reached: recent.converted,
    measure: isShare ? 'conversion-rate' : 'revenue-per-visitor',
    isShare,
    mean,
    variance,
    baseline:
      mean === null || variance === null
        ? null
        : isShare
          ? { metric: 'proportion', rate: mean }
          : { metric: 'mean', mean, variance },
  };
}

function measuredBaseline(
  definition: ReportMetric,
  counts: MetricBaseline,
  all: Pick<MetricSums, 'visitors' | 'pending'>,
  days: number,
): OutcomeBaseline {
  const [measure] = measuresOf(definition);
  const metricId = '';
  const of = { metricId, variationKey: '' };
  const { value, baseline } = metricBaseline({
    definition,
    groups: 'values' in counts ? [] : [{ ...counts, ...of, returning: false, bot: false }],
    quantile: 'values' in counts ? { ...counts, ...of, includeBots: false, pending: all.pending } : null,
    visitors: all.visitors + all.pending,
  });
  return {
    days,
    visitors: all.visitors,
    pending: all.pending,
    reached: 'values' in counts ? counts.visitors : counts.reached,
    measure: measure.name,
    isShare: measure.metric === 'proportion',
    mean: value,
    variance: varianceOf(baseline),
    baseline,
    counts,
  };
}

function varianceOf(baseline: Baseline | null): number | null {
  if (baseline === null) return null;
  return baseline.metric === 'proportion' ? baseline.rate * (1 - baseline.rate) : baseline.variance;
}
