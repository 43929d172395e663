import { COOKIELESS_PREFIX } from '@switchyard/core/cleaning/cookieless';
import type { SessionPageQuery } from '../../../store/event-store.ts';
import type { SessionConditions } from '../../../store/session-conditions.ts';
import type { SqlValues } from '../../connection/sql-values.ts';
import type { TableName } from '../../schema/table-columns.ts';
import type { TableNames } from '../../schema/table-names.ts';
import { botSessions } from '../bot-sessions.ts';
import { countsOnce } from '../repeated-events.ts';
import { pageOf } from '../traffic/traffic-values.ts';
import { exposedCondition } from './exposed-condition.ts';
import { latest } from './latest-identity.ts';

/**
 * SQL for the conditions on a list of sessions, other than time: conditions on `session_id`.
 *
 * @param sessions condition on the sessions that are listed
 */
export function sessionConditions(
  tables: TableNames,
  sessions: string,
  query: SessionPageQuery,
  values: SqlValues,
): string[] {
  const sessionsOf = (table: TableName, condition: string) =>
    `SELECT session_id FROM ${tables.of(table)} WHERE ${sessions} AND ${condition}`;
  const scope = { tables, sessions, values, sessionsOf };
  return [
    // Sessions of pages that store nothing on the device are counted, but not listed.
    `NOT startsWith(session_id, '${COOKIELESS_PREFIX}')`,
    ...eventConditions(scope, query),
    ...feedbackConditions(scope, query),
    ...clientConditions(scope, query),
    ...identityConditions(scope, query),
  ];
}

interface Scope {
  tables: TableNames;
  /** Condition on the sessions that are listed. */
  sessions: string;
  values: SqlValues;
  /** SELECT of the sessions with a row that matches. */
  sessionsOf(table: TableName, condition: string): string;
}

function eventConditions(scope: Scope, query: SessionPageQuery): string[] {
  const { tables, values, sessionsOf } = scope;
  const { propertyId, splitTestKey, variationKey, exposed, goalId, page } = query;
  const conditions: string[] = [];
  if (splitTestKey !== undefined || variationKey !== undefined) {
    const matches = ['true'];
    if (splitTestKey !== undefined) matches.push(`split_test = ${values.text(splitTestKey)}`);
    if (variationKey !== undefined) matches.push(`variation = ${values.text(variationKey)}`);
    conditions.push(`session_id IN (${sessionsOf('exposures', matches.join(' AND '))})`);
  }
  if (exposed !== undefined) conditions.push(exposedCondition(tables, values, propertyId, exposed));
  if (goalId !== undefined) {
    // A repeated conversion has the same session and goal, so it does not matter here.
    const reached = `has_session AND goal = ${values.text(goalId)}`;
    conditions.push(`session_id IN (${sessionsOf('conversions', reached)})`);
  }
  if (page !== undefined) {
    const isPage = `${pageOf("ifNull(url, '')")} = ${values.text(page ?? '')}`;
    conditions.push(`session_id IN (${sessionsOf('session_events', `type = 'pageview' AND ${isPage}`)})`);
  }
  return conditions;
}

function feedbackConditions(scope: Scope, query: SessionPageQuery): string[] {
  const { tables, values, sessionsOf } = scope;
  const { propertyId, feedbackTypeId, hasFeedback = feedbackTypeId !== undefined || undefined } = query;
  if (hasFeedback === undefined) return [];
  const type = feedbackTypeId === undefined ? 'true' : `feedback_type = ${values.text(feedbackTypeId)}`;
  const answered = `has_session AND ${type} AND ${countsOnce(tables, values.text(propertyId))}`;
  return [`session_id ${hasFeedback ? 'IN' : 'NOT IN'} (${sessionsOf('feedback', answered)})`];
}

const CLIENT_COLUMNS = ['country', 'device', 'browser', 'os'] as const;

/** Conditions on what is known about the browser of a session. */
function clientConditions(
  { tables, sessions, values, sessionsOf }: Scope,
  query: SessionConditions,
): string[] {
  const conditions: string[] = [];
  for (const column of CLIENT_COLUMNS) {
    const value = query[column];
    if (value === undefined) continue;
    const having =
      value === null
        ? `${latest(column)} NOT IN ('', 'unknown')`
        : `${latest(column)} = ${values.text(value)}`;
    const matching = sessionsOf('collects', `true GROUP BY session_id HAVING ${having}`);
    conditions.push(`session_id ${value === null ? 'NOT IN' : 'IN'} (${matching})`);
  }
  if (query.bot !== undefined) {
    conditions.push(`session_id ${query.bot ? 'IN' : 'NOT IN'} (${botSessions(tables, sessions)})`);
  }
  return conditions;
}

function identityConditions(scope: Scope, { visitorId, userId }: SessionConditions): string[] {
  return [
    ...(visitorId === undefined ? [] : [identityCondition(scope, 'visitor_id', visitorId)]),
    ...(userId === undefined ? [] : [identityCondition(scope, 'user_id', userId)]),
  ];
}

/** Sessions whose latest visitor or user is this one. */
function identityCondition(
  { values, sessionsOf }: Scope,
  column: 'visitor_id' | 'user_id',
  id: string,
): string {
  const value = values.text(id);
  const ever = sessionsOf('collects', `${column} = ${value}`);
  return `session_id IN (${sessionsOf(
    'collects',
    `session_id IN (${ever}) GROUP BY session_id HAVING ${latest(column)} = ${value}`,
  )})`;
}
