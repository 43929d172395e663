import type { MetricTerm } from '../../../store/metric-queries.ts';
import { isQuantile, type MetricSignals, type Signal, windowOf } from '../../../store/metric-signals.ts';
import { pageExpression } from '../../../store/page-expression.ts';
import type { SqlValues } from '../../connection/sql-values.ts';
import type { TableNames } from '../../schema/table-names.ts';
import { countsOnce } from '../repeated-events.ts';
import { SEEN_AT } from '../split-tests/phase-exposures.ts';
import type { VisitorEvents } from '../split-tests/split-test-visitors.ts';
import { SESSION_KEY } from '../units.ts';
import type { Entered, MetricVisitors } from './metric-visitors.ts';

type EventProperty = { readonly event: string; readonly property: string };

/** Positions of the columns of an event, from 1. */
export const EVENT = { signals: 1, at: 2, direction: 3, micros: 4, firstValue: 5 } as const;

export interface MetricScope {
  tables: TableNames;
  visitors: MetricVisitors;
  metrics: readonly MetricTerm[];
  signals: MetricSignals;
  entered: Entered;
  until: number;
}

/** The numeric properties that metrics need, each once. */
export function propertiesOf(metrics: readonly MetricTerm[]): EventProperty[] {
  const measured = metrics.filter(isQuantile).flatMap(({ value }) => ('event' in value ? [value] : []));
  return [...new Map(measured.map((value) => [JSON.stringify(value), value])).values()];
}

/** Condition on `url` of a page view: the pattern matches its path; null matches every page. */
export const isPage = (values: SqlValues, path: string | null, url: string) =>
  path === null ? 'true' : `(${url} <> '' AND match(${url}, ${values.text(pageExpression(path))}))`;

/** Condition on a time: within those of any visitor. */
export function isInPeriod(time: string, { visitors, metrics, entered, until }: MetricScope): string {
  const ends = metrics.map((metric) => {
    const window = windowOf(metric);
    return window === null ? until : entered[1] + window;
  });
  const [from, to] = [entered[0], Math.max(...ends)].map((at) => visitors.values.integer(at));
  return `${time} >= ${from} AND ${time} < ${to}`;
}

/** SELECTs of the events that metrics need, with the bits of their signals. */
export function metricEvents(scope: MetricScope): VisitorEvents {
  const { signals, metrics } = scope;
  const has = (isWanted: (signal: Signal) => boolean) => signals.list.some(isWanted);
  const selects = [
    ...(has((it) => 'goalId' in it) ? [conversions(scope)] : []),
    ...(has((it) => !('goalId' in it)) ? [collected(scope)] : []),
    ...(has((it) => 'activity' in it) ? [shown(scope)] : []),
  ];
  const values = propertiesOf(metrics).map((_, index) => [`value_${index}`, 'NULL']);
  return {
    columns: { signals: '0', at: '0', direction: '0', micros: '0', ...Object.fromEntries(values) },
    select: selects.map(({ select }) => select).join(' UNION ALL '),
    sessions: selects.map(({ sessions }) => sessions),
  };
}

const noValues = ({ metrics }: MetricScope) =>
  propertiesOf(metrics)
    .map((_, index) => `, CAST(NULL, 'Nullable(Float64)') AS value_${index}`)
    .join('');

const bitOf = ({ signals }: MetricScope, signal: Signal) => 1n << BigInt(signals.indexOf(signal));

function conversions(scope: MetricScope) {
  const { tables, visitors, signals } = scope;
  const { values, property } = visitors;
  const goals = signals.list.flatMap((signal) => ('goalId' in signal ? [signal] : []));
  const ids = values.texts(goals.map(({ goalId }) => goalId));
  const bits = values.integers(goals.map((signal) => bitOf(scope, signal)));
  const from = `FROM ${tables.of('conversions')} WHERE property = ${property} AND has_session
    AND has(${ids}, goal) AND ${isInPeriod('happened_at', scope)}`;
  return {
    select: `SELECT ${SESSION_KEY} AS session, toUInt64(${bits}[indexOf(${ids}, goal)]) AS signals, happened_at AS at, direction,
        amount_micros AS micros${noValues(scope)}
      ${from} AND ${countsOnce(tables, property)}`,
    sessions: `SELECT ${SESSION_KEY} ${from}`,
  };
}

function collected(scope: MetricScope) {
  const { tables, visitors, signals, metrics } = scope;
  const { values, property } = visitors;
  const bits = signals.list.flatMap((signal) => {
    const bit = `toUInt64(${bitOf(scope, signal)})`;
    if ('activity' in signal) return [bit];
    if ('event' in signal) return [`if(${isEvent(values, signal.event)}, ${bit}, 0)`];
    if (!('path' in signal)) return [];
    return [`if(type = 'pageview' AND ${isPage(values, signal.path, "ifNull(url, '')")}, ${bit}, 0)`];
  });
  const numbers = propertiesOf(metrics).map(
    (it, index) => `, ${propertyNumber(values, it)} AS value_${index}`,
  );
  const from = `FROM ${tables.of('session_events')} WHERE property = ${property} AND ${isInPeriod('happened_at', scope)}`;
  const select = `SELECT ${SESSION_KEY} AS session, ${bits.join(' + ')} AS signals, happened_at AS at, 1 AS direction, 0 AS micros
      ${numbers.join('')} ${from} AND signals > 0`;
  return { select, sessions: `SELECT session FROM (${select})` };
}

const isEvent = (values: SqlValues, name: string) =>
  `type = 'event' AND ifNull(name = ${values.text(name)}, false)`;

function propertyNumber(values: SqlValues, { event, property }: EventProperty): string {
  const [json, name] = ["ifNull(properties, '')", values.text(property)];
  const number = `JSONExtractFloat(${json}, ${name})`;
  const isNumber = `JSONType(${json}, ${name}) IN ('Int64', 'UInt64', 'Double') AND isFinite(${number})`;
  return `if(${isEvent(values, event)} AND ${isNumber}, toNullable(${number}), NULL)`;
}

/** Exposures to any test are activity. */
function shown(scope: MetricScope) {
  const from = `FROM ${scope.tables.of('exposures')}
    WHERE property = ${scope.visitors.property} AND ${isInPeriod(SEEN_AT, scope)}`;
  return {
    select: `SELECT ${SESSION_KEY} AS session, toUInt64(${bitOf(scope, { activity: true })}) AS signals, ${SEEN_AT} AS at,
        1 AS direction, 0 AS micros${noValues(scope)} ${from}`,
    sessions: `SELECT ${SESSION_KEY} ${from}`,
  };
}
