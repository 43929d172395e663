import type { Erasure, Subject } from '../../event-store.ts';
import type { ClickHouse } from '../client/clickhouse-client.ts';
import { SqlValues } from '../client/sql-values.ts';
import type { QueryContext } from '../queries/query-context.ts';
import { countsOnce } from '../queries/repeated-events.ts';
import { EVENT_TABLES, SESSION_TABLES, type TableName } from '../schema/clickhouse-tables.ts';
import { deleteRows } from './delete-rows.ts';

/** Max sessions of a statement; their ids become part of it. */
const MAX_SESSIONS = 1000;

/** Deletes all rows of the subjects' sessions. */
export async function forgetSubjects(
  { clickhouse }: QueryContext,
  subjects: readonly Subject[],
): Promise<Erasure[]> {
  const toErase = new Map<string, string[]>();
  const erasures: Erasure[] = [];
  const seen = new Set<string>();
  for (const subject of subjects) {
    const { propertyId } = subject;
    const keyOf = (sessionId: string) => JSON.stringify([propertyId, sessionId]);
    const all = await sessionsOf(clickhouse, subject);
    const sessionIds = all.filter((sessionId) => !seen.has(keyOf(sessionId)));
    for (const sessionId of sessionIds) seen.add(keyOf(sessionId));
    toErase.set(propertyId, [...(toErase.get(propertyId) ?? []), ...sessionIds]);
    erasures.push({ rows: await countEvents(clickhouse, propertyId, sessionIds) });
  }
  for (const [propertyId, sessionIds] of toErase) {
    for (const part of partsOf(sessionIds)) await deleteSessions(clickhouse, propertyId, part);
  }
  return erasures;
}

/** Those with any collect from the visitor or user. */
async function sessionsOf(clickhouse: ClickHouse, subject: Subject): Promise<string[]> {
  const values = new SqlValues();
  const property = `property = ${values.text(subject.propertyId)}`;
  const select = (table: TableName, column: string, id: string) =>
    `SELECT DISTINCT session_id FROM ${clickhouse.tables.of(table)} WHERE ${property} AND ${column} = ${values.text(id)}`;
  const statement =
    'visitorId' in subject
      ? select('collects', 'visitor_id', subject.visitorId)
      : 'userId' in subject
        ? select('collects', 'user_id', subject.userId)
        : // With its collects: an interrupted erasure may have left only those.
          `${select('session_starts', 'session_id', subject.sessionId)}
           UNION DISTINCT ${select('collects', 'session_id', subject.sessionId)}`;
  const rows = await clickhouse.rows<[string]>(statement, values.parameters);
  return rows.map(([sessionId]) => sessionId);
}

async function countEvents(
  clickhouse: ClickHouse,
  propertyId: string,
  sessionIds: readonly string[],
): Promise<number> {
  let total = 0;
  for (const part of partsOf(sessionIds)) {
    const values = new SqlValues();
    const property = values.text(propertyId);
    const where = `property = ${property} AND session_id IN ${values.texts(part)}`;
    const counts = EVENT_TABLES.map((table) => {
      const isCounted =
        table === 'conversions' || table === 'feedback'
          ? `has_session AND ${countsOnce(clickhouse.tables, property)}`
          : 'true';
      return `SELECT count() AS events FROM ${clickhouse.tables.of(table)} WHERE ${where} AND ${isCounted}`;
    });
    const rows = await clickhouse.rows<[string]>(
      `SELECT sum(events) FROM (${counts.join(' UNION ALL ')})`,
      values.parameters,
    );
    total += Number(rows[0]![0]);
  }
  return total;
}

/** The collects last: if this is interrupted, the sessions of a visitor can still be found. */
async function deleteSessions(
  clickhouse: ClickHouse,
  propertyId: string,
  sessionIds: readonly string[],
): Promise<void> {
  for (const table of SESSION_TABLES) {
    const values = new SqlValues();
    const hasSession = table === 'conversions' || table === 'feedback' ? 'has_session' : 'true';
    const condition = `property = ${values.text(propertyId)} AND session_id IN ${values.texts(sessionIds)} AND ${hasSession}`;
    await deleteRows(clickhouse, table, condition, values.parameters);
  }
}

function* partsOf(sessionIds: readonly string[]): Generator<readonly string[]> {
  for (let start = 0; start < sessionIds.length; start += MAX_SESSIONS) {
    yield sessionIds.slice(start, start + MAX_SESSIONS);
  }
}
