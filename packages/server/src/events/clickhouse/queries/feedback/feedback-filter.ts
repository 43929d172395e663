import type { FeedbackFilter } from '../../../store/feedback-queries.ts';
import type { SqlValues } from '../../connection/sql-values.ts';
import type { TableNames } from '../../schema/table-names.ts';
import { botCondition } from '../bot-sessions.ts';
import { countsOnce } from '../repeated-events.ts';
import { ofIdentity } from '../sessions/latest-identity.ts';
import { SEEN_AT } from '../split-tests/phase-exposures.ts';
import { rowsWithUnits, SESSION_KEY } from '../units.ts';

export function feedbackCondition(tables: TableNames, query: FeedbackFilter, values: SqlValues): string {
  const propertyId = values.text(query.propertyId);
  const property = `property = ${propertyId}`;
  const conditions = [property, countsOnce(tables, propertyId)];
  const add = (condition: string) => conditions.push(condition);
  if (query.feedbackTypeId !== undefined) add(`feedback_type = ${values.text(query.feedbackTypeId)}`);
  if (query.splitTestKey !== undefined) {
    const variation =
      query.variationKey === undefined ? '' : `AND variation = ${values.text(query.variationKey)}`;
    const exposed = `${property} AND split_test = ${values.text(query.splitTestKey)} ${variation}`;
    add(afterExposure(tables, propertyId, exposed));
  }
  if (query.option !== undefined) add(`option = ${values.text(query.option)}`);
  if (query.hasMessage !== undefined) add(`message IS ${query.hasMessage ? 'NOT NULL' : 'NULL'}`);
  if (query.search !== undefined) {
    add(`position(lowerUTF8(ifNull(message, '')), lowerUTF8(${values.text(query.search)})) > 0`);
    add('message IS NOT NULL');
  }
  if (query.sessionId !== undefined) add(`has_session AND session_id = ${values.text(query.sessionId)}`);
  if (query.bot !== undefined) add(botCondition(tables, property, query.bot));
  conditions.push(...ofIdentity(tables, query, values));
  if (query.from !== undefined) add(`happened_at >= ${values.integer(query.from)}`);
  if (query.to !== undefined) add(`happened_at < ${values.integer(query.to)}`);
  if (query.ids !== undefined) add(`feedback_id IN ${values.texts(query.ids)}`);
  if (query.exceptIds !== undefined) add(`feedback_id NOT IN ${values.texts(query.exceptIds)}`);
  return conditions.join(' AND ');
}

/** Entries of visitors at or after their first exposure to the test, or to one variation. */
function afterExposure(tables: TableNames, property: string, exposed: string): string {
  const entries = `SELECT ${SESSION_KEY} AS session, feedback_id, happened_at AS answered_at FROM ${tables.of('feedback')}
    WHERE property = ${property} AND has_session`;
  const exposures = `SELECT ${SESSION_KEY} AS session, ${SEEN_AT} AS seen_at FROM ${tables.of('exposures')}
    WHERE ${exposed}`;
  const rows = (select: string) =>
    rowsWithUnits(tables, { select, sessions: [`SELECT session FROM (${select})`] }, { property });
  return `feedback_id IN (
    SELECT feedback_id FROM (${rows(entries)}) AS entries
    JOIN (SELECT unit, min(seen_at) AS first_at FROM (${rows(exposures)}) GROUP BY unit) AS exposed USING (unit)
    WHERE answered_at >= first_at)`;
}
