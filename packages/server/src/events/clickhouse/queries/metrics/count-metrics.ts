import { MICROS } from '@switchyard/core/money';
import type { MetricTerm, QuantileSpread } from '../../../store/metric-queries.ts';
import { isBounce, isQuantile, MetricSignals, type QuantileMetric } from '../../../store/metric-signals.ts';
import { CountedMetrics } from '../../../store/metric-sums.ts';
import { quantileSpread } from '../../../store/quantile-spread.ts';
import { MEMORY_BOUNDS } from '../memory-bounds.ts';
import type { QueryContext } from '../query-context.ts';
import { bounceStatement } from './bounce-statement.ts';
import type { MetricScope } from './metric-events.ts';
import { type QuantileRow, quantileStatement } from './metric-quantiles.ts';
import { type Column, valuesStatement } from './metric-values.ts';
import type { Entered, MetricVisitors } from './metric-visitors.ts';

/** One bit each, in integers of 64 bits. */
const MAX_SIGNALS = 60;

/** Of groups of visitors, as text: JSON of the position of the variation, whether they are crawlers, and returning. */
export type Kind = string;

interface VariationSpread {
  metric: QuantileMetric;
  includeBots: boolean;
  /** Position of the variation, from 1. */
  shown: number;
  spread: QuantileSpread;
}

export interface MetricResults {
  counted: CountedMetrics<Kind>;
  spreads: VariationSpread[];
}

interface MetricsQuery {
  metrics: readonly MetricTerm[];
  now: number;
  until: number;
  entered: Entered;
}

/** @param visitors makes them for each statement, which has bound values of its own */
export async function countMetrics(
  context: QueryContext,
  visitors: () => MetricVisitors,
  { metrics: all, now, until, entered }: MetricsQuery,
): Promise<MetricResults> {
  const results: MetricResults = { counted: new CountedMetrics(all), spreads: [] };
  const { tables } = context.clickhouse;
  for (const batch of MetricSignals.batchesOf(all, MAX_SIGNALS)) {
    const scopeOf = (metrics: readonly MetricTerm[]): MetricScope => ({
      tables,
      visitors: visitors(),
      metrics,
      signals: new MetricSignals(metrics),
      entered,
      until,
    });
    const valued = batch.filter((metric) => !isBounce(metric));
    if (valued.length > 0) {
      const scope = scopeOf(valued);
      await addSums(context, results, scope, valuesStatement(scope, now));
    }
    const bounces = batch.filter(isBounce);
    if (bounces.length > 0) {
      const scope = scopeOf(bounces);
      await addSums(context, results, scope, bounceStatement(scope, bounces, now));
    }
    const quantiles = batch.filter(isQuantile);
    if (quantiles.length > 0) await addSpreads(context, results, scopeOf(quantiles), now);
  }
  return results;
}

async function addSums(
  { clickhouse, signal }: QueryContext,
  { counted }: MetricResults,
  { visitors }: MetricScope,
  { sql, columns }: { sql: string; columns: readonly Column[] },
): Promise<void> {
  const rows = await clickhouse.rows<
    [shown: number, isBot: boolean, isReturning: boolean, ...sums: string[]]
  >(sql, visitors.values.parameters, signal, MEMORY_BOUNDS);
  for (const [shown, isBot, isReturning, ...sums] of rows) {
    const kind: Kind = JSON.stringify([shown, isBot, isReturning]);
    for (const [index, { metric, name, step }] of columns.entries()) {
      const sum = BigInt(sums[index]!);
      if (name !== 'steps') counted.add(metric, kind, { [name]: sum });
      else if (metric.kind === 'funnel') {
        const steps = metric.steps.map((_, other) => (other === step ? sum : 0n));
        const isLast = step === steps.length - 1;
        counted.add(metric, kind, { steps, ...(isLast && { reached: sum, sum, squares: sum }) });
      }
    }
  }
}

async function addSpreads(
  { clickhouse, signal }: QueryContext,
  { spreads }: MetricResults,
  scope: MetricScope,
  now: number,
): Promise<void> {
  const metrics = scope.metrics.filter(isQuantile);
  const rows = await clickhouse.rows<QuantileRow>(
    quantileStatement(scope, metrics, now),
    scope.visitors.values.parameters,
    signal,
    MEMORY_BOUNDS,
  );
  for (const [index, includeBots, shown, visitors, values, value, lower, upper] of rows) {
    const metric = metrics[index]!;
    const unit = 'goalId' in metric.value ? MICROS : 1;
    const bounds = lower === null || upper === null ? undefined : ([lower / unit, upper / unit] as const);
    const counts = { visitors: Number(visitors), all: Number(values) };
    spreads.push({ metric, includeBots, shown, spread: quantileSpread(counts, value / unit, bounds) });
  }
}
