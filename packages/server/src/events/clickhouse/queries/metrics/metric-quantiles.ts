import { type QuantileMetric, signalOf } from '../../../store/metric-signals.ts';
import { QUANTILE_Z } from '../../../store/quantile-spread.ts';
import { EVENT, type MetricScope, propertiesOf } from './metric-events.ts';
import { hasSignal, isOver, isWithin, visitorsWithEvents } from './metric-values.ts';

/** Null if there is only one visitor. Values of conversions are micro-dollars. */
export type QuantileRow = [
  metric: number,
  includeBots: boolean,
  shown: number,
  visitors: string,
  values: string,
  value: number,
  lower: number | null,
  upper: number | null,
];

/**
 * SQL for the quantiles of the values of all visitors of a variation, as `spreadRanks` computes them, in one statement:
 * reading the events again would take longer than all else.
 */
export function quantileStatement(
  scope: MetricScope,
  metrics: readonly QuantileMetric[],
  now: number,
): string {
  const quantile = `[${metrics.map((it) => `toFloat64(${it.quantile})`).join(', ')}][metric + 1]`;
  const below = 'arrayCount(value -> value <= quantile, list)';
  const total = (value: string) => `toFloat64(arraySum(list -> ${value}, lists))`;
  const key = 'metric, include_bots, shown, lists, sorted, size, visitors';
  return `SELECT metric, include_bots, shown, visitors, size, quantile,
      if(visitors < 2, NULL, sorted[${rank(`${quantile} - margin`)}]), if(visitors < 2, NULL, sorted[${rank(`${quantile} + margin`)}])
    FROM (
      SELECT *, below / size AS share, ${QUANTILE_Z} * sqrt(greatest(0., below_squares - 2 * share * products + share * share * all_squares)
          / (toFloat64(size) * size) * (visitors / (visitors - 1))) AS margin
      FROM (
        SELECT ${key}, quantile, ${total(below)} AS below, ${total('length(list) * length(list)')} AS all_squares,
          ${total(`${below} * ${below}`)} AS below_squares, ${total(`length(list) * ${below}`)} AS products
        FROM (
          SELECT metric, include_bots, shown, groupArray(list) AS lists, arraySort(arrayFlatten(lists)) AS sorted,
            length(sorted) AS size, length(lists) AS visitors, sorted[${rank(quantile)}] AS quantile
          FROM (${valueLists(scope, metrics, now)}) GROUP BY metric, include_bots, shown)))`;
}

/** SQL for `rankOf` in `size` values. */
const rank = (quantile: string) =>
  `toUInt64(greatest(1, size - floor(size - least(1., greatest(0., ${quantile})) * size)))`;

/** SELECT of the values of each visitor who has some: `list`, by `metric` (its position), `include_bots` and `shown`. */
function valueLists(scope: MetricScope, metrics: readonly QuantileMetric[], now: number): string {
  const properties = propertiesOf(scope.metrics).map((it) => JSON.stringify(it));
  const lists = metrics.map((metric, index) => {
    const { value } = metric;
    const position =
      'goalId' in value ? EVENT.micros : EVENT.firstValue + properties.indexOf(JSON.stringify(value));
    const isCounted = `${hasSignal(scope, signalOf(value))} AND event.${EVENT.direction} = 1
      AND ${isWithin(metric, `event.${EVENT.at}`, scope.until)} AND ${isOver(metric, now)} AND event.${position} IS NOT NULL`;
    return `(${index}, arrayMap(event -> assumeNotNull(toFloat64(event.${position})), arrayFilter(event -> ${isCounted}, own)))`;
  });
  return `SELECT item.1 AS metric, arrayJoin([true, false]) AS include_bots, shown, item.2 AS list
    FROM (SELECT shown, is_bot, arrayJoin([${lists.join(', ')}]) AS item FROM (${visitorsWithEvents(scope)}))
    WHERE notEmpty(list) AND (include_bots OR NOT is_bot)`;
}
