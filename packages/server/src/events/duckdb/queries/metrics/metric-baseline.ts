import type { MetricBaseline, MetricBaselineQuery } from '../../../store/metric-queries.ts';
import { isQuantile } from '../../../store/metric-signals.ts';
import { metricSums } from '../../../store/metric-sums.ts';
import { NO_VALUES } from '../../../store/quantile-spread.ts';
import type { QueryContext } from '../query-context.ts';
import type { SumType } from '../split-tests/group-rows.ts';
import { countMetrics } from './count-metrics.ts';
import { StartedVisitors } from './started-visitors.ts';

/** A metric of the visitors of a period. The caller holds a snapshot. */
export async function metricBaseline(
  context: QueryContext,
  { propertyId, metric, from, to }: MetricBaselineQuery,
  sumType: SumType,
): Promise<MetricBaseline> {
  const property = context.terms.find(propertyId);
  if (property === undefined) return isQuantile(metric) ? NO_VALUES : metricSums(metric);
  const visitors = new StartedVisitors(context, property, { from, to });
  const query = { metrics: [metric], now: to, until: to, sumType };
  const { counted, quantiles } = await countMetrics(context, visitors, query);
  if (isQuantile(metric)) return [...(quantiles[0]?.spreads.values() ?? [])][0] ?? NO_VALUES;
  return counted.kindsOf(metric)[0]?.[1] ?? metricSums(metric);
}
