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
 * SQL for the events of a visitor that are steps of a funnel, in order: times and, in their lowest bits, the steps that an
 * event matches. So of several at the same time, the one that matches the fewest last steps comes first.
 */
function stepCodes(scope: MetricScope, { steps, ...metric }: FunnelMetric): string {
  const isStep = steps.map((step) => hasSignal(scope, signalOf(step)));
  const marks = isStep.map((condition, index) => `bitShiftLeft(toInt64(${condition}), ${index})`);
  const code = `bitShiftLeft(toInt64(${AT}), ${steps.length}) + ${marks.join(' + ')}`;
  const isCounted = `(${isStep.join(' OR ')}) AND event.${EVENT.direction} = 1
    AND ${isWithin({ ...metric, steps }, AT, scope.until)}`;
  return `arraySort(arrayMap(event -> ${code}, arrayFilter(event -> ${isCounted}, own)))`;
}

/** SQL for the positions in `codes` of the events that are the steps of a funnel; 0 for those that were not reached. */
function stepPositions({ steps }: FunnelMetric, codes: string): string {
  const time = (code: string) => `bitShiftRight(${code}, ${steps.length})`;
  const isNext = `bitTest(code, step) AND (step = 0 OR reached[-1] > 0)
    AND ${time('code')} >= ${time(`${codes}[reached[-1]]`)} AND NOT has(reached, position)`;
  const next = `arrayFirstIndex((code, position) -> ${isNext}, ${codes}, arrayEnumerate(${codes}))`;
  return `arrayFold((reached, step) -> arrayPushBack(reached, ${next}), range(${steps.length}), emptyArrayUInt32())`;
}

/** Names and SQL of the sums over visitors of all metrics that have one row per visitor. */
export function valuesStatement(scope: MetricScope, now: number): { sql: string; columns: Column[] } {
  const perVisitor: string[] = [];
  const columns: Column[] = [];
  const funnels: string[] = [];
  for (const [index, metric] of scope.metrics.entries()) {
    const add = (name: Column['name'], sql: string, step = 0) => columns.push({ metric, name, sql, step });
    const over = isOver(metric, now);
    for (const [name, sql] of countColumns(over)) add(name, sql);
    if (isFunnel(metric)) {
      const codes = `codes_${index}`;
      perVisitor.push(`${stepCodes(scope, metric)} AS ${codes}`);
      // In another SELECT, because the engine repeats what has a name.
      funnels.push(`${stepPositions(metric, codes)} AS steps_${index}`);
      for (const step of metric.steps.keys())
        add('steps', `countIf(steps_${index}[${step + 1}] > 0 AND ${over})`, step);
    }
    if (!isValued(metric)) continue;
    const [value, denominator] = valueColumns(scope, metric);
    perVisitor.push(`${value} AS v${index}`, ...(denominator ? [`${denominator} AS d${index}`] : []));
    for (const [name, sql] of sumColumns(index, denominator !== undefined, over)) add(name, sql);
  }
  const values = `SELECT ${['*', ...perVisitor].join(', ')} FROM (${visitorsWithEvents(scope)})`;
  return {
    columns,
    sql: `SELECT shown, is_bot, is_returning, ${columns.map(({ sql }) => `toString(${sql})`).join(', ')}
      FROM (SELECT ${['*', ...funnels].join(', ')} FROM (${values})) GROUP BY shown, is_bot, is_returning`,
  };
}

export interface Column {
  metric: MetricTerm;
  name:
    | 'visitors'
    | 'pending'
    | 'reached'
    | 'sum'
    | 'squares'
    | 'otherSum'
    | 'otherSquares'
    | 'product'
    | 'steps';
  sql: string;
  /** Which one, of a funnel. */
  step: number;
}

export const countColumns = (over: string): [Column['name'], string][] => [
  ['visitors', `countIf(${over})`],
  ['pending', `countIf(NOT (${over}))`],
];

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
