import type { Erasure, Subject } from '../../erasure-subject.ts';
import type { ClickHouse } from '../client/clickhouse-client.ts';
import { SqlValues } from '../client/sql-values.ts';
import type { QueryContext } from '../queries/query-context.ts';
import { countsOnce } from '../queries/repeated-events.ts';
import { EVENT_TABLES, SESSION_TABLES } from '../schema/clickhouse-tables.ts';
import { deleteRows } from './delete-rows.ts';
import { eraseRows, findRows } from './erase-rows.ts';
import { partsOf, sessionsOf } from './subject-rows.ts';

/** Deletes all rows of the subjects' sessions, and single entries. */
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
    if ('feedbackId' in subject || 'metadata' in subject) {
      const found = await findRows(clickhouse, subject, (sessionId) => seen.has(keyOf(sessionId)));
      await eraseRows(clickhouse, found);
      erasures.push({ rows: found.rows });
      continue;
    }
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
