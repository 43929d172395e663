import type {
  MetricCounts,
  MetricGroup,
  QuantileEstimate,
  SplitTestMetricsQuery,
} from '../../../store/metric-queries.ts';
import { isQuantile } from '../../../store/metric-signals.ts';
import { NO_VALUES } from '../../../store/quantile-spread.ts';
import type { QueryContext } from '../query-context.ts';
import type { SumType } from '../split-tests/group-rows.ts';
import { countMetrics, type MetricResults } from './count-metrics.ts';
import { ExposedVisitors } from './exposed-visitors.ts';

/** The metrics of one phase of a test. The caller holds a snapshot. */
export async function splitTestMetrics(
  context: QueryContext,
  query: SplitTestMetricsQuery,
  sumType: SumType,
): Promise<MetricCounts> {
  const visitors = ExposedVisitors.of(context, query);
  const results =
    visitors && query.metrics.length > 0
      ? await countMetrics(context, visitors, { ...query, sumType })
      : undefined;
  return {
    groups: visitors && results ? groupsOf(visitors, query, results) : [],
    quantiles: estimatesOf(visitors, query, results),
  };
}

function groupsOf(
  { kinds }: ExposedVisitors,
  { metrics }: SplitTestMetricsQuery,
  { counted }: MetricResults,
): MetricGroup[] {
  return metrics
    .filter((metric) => !isQuantile(metric))
    .flatMap((metric) =>
      counted.kindsOf(metric).map(([kind, sums]) => {
        const { firstVariationKey: variationKey, returning, bot } = kinds.read(kind);
        return { metricId: metric.metricId, variationKey, returning, bot, ...sums };
      }),
    );
}

/** Of all variations, also of those that nobody has seen. */
function estimatesOf(
  visitors: ExposedVisitors | undefined,
  { metrics, variationKeys }: SplitTestMetricsQuery,
  results: MetricResults | undefined,
): QuantileEstimate[] {
  const keyOf = (kind: number | bigint) => visitors?.kinds.read(kind).firstVariationKey;
  return metrics.filter(isQuantile).flatMap((metric) =>
    [true, false].flatMap((includeBots) => {
      const found = results?.quantiles.find((it) => it.metric === metric && it.includeBots === includeBots);
      const spreads = new Map([...(found?.spreads ?? [])].map(([kind, spread]) => [keyOf(kind), spread]));
      const kinds = results?.counted.kindsOf(metric) ?? [];
      return variationKeys.map((variationKey): QuantileEstimate => {
        const own = kinds.filter(([kind]) => {
          const { firstVariationKey, bot } = visitors!.kinds.read(kind);
          return firstVariationKey === variationKey && (includeBots || !bot);
        });
        const pending = own.reduce((sum, [, sums]) => sum + sums.pending, 0);
        const spread = spreads.get(variationKey) ?? NO_VALUES;
        return { metricId: metric.metricId, variationKey, includeBots, pending, ...spread };
      });
    }),
  );
}
