import type { FeedbackFilter } from '../../../store/feedback-queries.ts';
import { type SqlValues, textList } from '../../connection/sql.ts';
import { botCondition } from '../bot-sessions.ts';
import type { QueryContext } from '../query-context.ts';
import { identityConditions } from '../sessions/session-filter.ts';
import { resolvedVisitors } from '../split-tests/resolved-visitors.ts';

/** SQL for the condition on `feedback`; undefined: no entry can match. */
export function feedbackCondition(
  context: QueryContext,
  query: FeedbackFilter,
  values: SqlValues,
): string | undefined {
  const { terms } = context;
  const property = terms.find(query.propertyId);
  if (property === undefined) return undefined;
  const conditions = [`property = ${values.add(property)}`];
  const add = (condition: string) => conditions.push(condition);
  if (query.feedbackTypeId !== undefined) {
    const type = terms.find(query.feedbackTypeId);
    if (type === undefined) return undefined;
    add(`feedback_type = ${values.add(type)}`);
  }
  if (query.splitTestKey !== undefined) {
    const test = terms.find(query.splitTestKey);
    const variation = query.variationKey === undefined ? undefined : terms.find(query.variationKey);
    if (test === undefined || (query.variationKey !== undefined && variation === undefined)) return undefined;
    add(afterExposure(context, property, test, variation));
  }
  if (query.option !== undefined) add(`option = ${values.add(query.option)}`);
  if (query.hasMessage !== undefined) add(`message IS ${query.hasMessage ? 'NOT NULL' : 'NULL'}`);
  if (query.search !== undefined) add(`contains(lower(message), lower(${values.add(query.search)}))`);
  if (query.sessionId !== undefined) add(`session_id = ${values.add(query.sessionId)}`);
  if (query.bot !== undefined) add(botCondition(context, property, query.bot));
  for (const condition of identityConditions(context, query)) add(condition(values, property, 0));
  if (query.from !== undefined) add(`happened_at >= ${values.add(query.from)}`);
  if (query.to !== undefined) add(`happened_at < ${values.add(query.to)}`);
  const listed = (ids: readonly string[]) => textList(values.add(JSON.stringify(ids)));
  if (query.ids !== undefined) add(`feedback_id IN ${listed(query.ids)}`);
  if (query.exceptIds !== undefined) add(`feedback_id NOT IN ${listed(query.exceptIds)}`);
  return conditions.join(' AND ');
}

/** Entries of visitors at or after their first exposure to the test, or to one variation. */
function afterExposure(
  context: QueryContext,
  property: number,
  test: number,
  variation: number | undefined,
): string {
  const exposed = `property = ${property} AND split_test = ${test}
    ${variation === undefined ? '' : `AND variation = ${variation}`}`;
  const answered = `property = ${property} AND session_key IS NOT NULL`;
  return `rowid IN (
    WITH resolved AS (${resolvedVisitors(context, property, [
      `SELECT session_key FROM exposures WHERE ${exposed} AND unit_key IS NULL`,
      `SELECT session_key FROM feedback WHERE ${answered}`,
    ])}),
    visitors AS (
      SELECT coalesce(visitor_key, unit_key, session_key) AS unit, min(least(happened_at, received_at)) AS first_at
      FROM exposures LEFT JOIN resolved USING (session_key) WHERE ${exposed} GROUP BY unit),
    entries AS (
      SELECT coalesce(visitor_key, session_key) AS unit, feedback.rowid AS entry, happened_at
      FROM feedback LEFT JOIN resolved USING (session_key) WHERE ${answered})
    SELECT entry FROM entries JOIN visitors USING (unit) WHERE happened_at >= first_at)`;
}
