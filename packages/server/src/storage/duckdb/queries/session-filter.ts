import type { SessionPageQuery } from '../../event-store.ts';
import type { SqlValues } from '../sql.ts';
import type { QueryContext } from './query-context.ts';

/** Conditions on a list of sessions, other than time. */
export interface SessionFilter {
  /** Matches so few sessions that searching in windows is a waste. */
  isRare: boolean;
  conditions: ((values: SqlValues, property: number, since: number) => string)[];
}

/** Undefined: no session can match. */
export function filterOf({ terms, keys }: QueryContext, query: SessionPageQuery): SessionFilter | undefined {
  const { propertyId, visitorId, userId, splitTestKey, variationKey, goalId } = query;
  const conditions: SessionFilter['conditions'] = [];
  if (splitTestKey !== undefined || variationKey !== undefined) {
    const named = { split_test: splitTestKey, variation: variationKey };
    const matches = termMatches(terms, named);
    if (!matches) return undefined;
    conditions.push(eventCondition('exposures', matches));
  }
  if (goalId !== undefined) {
    const matches = termMatches(terms, { goal: goalId });
    if (!matches) return undefined;
    conditions.push(eventCondition('conversions', matches));
  }
  if (visitorId !== undefined) {
    conditions.push(identityCondition('visitor', keys.visitorKey(propertyId, visitorId), visitorId));
  }
  if (userId !== undefined)
    conditions.push(identityCondition('user', keys.userKey(propertyId, userId), userId));
  return { isRare: visitorId !== undefined || userId !== undefined, conditions };
}

function termMatches(
  terms: QueryContext['terms'],
  named: Record<string, string | undefined>,
): { column: string; term: number }[] | undefined {
  const matches: { column: string; term: number }[] = [];
  for (const [column, text] of Object.entries(named)) {
    if (text === undefined) continue;
    const term = terms.find(text);
    if (term === undefined) return undefined;
    matches.push({ column, term });
  }
  return matches;
}

/** No event is older than the start of its session, so the window applies to events too. */
function eventCondition(
  table: 'exposures' | 'conversions',
  matches: readonly { column: string; term: number }[],
): SessionFilter['conditions'][number] {
  return (values, property, since) => {
    const termConditions = matches.map(({ column, term }) => `AND ${column} = ${values.add(term)}`).join(' ');
    return `session_key IN (SELECT session_key FROM ${table}
      WHERE property = ${values.add(property)} AND happened_at >= ${values.add(since)} ${termConditions})`;
  };
}

/** Sessions whose latest visitor or user is this one. */
function identityCondition(
  who: 'visitor' | 'user',
  key: bigint,
  id: string,
): SessionFilter['conditions'][number] {
  return (values, property) => {
    const own = `property = ${values.add(property)}`;
    return `session_key IN (
      SELECT session_key FROM collects
      WHERE ${own} AND ${who}_key IS NOT NULL
        AND session_key IN (SELECT session_key FROM collects WHERE ${own} AND ${who}_key = ${values.add(key)})
      GROUP BY session_key HAVING arg_max(${who}_id, seq) = ${values.add(id)})`;
  };
}
