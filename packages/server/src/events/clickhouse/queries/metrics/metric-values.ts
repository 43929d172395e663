import type { MetricTerm, MetricValue } from '../../../store/metric-queries.ts';
import {
  type FunnelMetric,
  isFunnel,
  isValued,
  returnSignal,
  type Signal,
  signalOf,
  type ValuedMetric,
  windowOf,
} from '../../../store/metric-signals.ts';
import { scalesOf } from '../../../store/metric-sums.ts';
import { EVENT, type MetricScope, metricEvents } from './metric-events.ts';

const AT = `event.${EVENT.at}`;

/** Condition on a visitor: their time is over. */
export function isOver(metric: MetricTerm, now: number): string {
  const window = windowOf(metric);
  return window === null ? 'true' : `first_at <= ${now - window}`;
}

/** Condition on a time: within that of the visitor. */
export function isWithin(metric: MetricTerm, time: string, until: number): string {
  const window = windowOf(metric);
  return window === null ? `${time} < ${until}` : `${time} < first_at + ${window}`;
}

/** Condition on `event`. */
export const hasSignal = ({ signals }: MetricScope, signal: Signal) =>
  `bitTest(event.${EVENT.signals}, ${signals.indexOf(signal)})`;

/** SELECT of the visitors of a kind, with `own`, the events within their time. */
export const visitorsWithEvents = (scope: MetricScope) =>
  `SELECT unit, shown, is_bot, is_returning, first_at, arrayFilter(event -> ${scope.visitors.isTheirs(AT)}, events) AS own
   FROM (${scope.visitors.units(metricEvents(scope))})`;

/** SQL for the value of a visitor and, of a ratio, the denominator; wide integers, which cannot overflow. */
function valueColumns(scope: MetricScope, metric: ValuedMetric): string[] {
  const within = isWithin(metric, AT, scope.until);
  if (metric.kind === 'retention') {
    const isBack = `${hasSignal(scope, returnSignal(metric))} AND event.${EVENT.direction} = 1
      AND ${AT} >= first_at + ${metric.fromMs} AND ${within}`;
    return [`toInt128(arrayExists(event -> ${isBack}, own))`];
  }
  const [scale, otherScale] = scalesOf(metric);
  const total = (value: MetricValue, unit: number) => {
    const isSum = 'goalId' in value && value.of === 'sum';
    const column = `toInt128(event.${isSum ? EVENT.micros : EVENT.direction})`;
    const isCounted = `${hasSignal(scope, signalOf(value))} AND ${within}`;
    return `(arraySum(event -> if(${isCounted}, ${column}, toInt128(0)), own) * ${isSum ? 1 : unit})`;
  };
  const capped = (value: string) =>
    metric.cap === null ? value : `least(${value}, toInt128(${Math.round(metric.cap * scale)}))`;
  if (metric.kind === 'mean') return [capped(total(metric.value, scale))];
  return [capped(total(metric.numerator, scale)), total(metric.denominator, otherScale)];
}

/**
 * SQL for the positions of the events of the steps of a funnel in `codes`, 0 if it was not reached. Codes are times and,
 * in their lowest bits, the steps that an event matches: of several at the same time, the one that matches the fewest
 * last steps comes first.
 */
function funnelColumns(scope: MetricScope, metric: FunnelMetric, name: string): string[] {
  const { steps } = metric;
  const marks = steps.map((step, index) => `bitShiftLeft(toInt64(${hasSignal(scope, signalOf(step))}), ${index})`);
  const isStep = steps.map((step) => hasSignal(scope, signalOf(step))).join(' OR ');
  const candidates = `arrayFilter(event -> (${isStep}) AND event.${EVENT.direction} = 1
    AND ${isWithin(metric, AT, scope.until)}, own)`;
  const codes = `arraySort(arrayMap(event -> bitShiftLeft(toInt64(${AT}), ${steps.length}) + ${marks.join(' + ')}, ${candidates}))`;
  const positions = steps.map((_, index) => {
    const before = steps.slice(0, index).map((_step, earlier) => `${name}_step_${earlier}`);
    const last = before.at(-1);
    const isLater = last
      ? `AND ${last} > 0 AND bitShiftRight(code, ${steps.length}) >= bitShiftRight(${name}_codes[${last}], ${steps.length})
         AND NOT has([${before.join(', ')}], position)`
      : '';
    return `arrayFirstIndex((code, position) -> bitTest(code, ${index}) ${isLater}, ${name}_codes, arrayEnumerate(${name}_codes))
      AS ${name}_step_${index}`;
  });
  return [`${codes} AS ${name}_codes`, ...positions];
}

/** Names and SQL of the sums over visitors of all metrics that have one row per visitor. */
export function valuesStatement(scope: MetricScope, now: number): { sql: string; columns: Column[] } {
  const perVisitor: string[] = [];
  const columns: Column[] = [];
  for (const [index, metric] of scope.metrics.entries()) {
    const add = (name: Column['name'], sql: string, step = 0) => columns.push({ metric, name, sql, step });
    const over = isOver(metric, now);
    add('visitors', `countIf(${over})`);
    add('pending', `countIf(NOT (${over}))`);
    if (isFunnel(metric)) {
      perVisitor.push(...funnelColumns(scope, metric, `f${index}`));
      for (const step of metric.steps.keys()) add('steps', `countIf(f${index}_step_${step} > 0 AND ${over})`, step);
    }
    if (!isValued(metric)) continue;
    const [value, denominator] = valueColumns(scope, metric);
    perVisitor.push(`${value} AS v${index}`, ...(denominator ? [`${denominator} AS d${index}`] : []));
    for (const [name, sql] of sumColumns(index, denominator !== undefined, over)) add(name, sql);
  }
  const sums = columns.map(({ sql }) => `toString(${sql})`).join(', ');
  return {
    columns,
    sql: `SELECT shown, is_bot, is_returning, ${sums}
      FROM (SELECT ${['*', ...perVisitor].join(', ')} FROM (${visitorsWithEvents(scope)}))
      GROUP BY shown, is_bot, is_returning`,
  };
}

export interface Column {
  metric: MetricTerm;
  name: 'visitors' | 'pending' | 'reached' | 'sum' | 'squares' | 'otherSum' | 'otherSquares' | 'product' | 'steps';
  sql: string;
  /** Which one, of a funnel. */
  step: number;
}

/** Of the values `v` and the denominators `d` with this number. */
export function sumColumns(index: number, hasDenominator: boolean, over: string): [Column['name'], string][] {
  const [v, d] = [`v${index}`, `d${index}`];
  const product = (left: string, right: string) => `sumIf(toInt256(${left}) * ${right}, ${over})`;
  return [
    ['reached', `countIf(${v} > 0 AND ${over})`],
    ['sum', `sumIf(${v}, ${over})`],
    ['squares', product(v, v)],
    ...(hasDenominator
      ? ([
          ['otherSum', `sumIf(${d}, ${over})`],
          ['otherSquares', product(d, d)],
          ['product', product(v, d)],
        ] as const)
      : []),
  ] as [Column['name'], string][];
}
