import type { Signal } from '../../../store/metric-signals.ts';
import { pageExpression } from '../../../store/page-expression.ts';
import type { SqlValues } from '../../connection/sql.ts';
import { SESSION_EVENT_TYPES } from '../../schema/duckdb-schema.ts';

export interface EventProperty {
  readonly event: string;
  readonly property: string;
}

const { pageview, event } = SESSION_EVENT_TYPES;

/** Condition on a page view: the pattern matches its path; null matches every page. */
export function isPage(path: string | null, values: SqlValues): string {
  if (path === null) return 'true';
  // The engine would reorder AND.
  return `(CASE WHEN coalesce(url, '') = '' THEN false
    ELSE regexp_matches(url, ${values.add(pageExpression(path))}) END)`;
}

/** SQL for the bits of an event that a page has collected. */
export function collectedSignals(
  values: SqlValues,
  signals: readonly Signal[],
  bitOf: (signal: Signal) => bigint,
): string {
  const bits = signals.flatMap((signal) => {
    const bit = bitOf(signal);
    if ('activity' in signal) return [`${bit}`];
    if ('event' in signal) return [mark(`type = ${event} AND name = ${values.add(signal.event)}`, bit)];
    return 'path' in signal ? [mark(`type = ${pageview}`, bit, isPage(signal.path, values))] : [];
  });
  return bits.join(' | ');
}

const mark = (condition: string, bit: bigint, isAlso = 'true') =>
  `(CASE WHEN NOT coalesce(${condition}, false) THEN 0 WHEN ${isAlso} THEN ${bit} ELSE 0 END)`;

/** SQL for the value of a property, if it is a number. A row must not fail the report, whatever its JSON is. */
export function propertyNumber(values: SqlValues, { event: name, property }: EventProperty): string {
  // A JSON pointer: JSON paths would have wildcards.
  const pointer = values.add(`/${property.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  const number = `TRY(json_extract(properties, ${pointer})::DOUBLE)`;
  return `(CASE WHEN type = ${event} AND name = ${values.add(name)}
      AND TRY(json_type(properties, ${pointer})) IN ('BIGINT', 'UBIGINT', 'HUGEINT', 'DOUBLE') AND isfinite(${number})
    THEN ${number} + 0 END)`;
}
