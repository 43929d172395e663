import type {
  MetricGoal,
  MetricValueSums,
  ReportInput,
  ReportMetricGroup,
  ReportMetrics,
  ReportQuantile,
} from '../report/report-input.ts';

/** What was counted of a metric, of the visitors of a variation or of one of its strata. */
export interface MetricCounts {
  readonly key: string;
  /** Those that the sums are of. Of a quantile: with at least one value. */
  readonly visitors: number;
  /** Whose window is not over. */
  readonly pending: number;
  readonly reached: number;
  readonly value: MetricValueSums;
  readonly denominator: MetricValueSums;
  readonly product: number;
  /** Of a funnel: visitors who reached each step. */
  readonly steps: readonly number[];
}

export interface VariationMetricCounts extends MetricCounts {
  readonly retired?: true;
  /** All visitors whose window is over, whether they have values or not. */
  readonly complete: number;
  /** New and returning visitors; all variations have the same strata. None for a quantile, which cannot be added up. */
  readonly strata: readonly MetricCounts[];
  /** Only of a quantile: the number of values, their quantile and its standard error. */
  readonly quantile: Pick<ReportQuantile, 'values' | 'value' | 'standardError'> | null;
}

/** By id of the goal, in the order of the variations. */
export type MetricCountsByGoal = ReadonlyMap<string, readonly VariationMetricCounts[]>;

type Counted = Pick<ReportInput, 'variations' | 'goals' | 'includeBots'> & {
  readonly metrics?: ReportMetrics | undefined;
};

/** @param visitors of each variation, in their order */
export function metricCounts(
  input: Counted,
  visitors: readonly { readonly visitors: number }[],
): MetricCountsByGoal {
  const goals = input.goals.filter((goal) => goal.kind === 'metric');
  return new Map(
    goals.map((goal) => [
      goal.id,
      goal.definition.kind === 'quantile' ? quantileCounts(input, goal, visitors) : summedCounts(input, goal),
    ]),
  );
}

function quantileCounts(
  { variations, metrics, includeBots }: Counted,
  { metricId }: MetricGoal,
  all: readonly { readonly visitors: number }[],
): VariationMetricCounts[] {
  const own = metrics?.quantiles.filter((it) => it.metricId === metricId && it.includeBots === includeBots);
  return variations.map(({ key, retired }, index) => {
    const estimate = own?.find(({ variationKey }) => variationKey === key);
    const { visitors = 0, pending = 0, values = 0, value = null, standardError = null } = estimate ?? {};
    return {
      ...noCounts(key),
      ...(retired && { retired: true as const }),
      visitors,
      pending,
      reached: visitors,
      complete: Math.max(visitors, all[index]!.visitors - pending),
      strata: [],
      quantile: { values, value, standardError },
    };
  });
}

function summedCounts(
  { variations, metrics, includeBots }: Counted,
  goal: MetricGoal,
): VariationMetricCounts[] {
  const counted = (metrics?.groups ?? []).filter(
    ({ metricId, bot }) => metricId === goal.metricId && (includeBots || !bot),
  );
  const isReturning = [...new Set(counted.map(({ returning }) => returning))].toSorted();
  return variations.map(({ key, retired }) => {
    const own = counted.filter(({ variationKey }) => variationKey === key);
    const all = addGroups(key, own);
    return {
      ...all,
      ...(retired && { retired: true as const }),
      complete: all.visitors,
      strata: isReturning.map((it) =>
        addGroups(
          key,
          own.filter(({ returning }) => returning === it),
        ),
      ),
      quantile: null,
    };
  });
}

const NONE: MetricValueSums = { sum: 0, sumSquares: 0 };

const noCounts = (key: string): MetricCounts => ({
  key,
  visitors: 0,
  pending: 0,
  reached: 0,
  value: NONE,
  denominator: NONE,
  product: 0,
  steps: [],
});

const addGroups = (key: string, groups: readonly ReportMetricGroup[]) =>
  addMetricCounts([noCounts(key), ...groups.map((group) => ({ ...group, key, steps: group.steps ?? [] }))]);

/** The counts of all these visitors together. */
export function addMetricCounts(all: readonly MetricCounts[]): MetricCounts {
  const total = (of: (counts: MetricCounts) => number) => all.reduce((sum, counts) => sum + of(counts), 0);
  const steps = Math.max(...all.map((it) => it.steps.length));
  return {
    key: all[0]!.key,
    visitors: total((it) => it.visitors),
    pending: total((it) => it.pending),
    reached: total((it) => it.reached),
    value: { sum: total((it) => it.value.sum), sumSquares: total((it) => it.value.sumSquares) },
    denominator: {
      sum: total((it) => it.denominator.sum),
      sumSquares: total((it) => it.denominator.sumSquares),
    },
    product: total((it) => it.product),
    steps: Array.from({ length: steps }, (_, step) => total((it) => it.steps[step] ?? 0)),
  };
}

/** Visitors of all variations whose window is over: how far a test is depends on them. Without those of retired ones. */
export const completeVisitors = (counts: readonly VariationMetricCounts[]) =>
  counts.reduce((sum, { complete, retired }) => (retired ? sum : sum + complete), 0);

export const pendingVisitors = (counts: readonly VariationMetricCounts[]) =>
  counts.reduce((sum, { pending, retired }) => (retired ? sum : sum + pending), 0);
