import type { ExposedSessions } from '../../session-conditions.ts';
import { isConverted } from './goal-terms.ts';
import type { QueryContext } from './query-context.ts';
import { resolvedVisitors } from './resolved-visitors.ts';
import type { SessionCondition } from './session-filter.ts';

/** Sessions with an exposure in one phase of a test, by what their visitor saw and did; undefined: there are none. */
export function exposedCondition(
  context: QueryContext,
  propertyId: string,
  query: ExposedSessions,
): SessionCondition | undefined {
  const { terms } = context;
  const property = terms.find(propertyId);
  const test = terms.find(query.splitTestKey);
  const variations = query.variationKeys.map((key) => terms.find(key)).filter((term) => term !== undefined);
  const variation = query.variationKey === undefined ? undefined : terms.find(query.variationKey);
  const isUnknown = property === undefined || test === undefined || variations.length === 0;
  if (isUnknown || (query.variationKey !== undefined && variation === undefined)) return undefined;
  const { phase, from, to, multipleVariations, converted } = query;
  const exposed = `property = ${property} AND split_test = ${test} AND variation IN (${variations.join(', ')})
    AND (phase = ${phase} OR (phase IS NULL AND happened_at >= ${from} AND happened_at < ${to}))`;
  const goal =
    converted === undefined ? undefined : { ...converted, term: terms.find(converted.goalId) ?? -1 };
  const reached =
    goal &&
    `property = ${property} AND session_key IS NOT NULL AND goal = ${goal.term} AND happened_at < ${goal.until}`;
  const conditions = [
    ...(variation === undefined ? [] : [`variation = ${variation}`]),
    ...(multipleVariations === undefined ? [] : [`saw_several = ${multipleVariations}`]),
    ...(goal === undefined ? [] : [`unit ${goal.value ? 'IN' : 'NOT IN'} (SELECT unit FROM converted)`]),
  ];
  const unresolved = [
    `SELECT session_key FROM exposures WHERE ${exposed} AND unit_key IS NULL`,
    ...(reached ? [`SELECT session_key FROM conversions WHERE ${reached} AND unit_key IS NULL`] : []),
  ];
  const tables = [
    `resolved AS (${resolvedVisitors(context, property, unresolved)})`,
    `seen AS (
      SELECT session_key, coalesce(visitor_key, unit_key, session_key) AS unit, variation,
             least(happened_at, received_at) AS seen_at
      FROM exposures LEFT JOIN resolved USING (session_key) WHERE ${exposed})`,
    `visitors AS (
      SELECT unit, min(seen_at) AS first_at, min(variation) <> max(variation) AS saw_several FROM seen GROUP BY unit)`,
    ...(reached && goal ? [convertedTable(reached, goal)] : []),
  ];
  const sql = `session_key IN (
    WITH ${tables.join(', ')}
    SELECT session_key FROM seen JOIN visitors USING (unit) WHERE ${['true', ...conditions].join(' AND ')})`;
  return () => sql;
}

function convertedTable(reached: string, goal: { term: number; isRevenue: boolean }): string {
  return `converted AS (
    SELECT unit FROM (
      SELECT coalesce(visitor_key, unit_key, session_key) AS unit, goal, happened_at, direction, amount_micros
      FROM conversions LEFT JOIN resolved USING (session_key) WHERE ${reached})
    JOIN visitors USING (unit) WHERE happened_at >= first_at
    GROUP BY unit, goal HAVING ${isConverted([goal], 'sum(direction)', 'sum(amount_micros)')})`;
}
