import type { DuckDBConnection } from '@duckdb/node-api';
import { MICROS } from '@switchyard/core/money';
import type { QuantileSpread } from '../../../store/metric-queries.ts';
import { type QuantileMetric, signalOf } from '../../../store/metric-signals.ts';
import { type QuantileClusters, quantileSpread, spreadRanks } from '../../../store/quantile-spread.ts';
import { createTemporary, recordsOf, rowsOf } from '../../connection/sql.ts';
import type { MetricEvents } from './metric-events.ts';
import { isOver, isWithin } from './metric-times.ts';
import { inPart, type MetricVisitors, type Parts } from './metric-visitors.ts';

/** Creates `metric_values`, the values of visitors; those of conversions are micro-dollars. */
export async function createMetricValues(
  connection: DuckDBConnection,
  events: MetricEvents,
  metrics: readonly QuantileMetric[],
  times: { now: number; until: number },
): Promise<void> {
  if (metrics.length === 0) return;
  const selects = metrics.map((metric, index) => {
    const value = 'goalId' in metric.value ? 'a::DOUBLE' : events.valueOf(metric.value);
    return `SELECT ${index}::INTEGER AS metric, kind, unit, ${value} AS value FROM metric_events
      WHERE ${events.has(signalOf(metric.value))} AND n = 1 AND ${value} IS NOT NULL
        AND ${isWithin(metric, times.until)} AND ${isOver(metric, times.now)}`;
  });
  await createTemporary(connection, 'metric_values', { sql: selects.join(' UNION ALL '), values: [] });
}

type ClusterRow = {
  variation: bigint;
  visitors: bigint;
  all_values: bigint;
  below: bigint;
  all_squares: bigint;
  below_squares: bigint;
  products: bigint;
};

interface SpreadScope {
  /** Position of the metric. */
  index: number;
  parts: Parts;
  includeBots: boolean;
}

/** Whether crawlers have values of the metric at this position. */
export async function haveBots(
  connection: DuckDBConnection,
  visitors: MetricVisitors,
  index: number,
): Promise<boolean> {
  const found = `SELECT 1 FROM metric_values WHERE metric = ${index} AND ${visitors.isBot} LIMIT 1`;
  return (await rowsOf(connection, found)).length > 0;
}

/** By the number of the variation: the spread of a quantile, of the metric at this position. */
export async function quantileSpreads(
  connection: DuckDBConnection,
  visitors: MetricVisitors,
  metric: QuantileMetric,
  { index, parts, includeBots }: SpreadScope,
): Promise<Map<bigint, QuantileSpread>> {
  const own = `SELECT ${visitors.variation}::HUGEINT AS variation, unit, value FROM metric_values
    WHERE metric = ${index}${includeBots ? '' : ` AND NOT ${visitors.isBot}`}`;
  const quantiles = await valuesAt(connection, own, [metric.quantile]);
  const clusters = await clustersOf(connection, own, quantiles, parts);
  const counted = [...quantiles].map(([variation, [quantile]]) => {
    const own = clusters.get(variation)!;
    return { variation, quantile: quantile!, clusters: own, ranks: spreadRanks(metric.quantile, own) };
  });
  const wanted = counted.flatMap(({ ranks, clusters: { all } }) =>
    // In the middle, so that the rank is the same, however it is rounded.
    (ranks ?? []).map((rank) => (rank - 0.5) / all),
  );
  const values = await valuesAt(connection, own, wanted);
  const unit = 'goalId' in metric.value ? MICROS : 1;
  let next = 0;
  return new Map(
    counted.map(({ variation, quantile, clusters, ranks }) => {
      const found = values.get(variation) ?? [];
      const bounds: [number, number] | undefined = ranks && [found[next++]! / unit, found[next++]! / unit];
      return [variation, quantileSpread(clusters, quantile / unit, bounds)];
    }),
  );
}

/** By variation; each visitor is in one part. */
async function clustersOf(
  connection: DuckDBConnection,
  own: string,
  quantiles: ReadonlyMap<bigint, readonly number[]>,
  parts: Parts,
): Promise<Map<bigint, QuantileClusters>> {
  const clusters = new Map<bigint, QuantileClusters>();
  if (quantiles.size === 0) return clusters;
  const cases = [...quantiles].map(
    ([variation, [quantile]]) => `WHEN ${variation} THEN '${quantile}'::DOUBLE`,
  );
  for (const part of parts) {
    const rows = await recordsOf<ClusterRow>(
      connection,
      `WITH clusters AS (
        SELECT variation, count(*) AS m, count(*) FILTER (value <= CASE variation ${cases.join(' ')} END) AS k
        FROM (${own} AND ${inPart('unit', part)}) GROUP BY variation, unit)
      SELECT variation, count(*) AS visitors, sum(m) AS all_values, sum(k) AS below,
             sum(m::HUGEINT * m) AS all_squares, sum(k::HUGEINT * k) AS below_squares, sum(m::HUGEINT * k) AS products
      FROM clusters GROUP BY variation`,
    );
    for (const row of rows) {
      const sums = clusters.get(row.variation) ?? NO_CLUSTERS;
      clusters.set(row.variation, {
        visitors: sums.visitors + Number(row.visitors),
        all: sums.all + Number(row.all_values),
        below: sums.below + Number(row.below),
        allSquares: sums.allSquares + Number(row.all_squares),
        belowSquares: sums.belowSquares + Number(row.below_squares),
        products: sums.products + Number(row.products),
      });
    }
  }
  return clusters;
}

const NO_CLUSTERS: QuantileClusters = {
  visitors: 0,
  all: 0,
  below: 0,
  allSquares: 0,
  belowSquares: 0,
  products: 0,
};

/** By variation, its values at these shares. */
async function valuesAt(
  connection: DuckDBConnection,
  own: string,
  shares: readonly number[],
): Promise<Map<bigint, readonly number[]>> {
  if (shares.length === 0) return new Map();
  const rows = await rowsOf<[bigint, { items: number[] }]>(
    connection,
    `SELECT variation, quantile_disc(value, [${shares.map((share) => `${share}::DOUBLE`).join(', ')}])
     FROM (${own}) GROUP BY variation`,
  );
  return new Map(rows.map(([variation, { items }]) => [variation, items]));
}
