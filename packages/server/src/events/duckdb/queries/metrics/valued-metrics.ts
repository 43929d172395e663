import type { MetricValue } from '../../../store/metric-queries.ts';
import { returnSignal, signalOf, signalsOf, type ValuedMetric } from '../../../store/metric-signals.ts';
import { scalesOf } from '../../../store/metric-sums.ts';
import type { SumType } from '../split-tests/group-rows.ts';
import type { MetricEvents } from './metric-events.ts';
import { isOver, isWithin } from './metric-times.ts';
import { inPart, type Part } from './metric-visitors.ts';

interface Times {
  now: number;
  until: number;
  sumType: SumType;
}

/**
 * SQL for the sums of all metrics that have a value per visitor, by kind: visitors are grouped once. The columns of a
 * metric end with its number.
 */
export function valuedStatement(
  metrics: readonly ValuedMetric[],
  events: MetricEvents,
  { part, ...times }: Times & { part: Part | undefined },
): string {
  const isNeeded = [...new Set(metrics.flatMap(signalsOf).map((signal) => events.has(signal)))].join(' OR ');
  const values = metrics.flatMap((metric, index) => valueColumns(metric, index, events, times));
  const sums = metrics.flatMap((metric, index) => sumColumns(metric, index, times));
  return `WITH visitors AS (
      SELECT unit, any_value(kind) AS kind, any_value(first_at) AS first_at, ${values.join(', ')}
      FROM metric_events WHERE (${isNeeded}) AND ${inPart('unit', part)} GROUP BY unit)
    SELECT kind, ${sums.join(', ')} FROM visitors GROUP BY kind`;
}

/** The value of a visitor, `v0` and so on, and the denominator of a ratio, `d0` and so on. */
function valueColumns(metric: ValuedMetric, index: number, events: MetricEvents, times: Times): string[] {
  const within = isWithin(metric, times.until);
  if (metric.kind === 'retention') {
    const isBack = `${events.has(returnSignal(metric))} AND n = 1 AND happened_at >= first_at + ${metric.fromMs} AND ${within}`;
    return [`coalesce(bool_or(${isBack}), false)::INTEGER::${times.sumType} AS v${index}`];
  }
  const [scale, otherScale] = scalesOf(metric);
  const total = (value: MetricValue, unit: number) => {
    const isSum = 'goalId' in value && value.of === 'sum';
    const sum = `coalesce(sum(${isSum ? 'a' : 'n'}) FILTER (${events.has(signalOf(value))} AND ${within}), 0)`;
    return `(${sum} * ${isSum ? 1 : unit})::${times.sumType}`;
  };
  const capped = (value: string) =>
    metric.cap === null ? value : `least(${value}, ${Math.round(metric.cap * scale)}::${times.sumType})`;
  if (metric.kind === 'mean') return [`${capped(total(metric.value, scale))} AS v${index}`];
  return [
    `${capped(total(metric.numerator, scale))} AS v${index}`,
    `${total(metric.denominator, otherScale)} AS d${index}`,
  ];
}

function sumColumns(metric: ValuedMetric, index: number, { now }: Times): string[] {
  const over = `FILTER (${isOver(metric, now)})`;
  const [v, d] = [`v${index}`, `d${index}`];
  const columns = [
    `count(*) FILTER (${v} > 0 AND ${isOver(metric, now)}) AS reached_${index}`,
    `sum(${v}) ${over} AS sum_${index}`,
    `sum(${v} * ${v}) ${over} AS squares_${index}`,
  ];
  if (metric.kind !== 'ratio') return columns;
  return [
    ...columns,
    `sum(${d}) ${over} AS otherSum_${index}`,
    `sum(${d} * ${d}) ${over} AS otherSquares_${index}`,
    `sum(${v} * ${d}) ${over} AS product_${index}`,
  ];
}
