import type { MetricBaseline, MetricBaselineQuery } from '../../../store/metric-queries.ts';
import { isQuantile } from '../../../store/metric-signals.ts';
import { metricSums } from '../../../store/metric-sums.ts';
import { NO_VALUES } from '../../../store/quantile-spread.ts';
import type { QueryContext } from '../query-context.ts';
import { countMetrics } from './count-metrics.ts';
import { startedVisitors } from './metric-visitors.ts';

/** A metric of the visitors of a period. */
export async function metricBaseline(
  context: QueryContext,
  query: MetricBaselineQuery,
): Promise<MetricBaseline> {
  const { metric, from, to } = query;
  const { counted, spreads } = await countMetrics(
    context,
    () => startedVisitors(context.clickhouse.tables, query),
    { metrics: [metric], now: to, until: to, entered: [from, to] },
  );
  // Crawlers are not told apart.
  if (isQuantile(metric)) return spreads.find(({ includeBots }) => includeBots)?.spread ?? NO_VALUES;
  return counted.kindsOf(metric)[0]?.[1] ?? metricSums(metric);
}
