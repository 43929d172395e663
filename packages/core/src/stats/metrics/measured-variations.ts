import type { MetricGoal } from '../report/report-input.ts';
import type { VariationMetricCounts } from './metric-counts.ts';

/** What was counted of a metric in one variation; only what its kind has. */
export interface MeasuredVariation {
  readonly key: string;
  /** Whose window is over; of a quantile: with at least one value. */
  readonly visitors: number;
  readonly pending: number;
  readonly reached?: number;
  readonly sum?: number;
  readonly sumSquares?: number;
  readonly denominatorSum?: number;
  readonly denominatorSumSquares?: number;
  readonly product?: number;
  readonly steps?: readonly { readonly name: string; readonly visitors: number }[];
  readonly values?: number;
  readonly value?: number | null;
  readonly standardError?: number | null;
}

/** In the order of the variations. */
export function measuredVariations(
  { definition }: MetricGoal,
  counts: readonly VariationMetricCounts[],
): MeasuredVariation[] {
  const { kind, of, steps = [] } = definition;
  const isRatio = kind === 'ratio' || of === 'bounce';
  return counts.map((own) => ({
    key: own.key,
    visitors: own.visitors,
    pending: own.pending,
    ...(own.quantile === null
      ? { reached: own.reached, sum: own.value.sum, sumSquares: own.value.sumSquares }
      : own.quantile),
    ...(isRatio && {
      denominatorSum: own.denominator.sum,
      denominatorSumSquares: own.denominator.sumSquares,
      product: own.product,
    }),
    ...(kind === 'funnel' && {
      steps: steps.map((name, index) => ({ name, visitors: own.steps[index] ?? 0 })),
    }),
  }));
}
