import type { FunnelStep, MetricTerm, MetricValue } from './metric-queries.ts';

/** Events that metrics are computed from. */
export type Signal =
  | { readonly goalId: string }
  | { readonly path: string | null }
  | { readonly event: string }
  | { readonly activity: true };

type Metric<Kind extends MetricTerm['kind']> = Extract<MetricTerm, { kind: Kind }>;
/** Metrics that are sums of one row per visitor. */
export type ValuedMetric = Metric<'mean' | 'ratio' | 'retention'>;
/** Any event is a sign of it. */
export type ReturnMetric = Metric<'retention'> & { readonly goalId: null };
export type FunnelMetric = Metric<'funnel'>;
export type BounceMetric = Metric<'bounce'>;
export type QuantileMetric = Metric<'quantile'>;

export const isValued = (metric: MetricTerm): metric is ValuedMetric =>
  metric.kind === 'mean' || metric.kind === 'ratio' || metric.kind === 'retention';
export const isReturn = (metric: MetricTerm): metric is ReturnMetric =>
  metric.kind === 'retention' && metric.goalId === null;
export const isFunnel = (metric: MetricTerm): metric is FunnelMetric => metric.kind === 'funnel';
export const isBounce = (metric: MetricTerm): metric is BounceMetric => metric.kind === 'bounce';
export const isQuantile = (metric: MetricTerm): metric is QuantileMetric => metric.kind === 'quantile';

/** How long the time of a visitor is; null: until the end of the phase. */
export const windowOf = (metric: MetricTerm): number | null =>
  metric.kind === 'retention' ? metric.toMs : metric.withinMs;

/** The events that metrics need, each once: `indexOf` is its bit. Bounces are counted from sessions. */
export class MetricSignals {
  readonly list: readonly Signal[];
  readonly #indexes: ReadonlyMap<string, number>;

  constructor(metrics: readonly MetricTerm[]) {
    const signals = new Map(metrics.flatMap(signalsOf).map((signal) => [keyOf(signal), signal]));
    this.list = [...signals.values()];
    this.#indexes = new Map([...signals.keys()].map((key, index) => [key, index]));
  }

  indexOf(signal: Signal): number {
    return this.#indexes.get(keyOf(signal)) as number;
  }

  /** The metrics in groups, each with at most so many signals, unless a single metric has more. */
  static batchesOf(metrics: readonly MetricTerm[], maxSignals: number): MetricTerm[][] {
    const batches: MetricTerm[][] = [[]];
    for (const metric of metrics) {
      const last = batches.at(-1)!;
      const size = new MetricSignals([...last, metric]).list.length;
      if (last.length > 0 && size > maxSignals) batches.push([metric]);
      else last.push(metric);
    }
    return batches;
  }
}

export function signalsOf(metric: MetricTerm): Signal[] {
  switch (metric.kind) {
    case 'mean':
      return [signalOf(metric.value)];
    case 'ratio':
      return [signalOf(metric.numerator), signalOf(metric.denominator)];
    case 'retention':
      return [returnSignal(metric)];
    case 'funnel':
      return metric.steps.map(signalOf);
    case 'quantile':
      return [signalOf(metric.value)];
    case 'bounce':
      return [];
  }
}

export const returnSignal = ({ goalId }: Metric<'retention'>): Signal =>
  goalId === null ? { activity: true } : { goalId };

export function signalOf(of: MetricValue | FunnelStep): Signal {
  if ('goalId' in of) return { goalId: of.goalId };
  return 'path' in of ? { path: of.path } : { event: of.event };
}

const keyOf = (signal: Signal) => JSON.stringify(signal);

/** Whether one event can be both steps. */
export function overlap(one: FunnelStep, other: FunnelStep): boolean {
  if ('path' in one && 'path' in other) return true;
  return keyOf(signalOf(one)) === keyOf(signalOf(other));
}
