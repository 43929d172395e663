import { BOT_DEVICE } from '../../store/accepted-request.ts';
import { SqlValues } from '../connection/sql-values.ts';
import type { TableNames } from '../schema/table-names.ts';
import type { QueryContext } from './query-context.ts';

/** SELECT of the ids of bots' sessions. `where` filters `collects` and `session_starts`. */
export const botSessions = (tables: TableNames, where: string) =>
  `SELECT session_id FROM ${tables.of('collects')} WHERE ${where} AND device = '${BOT_DEVICE}'
   UNION ALL SELECT session_id FROM ${tables.of('session_starts')} WHERE ${where} AND bot`;

/** Condition on `conversions` and `feedback`: those of bots, or all others, which those without a session belong to. */
export function botCondition(tables: TableNames, property: string, bot: boolean): string {
  const isBots = `has_session AND session_id IN (${botSessions(tables, property)})`;
  return bot ? isBots : `NOT (${isBots})`;
}

/** Which of the sessions are those of bots. */
export async function botsAmong(
  { clickhouse }: QueryContext,
  propertyId: string,
  sessionIds: readonly (string | null)[],
): Promise<Set<string>> {
  const listed = [...new Set(sessionIds.filter((id) => id !== null))];
  if (listed.length === 0) return new Set();
  const values = new SqlValues();
  const where = `property = ${values.text(propertyId)} AND session_id IN ${values.texts(listed)}`;
  const rows = await clickhouse.rows<[string]>(botSessions(clickhouse.tables, where), values.parameters);
  return new Set(rows.map(([sessionId]) => sessionId));
}
