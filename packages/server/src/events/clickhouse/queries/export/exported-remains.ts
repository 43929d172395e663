import type { SessionRemains } from '../../../store/accepted-request.ts';
import { type ExportedRemains, remainsKey, remainsOf } from '../../../store/request-remains.ts';
import { SqlValues } from '../../connection/sql-values.ts';
import { EVENT_TABLES } from '../../schema/table-columns.ts';
import type { QueryContext } from '../query-context.ts';

type RemainsRow = [
  sessionId: string,
  startedAt: string,
  firstAt: string,
  bot: boolean,
  hasView: boolean,
  ...entry: [at: string, url: string, referrer: string],
  ...exit: [at: string, url: string],
];

/** What is left of sessions that started before their first event. */
export async function exportedRemains(
  { clickhouse }: QueryContext,
  sessions: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<ExportedRemains> {
  const { tables } = clickhouse;
  const remains = new Map<string, SessionRemains>();
  for (const [propertyId, sessionIds] of sessions) {
    const values = new SqlValues();
    const where = `property = ${values.text(propertyId)} AND session_id IN ${values.texts([...sessionIds])}`;
    const events = EVENT_TABLES.map(
      (table) => `SELECT session_id, happened_at FROM ${tables.of(table)} WHERE ${where}`,
    );
    const rows = await clickhouse.rows<RemainsRow>(
      `SELECT session_id, started_at, first_at, any_bot, any_view, entry.1, entry.2, entry.3, exit.1, exit.2
       FROM (
         SELECT session_id, min(happened_at) AS started_at, max(bot) AS any_bot, max(has_view) AS any_view,
           argMinIf((entry_at, entry_url, entry_referrer), (entry_at, toString(source), entry_ordinal), has_view) AS entry,
           argMaxIf((exit_at, exit_url), (exit_at, toString(source), exit_ordinal), has_view) AS exit
         FROM ${tables.of('session_starts')} WHERE ${where} GROUP BY session_id) AS kept
       INNER JOIN (
         SELECT session_id, min(happened_at) AS first_at FROM (${events.join(' UNION ALL ')})
         GROUP BY session_id) AS remaining USING (session_id)
       WHERE started_at < first_at`,
      values.parameters,
    );
    for (const row of rows) remains.set(remainsKey(propertyId, row[0]), remainsIn(row));
  }
  return remains;
}

function remainsIn([sessionId, startedAt, firstAt, bot, hasView, ...views]: RemainsRow): SessionRemains {
  const [entryAt, entryUrl, referrer, exitAt, exitUrl] = views;
  return remainsOf({
    sessionId,
    startedAt: Number(startedAt),
    firstAt: Number(firstAt),
    bot: Boolean(bot),
    entry: hasView ? [Number(entryAt), entryUrl, referrer] : undefined,
    exit: hasView ? [Number(exitAt), exitUrl] : undefined,
  });
}
