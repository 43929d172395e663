import { meanArm, ratioArm } from '../arm.ts';
import { type Baseline, detectableEffect, type Plan, type PlanInput, planTest } from '../planner.ts';
import type { ReportMetric, ReportMetricGroup, ReportQuantile } from '../report/report-input.ts';
import { MIN_EVIDENCE, visitorsForQuantile } from './metric-arms.ts';
import { type MetricCounts, metricCounts } from './metric-counts.ts';
import { measuresOf } from './metric-measures.ts';

/** A metric before a test, of the visitors of some time. */
export interface MetricHistory {
  readonly definition: ReportMetric;
  /** Without crawlers. */
  readonly groups: readonly ReportMetricGroup[];
  /** Only of a quantile. */
  readonly quantile: ReportQuantile | null;
  /** All visitors of that time. */
  readonly visitors: number;
}

export interface MetricBaseline {
  /** The value of the measure that decides; null without data. */
  readonly value: number | null;
  /** Visitors whose window was over: their number finds an effect, whether they have values or not. */
  readonly visitors: number;
  readonly pending: number;
  /** What a test can be planned with; null with too little data. */
  readonly baseline: Baseline | null;
}

/** What a metric was before a test. */
export function metricBaseline({ definition, groups, quantile, visitors }: MetricHistory): MetricBaseline {
  const key = 'all';
  const id = 'metric';
  const asOne = { metricId: id, variationKey: key };
  const goal = { id, name: id, lowerIsBetter: false, role: 'primary', kind: 'metric', metricId: id } as const;
  const counts = metricCounts(
    {
      variations: [{ key, weight: 1 }],
      goals: [{ ...goal, definition }],
      includeBots: false,
      metrics: {
        groups: groups.map((group) => ({ ...group, ...asOne })),
        quantiles: quantile === null ? [] : [{ ...quantile, ...asOne, includeBots: false }],
      },
    },
    [{ visitors }],
  );
  const [own] = counts.get(id)!;
  const { armsOf } = measuresOf(definition)[0];
  const value = armsOf(counts.get(id)!)[0]!.mean;
  return {
    value,
    visitors: own!.complete,
    pending: own!.pending,
    baseline: value === null ? null : baselineOf(definition, own!, own!.complete, value),
  };
}

function baselineOf(
  definition: ReportMetric,
  counts: MetricCounts & { readonly quantile: { readonly standardError: number | null } | null },
  complete: number,
  value: number,
): Baseline | null {
  const { metric } = measuresOf(definition)[0];
  if (counts.quantile !== null) {
    const { standardError } = counts.quantile;
    const isEnough = counts.visitors >= visitorsForQuantile(definition.quantile ?? 0.5);
    if (standardError === null || !isEnough) return null;
    // Per visitor, whether they have values or not, because those are the ones who enter a test.
    return { metric: 'mean', mean: value, variance: complete * standardError ** 2 };
  }
  if (metric === 'proportion') return { metric, rate: value };
  if (counts.reached < MIN_EVIDENCE) return null;
  const { visitors: n, denominator, product } = counts;
  const { variance } =
    metric === 'mean'
      ? meanArm({ n, ...counts.value })
      : ratioArm({
          n,
          ...counts.value,
          denominatorSum: denominator.sum,
          denominatorSumSquares: denominator.sumSquares,
          product,
        });
  return variance === null ? null : { metric, mean: value, variance };
}

interface MetricPlanInput extends PlanInput {
  /** The window of the metric. */
  readonly withinDays: number | null;
}

/** Like `planTest`; the test goes on until the window of its last visitor is over. */
export function planForMetric({ withinDays, ...input }: MetricPlanInput): Plan | null {
  const plan = planTest(input);
  return plan && { ...plan, days: plan.days === null ? null : plan.days + (withinDays ?? 0) };
}

/** The smallest relative change that can be found after some days: by visitors whose window is over by then. */
export function detectableForMetric(
  { withinDays, dailyVisitors = 0, ...input }: Omit<MetricPlanInput, 'smallestEffect'>,
  days: number,
): number | null {
  const visitors = Math.max(0, days - (withinDays ?? 0)) * dailyVisitors;
  return visitors > 0 ? detectableEffect(input, visitors) : null;
}
