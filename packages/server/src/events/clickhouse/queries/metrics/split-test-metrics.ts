import type {
  MetricCounts,
  MetricGroup,
  QuantileEstimate,
  SplitTestMetricsQuery,
} from '../../../store/metric-queries.ts';
import { isQuantile } from '../../../store/metric-signals.ts';
import { NO_VALUES } from '../../../store/quantile-spread.ts';
import type { QueryContext } from '../query-context.ts';
import { countMetrics, type Kind, type MetricResults } from './count-metrics.ts';
import { exposedTimes, exposedVisitors } from './metric-visitors.ts';

/** The metrics of one phase of a test. */
export async function splitTestMetrics(
  context: QueryContext,
  query: SplitTestMetricsQuery,
): Promise<MetricCounts> {
  const { clickhouse, signal } = context;
  const isAny = query.metrics.length > 0;
  const entered = isAny ? await exposedTimes(clickhouse, query, signal) : undefined;
  const visitors = () => exposedVisitors(clickhouse.tables, query);
  const results = entered && (await countMetrics(context, visitors, { ...query, entered }));
  return {
    groups: results ? groupsOf(query, results) : [],
    quantiles: estimatesOf(query, results),
  };
}

const read = (kind: Kind) => JSON.parse(kind) as [shown: number, bot: boolean, returning: boolean];

function groupsOf(
  { metrics, variationKeys }: SplitTestMetricsQuery,
  { counted }: MetricResults,
): MetricGroup[] {
  return metrics
    .filter((metric) => !isQuantile(metric))
    .flatMap((metric) =>
      counted.kindsOf(metric).map(([kind, sums]) => {
        const [shown, bot, returning] = read(kind);
        return {
          metricId: metric.metricId,
          variationKey: variationKeys[shown - 1]!,
          returning,
          bot,
          ...sums,
        };
      }),
    );
}

/** Of all variations, also of those that nobody has seen. */
function estimatesOf(
  { metrics, variationKeys }: SplitTestMetricsQuery,
  results: MetricResults | undefined,
): QuantileEstimate[] {
  return metrics.filter(isQuantile).flatMap((metric) =>
    [true, false].flatMap((includeBots) =>
      variationKeys.map((variationKey, index): QuantileEstimate => {
        const pending = (results?.counted.kindsOf(metric) ?? []).reduce((sum, [kind, sums]) => {
          const [shown, bot] = read(kind);
          return shown === index + 1 && (includeBots || !bot) ? sum + sums.pending : sum;
        }, 0);
        const found = results?.spreads.find(
          (it) => it.metric === metric && it.includeBots === includeBots && it.shown === index + 1,
        );
        return {
          metricId: metric.metricId,
          variationKey,
          includeBots,
          pending,
          ...(found?.spread ?? NO_VALUES),
        };
      }),
    ),
  );
}
