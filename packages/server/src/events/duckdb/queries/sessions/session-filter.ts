import { COOKIELESS_PREFIX } from '@switchyard/core/cleaning/cookieless';
import type { SessionPageQuery } from '../../../store/event-store.ts';
import type { SqlValues } from '../../connection/sql.ts';
import { SESSION_EVENT_TYPES } from '../../schema/duckdb-schema.ts';
import type { QueryContext } from '../query-context.ts';
import { pageOf } from '../traffic/traffic-values.ts';
import { clientConditions } from './client-conditions.ts';
import { exposedCondition } from './exposed-condition.ts';
import type { SessionCondition } from './session-condition.ts';

/** Conditions on a list of sessions, other than time. */
export interface SessionFilter {
  /** Matches so few sessions, or reads so much, that searching in windows is a waste. */
  isRare: boolean;
  conditions: SessionCondition[];
}

/** Undefined: no session can match. */
export function filterOf(context: QueryContext, query: SessionPageQuery): SessionFilter | undefined {
  const { visitorId, userId, exposed } = query;
  const conditions = [
    LISTED,
    ...eventConditions(context, query),
    ...feedbackConditions(context, query),
    ...clientConditions(context, query),
    ...identityConditions(context, query),
  ];
  if (conditions.includes(NEVER)) return undefined;
  return { isRare: visitorId !== undefined || userId !== undefined || exposed !== undefined, conditions };
}

/** Sessions of pages that store nothing on the device are counted, but not listed. */
const LISTED: SessionCondition = () => `NOT starts_with(session_id, '${COOKIELESS_PREFIX}')`;
const NEVER: SessionCondition = () => 'false';

function eventConditions(
  context: QueryContext,
  { propertyId, splitTestKey, variationKey, exposed, goalId, page }: SessionPageQuery,
): SessionCondition[] {
  const conditions: SessionCondition[] = [];
  if (splitTestKey !== undefined || variationKey !== undefined) {
    const named = { split_test: splitTestKey, variation: variationKey };
    conditions.push(eventCondition(context, 'exposures', named));
  }
  if (exposed !== undefined) conditions.push(exposedCondition(context, propertyId, exposed) ?? NEVER);
  if (goalId !== undefined) conditions.push(eventCondition(context, 'conversions', { goal: goalId }));
  if (page !== undefined) conditions.push(pageCondition(page));
  return conditions;
}

function feedbackConditions(context: QueryContext, query: SessionPageQuery): SessionCondition[] {
  const { feedbackTypeId, hasFeedback = feedbackTypeId !== undefined || undefined } = query;
  if (hasFeedback === undefined) return [];
  const answered = eventCondition(context, 'feedback', { feedback_type: feedbackTypeId });
  if (hasFeedback) return [answered];
  return [(...scope) => `NOT (${answered(...scope)})`];
}

/** Who the sessions of a property belong to. */
interface Identified {
  propertyId: string;
  visitorId?: string;
  userId?: string;
}

export function identityConditions(
  context: QueryContext,
  { propertyId, visitorId, userId }: Identified,
): SessionCondition[] {
  const { keys } = context;
  const conditions: SessionCondition[] = [];
  if (visitorId !== undefined) {
    conditions.push(identityCondition(context, 'visitor', keys.visitorKey(propertyId, visitorId), visitorId));
  }
  if (userId !== undefined)
    conditions.push(identityCondition(context, 'user', keys.userKey(propertyId, userId), userId));
  return conditions;
}

/** Sessions with an event that has these terms. No event is older than its session, so the window applies to events too. */
function eventCondition(
  { terms }: QueryContext,
  table: 'exposures' | 'conversions' | 'feedback',
  named: Record<string, string | undefined>,
): SessionCondition {
  const matches: { column: string; term: number }[] = [];
  for (const [column, text] of Object.entries(named)) {
    if (text === undefined) continue;
    const term = terms.find(text);
    if (term === undefined) return NEVER;
    matches.push({ column, term });
  }
  return (values, property, since) => {
    const termConditions = matches.map(({ column, term }) => `AND ${column} = ${values.add(term)}`).join(' ');
    return `session_key IN (SELECT session_key FROM ${table}
      WHERE property = ${values.add(property)} AND session_key IS NOT NULL
        AND happened_at >= ${values.add(since)} ${termConditions})`;
  };
}

function pageCondition(page: string | null): SessionCondition {
  return (values, property, since) => `session_key IN (SELECT session_key FROM session_events
    WHERE property = ${values.add(property)} AND type = ${SESSION_EVENT_TYPES.pageview}
      AND happened_at >= ${values.add(since)} AND ${isPage(page, values)})`;
}

/** Extracts the pages of few other URLs, which takes long. */
function isPage(page: string | null, values: SqlValues): string {
  if (page === null) return `coalesce(url, '') = ''`;
  const isLikely = `contains(url, ${values.add(page.slice(1))})`;
  // Not AND, whose conditions the engine reorders.
  return `CASE WHEN ${isLikely} THEN ${pageOf('url')} = ${values.add(page)} ELSE false END`;
}

/** Sessions whose latest visitor or user is this one. */
function identityCondition(
  { sources }: QueryContext,
  who: 'visitor' | 'user',
  key: bigint,
  id: string,
): SessionCondition {
  return (values, property) => {
    const own = `property = ${values.add(property)}`;
    return `session_key IN (
      SELECT session_key FROM collects
      WHERE ${own} AND ${who}_key IS NOT NULL
        AND session_key IN (SELECT session_key FROM collects WHERE ${own} AND ${who}_key = ${values.add(key)})
      GROUP BY session_key HAVING arg_max(${who}_id, ${sources.collectOrder}) = ${values.add(id)})`;
  };
}
