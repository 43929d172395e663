import { MICROS } from '@switchyard/core/money';
import type { MetricSums, MetricTerm } from './metric-queries.ts';

/** An integer, or a fraction if the integer does not fit into what the engine has. */
export type Sum = bigint | number;

/** Sums over the visitors of a kind, in units of the metric, see `scaleOf`. */
interface Sums {
  visitors: Sum;
  pending: Sum;
  reached: Sum;
  sum: Sum;
  squares: Sum;
  otherSum: Sum;
  otherSquares: Sum;
  product: Sum;
  steps: Sum[];
}

/** What a statement counts of a kind and a metric; null for a sum of nothing. */
export type Counted = Partial<Record<Exclude<keyof Sums, 'steps'>, Sum | null>> & { steps?: readonly Sum[] };

/** Added up over parts of the visitors, as integers as long as they fit. */
export class CountedMetrics<Kind> {
  readonly #sums: ReadonlyMap<MetricTerm, Map<Kind, Sums>>;

  constructor(metrics: readonly MetricTerm[]) {
    this.#sums = new Map(metrics.map((metric) => [metric, new Map()]));
  }

  add(metric: MetricTerm, kind: Kind, { steps = [], ...counted }: Counted): void {
    const kinds = this.#sums.get(metric)!;
    const sums = kinds.get(kind) ?? none();
    kinds.set(kind, sums);
    for (const [name, value] of Object.entries(counted) as [keyof typeof counted, Sum | null][]) {
      if (value !== null) sums[name] = plus(sums[name], value);
    }
    for (const [index, value] of steps.entries()) sums.steps[index] = plus(sums.steps[index] ?? 0n, value);
  }

  kindsOf(metric: MetricTerm): [Kind, MetricSums][] {
    return [...this.#sums.get(metric)!].map(([kind, sums]) => [kind, metricSums(metric, sums)]);
  }
}

const none = (): Sums => ({
  visitors: 0n,
  pending: 0n,
  reached: 0n,
  sum: 0n,
  squares: 0n,
  otherSum: 0n,
  otherSquares: 0n,
  product: 0n,
  steps: [],
});

function plus(left: Sum, right: Sum): Sum {
  return typeof left === 'bigint' && typeof right === 'bigint' ? left + right : Number(left) + Number(right);
}

export function metricSums(metric: MetricTerm, sums: Sums = none()): MetricSums {
  const [value, other] = scalesOf(metric);
  const of = (sum: Sum, scale: number) => Number(sum) / scale;
  return {
    visitors: Number(sums.visitors),
    pending: Number(sums.pending),
    reached: Number(sums.reached),
    value: { sum: of(sums.sum, value), sumSquares: of(sums.squares, value ** 2) },
    denominator: { sum: of(sums.otherSum, other), sumSquares: of(sums.otherSquares, other ** 2) },
    product: of(sums.product, value * other),
    ...(metric.kind === 'funnel' && {
      steps: metric.steps.map((_, index) => Number(sums.steps[index] ?? 0)),
    }),
  };
}

/** Sums are integers: of millionths for money, and for counts with a cap that is none. */
export function scalesOf(metric: MetricTerm): [value: number, denominator: number] {
  if (metric.kind === 'mean') return [scaleOf(metric.value, metric.cap), 1];
  if (metric.kind === 'ratio')
    return [scaleOf(metric.numerator, metric.cap), scaleOf(metric.denominator, null)];
  return [1, 1];
}

const scaleOf = (value: { of?: string } | object, cap: number | null) =>
  ('of' in value && value.of === 'sum') || (cap !== null && !Number.isInteger(cap)) ? MICROS : 1;
