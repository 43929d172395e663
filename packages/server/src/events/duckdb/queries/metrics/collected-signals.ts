import type { MetricValue } from '../../../store/metric-queries.ts';
import type { Signal } from '../../../store/metric-signals.ts';
import { pageExpression } from '../../../store/page-expression.ts';
import type { SqlValues } from '../../connection/sql.ts';
import { SESSION_EVENT_TYPES } from '../../schema/duckdb-schema.ts';

export interface EventProperty {
  readonly event: string;
  readonly property: string;
}

/** Rows of `session_events` and the bits of their signals. */
export interface CollectedSignals {
  readonly where: string;
  readonly signals: string;
  readonly haveProperties: boolean;
}

type PageSignal = Extract<MetricValue, { path: string | null }>;
type EventSignal = Extract<MetricValue, { event: string }>;

const { pageview, event } = SESSION_EVENT_TYPES;

/** Condition on a page view: the pattern matches its path; null matches every page. */
export function isPage(path: string | null, values: SqlValues): string {
  return path === null ? 'true' : `coalesce(${matches(pageExpression(path), values)}, false)`;
}

const matches = (expression: string, values: SqlValues) =>
  `(url <> '' AND regexp_matches(url, ${values.add(expression)}))`;

/**
 * The events that pages have collected, by their type. What leaves rows out is a condition, because the engine checks
 * one a tenth as often as it computes a column: per text that a block of the table has, and not per row.
 */
export function collectedSignals(
  values: SqlValues,
  signals: readonly Signal[],
  bitOf: (signal: Signal) => bigint,
): CollectedSignals[] {
  const pages = signals.filter((signal) => 'path' in signal);
  const events = signals.filter((signal) => 'event' in signal);
  return [
    ...(pages.length > 0 ? [pageSignals(values, pages, bitOf)] : []),
    ...(events.length > 0 ? [eventSignals(values, events, bitOf)] : []),
  ];
}

function pageSignals(
  values: SqlValues,
  signals: readonly PageSignal[],
  bitOf: (signal: Signal) => bigint,
): CollectedSignals {
  const isViewed = `type = ${pageview}`;
  const patterns = signals.flatMap(({ path }) => (path === null ? [] : [pageExpression(path)]));
  const where =
    patterns.length < signals.length ? isViewed : `${isViewed} AND ${matches(patterns.join('|'), values)}`;
  // All rows have the only one.
  if (signals.length === 1) return { where, signals: `${bitOf(signals[0]!)}`, haveProperties: false };
  const bits = signals.map(
    (signal) => `(CASE WHEN ${isPage(signal.path, values)} THEN ${bitOf(signal)} ELSE 0 END)`,
  );
  return { where, signals: bits.join(' | '), haveProperties: false };
}

function eventSignals(
  values: SqlValues,
  signals: readonly EventSignal[],
  bitOf: (signal: Signal) => bigint,
): CollectedSignals {
  const names = signals.map((signal) => ({ name: values.add(signal.event), bit: bitOf(signal) }));
  return {
    where: `type = ${event} AND name IN (${names.map(({ name }) => name).join(', ')})`,
    signals: `CASE name ${names.map(({ name, bit }) => `WHEN ${name} THEN ${bit}`).join(' ')} END`,
    haveProperties: true,
  };
}

/** SQL for the value of a property of an event, if it is a number. A row must not fail the report, whatever its JSON is. */
export function propertyNumber(values: SqlValues, { event: name, property }: EventProperty): string {
  // A JSON pointer: JSON paths would have wildcards.
  const pointer = values.add(`/${property.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  // Strings keep their quotes as text, so only numbers are cast. Adding 0 makes 0 of -0.
  const number = `TRY_CAST(TRY(json_extract(properties, ${pointer}))::VARCHAR AS DOUBLE) + 0`;
  return `(CASE WHEN name = ${values.add(name)} THEN ${number} END)`;
}
