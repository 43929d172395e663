import type { SessionRemains } from '../../../store/accepted-request.ts';
import { type ExportedRemains, remainsKey, remainsOf } from '../../../store/request-remains.ts';
import { keyList, recordsOf } from '../../connection/sql.ts';
import { EVENT_TABLES, SESSION_EVENT_TYPES } from '../../schema/duckdb-schema.ts';
import type { QueryContext } from '../query-context.ts';

type RemainsRow = {
  session_id: string;
  started_at: bigint;
  first_at: bigint;
  any_bot: boolean;
  has_view: boolean;
  entry_at: bigint | null;
  entry_url: string;
  entry_referrer: string;
  exit_at: bigint | null;
  exit_url: string;
};

/** What is left of sessions that started before their first event. The caller holds a snapshot. */
export async function exportedRemains(
  { connection, terms, keys, sources }: QueryContext,
  sessions: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<ExportedRemains> {
  const remains = new Map<string, SessionRemains>();
  const viewed = (pick: 'arg_min' | 'arg_max', column: string) =>
    `${pick}(coalesce(${column}, ''), (happened_at, ${sources.tieBreak}))`;
  const events = EVENT_TABLES.map(
    (table) => `SELECT session_key, happened_at, ${table === 'session_events' ? 'type' : 'NULL'} AS type,
      ${table === 'exposures' ? 'bot' : 'false'} AS bot FROM ${table} WHERE property = $1`,
  );
  const statement = `
    WITH listed AS MATERIALIZED (
      SELECT session_key, session_id, started_at, expired_bot FROM sessions
      WHERE property = $1 AND session_hash IN ${keyList('$2')}),
    remaining AS (
      SELECT session_key, min(happened_at) AS first_at, bool_or(bot) AS any_bot,
        coalesce(bool_or(type = ${SESSION_EVENT_TYPES.pageview}), false) AS has_view
      FROM (${events.join(' UNION ALL ')}) WHERE session_key IN (SELECT session_key FROM listed)
      GROUP BY session_key),
    views AS (
      SELECT session_key, min(happened_at) AS entry_at, ${viewed('arg_min', 'url')} AS entry_url,
        ${viewed('arg_min', 'referrer')} AS entry_referrer, max(happened_at) AS exit_at,
        ${viewed('arg_max', 'url')} AS exit_url
      FROM expired_views WHERE property = $1 GROUP BY session_key)
    SELECT session_id, started_at, first_at, any_bot OR coalesce(expired_bot, false) AS any_bot, has_view,
      entry_at, entry_url, entry_referrer, exit_at, exit_url
    FROM listed JOIN remaining USING (session_key) LEFT JOIN views USING (session_key)
    WHERE started_at < first_at`;
  for (const [propertyId, sessionIds] of sessions) {
    const hashes = [...sessionIds].map((sessionId) => keys.sessionHash(propertyId, sessionId).value);
    const values = [terms.find(propertyId) ?? -1, hashes.join(',')];
    for (const row of await recordsOf<RemainsRow>(connection, statement, values)) {
      const exit = row.has_view ? null : row.exit_at;
      const kept = remainsOf({
        sessionId: row.session_id,
        startedAt: Number(row.started_at),
        firstAt: Number(row.first_at),
        bot: row.any_bot,
        entry: row.entry_at === null ? undefined : [Number(row.entry_at), row.entry_url, row.entry_referrer],
        exit: exit === null ? undefined : [Number(exit), row.exit_url],
      });
      remains.set(remainsKey(propertyId, row.session_id), kept);
    }
  }
  return remains;
}
