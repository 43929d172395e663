import type { JournalEntry } from '../../../store/accepted-request.ts';
import { exportedSessions, withRemains } from '../../../store/request-remains.ts';
import { SqlValues } from '../../connection/sql-values.ts';
import type { QueryContext } from '../query-context.ts';
import { countsOnce } from '../repeated-events.ts';
import { exportedRemains } from './exported-remains.ts';
import { EXPORTED_COLUMNS, type ExportedRow, type ExportedTable, requestsOf } from './exported-requests.ts';

/** Each request has a row in one of these. */
const REQUEST_TABLES = ['exposures', 'conversions', 'feedback', 'collects'] as const;

/** The requests of a source, put together from their rows. */
export async function exportEntries(
  context: QueryContext,
  source: string,
  after: number,
  limit: number,
): Promise<JournalEntry[]> {
  const { clickhouse } = context;
  if (limit < 1) return [];
  const until = await lastOfNext(context, source, after, limit);
  if (until === undefined) return [];
  const values = new SqlValues();
  const range = `source = ${values.text(source)} AND seq > ${values.integer(after)} AND seq <= ${values.integer(until)}`;
  const selects = (Object.keys(EXPORTED_COLUMNS) as ExportedTable[]).map(
    (table) => `SELECT '${table}' AS table, seq, ordinal, property, session_id, happened_at, received_at,
        toJSONString(tuple(${EXPORTED_COLUMNS[table].join(', ')})) AS data
      FROM ${clickhouse.tables.of(table)} WHERE ${range} AND ${isExported(context, table)}`,
  );
  const rows = await clickhouse.rows<ExportedRow>(
    `SELECT table, seq, property, session_id, happened_at, received_at, data
     FROM (${selects.join('\nUNION ALL\n')}) ORDER BY ordinal`,
    values.parameters,
  );
  const entries = requestsOf(rows);
  return withRemains(entries, await exportedRemains(context, exportedSessions(entries)));
}

const isExported = ({ clickhouse }: QueryContext, table: ExportedTable) =>
  table === 'conversions' || table === 'feedback' ? countsOnce(clickhouse.tables) : 'true';

/** The last of the next `limit` positions that have rows. */
async function lastOfNext(
  context: QueryContext,
  source: string,
  after: number,
  limit: number,
): Promise<number | undefined> {
  const { tables } = context.clickhouse;
  const values = new SqlValues();
  const name = values.text(source);
  const [start, size] = [values.integer(after), values.integer(limit)];
  // Without a batch that is being stored.
  const stored = `(SELECT max(seq) FROM ${tables.of('watermarks')} WHERE source = ${name})`;
  const next = REQUEST_TABLES.map(
    (table) => `(SELECT DISTINCT seq FROM ${tables.of(table)}
      WHERE source = ${name} AND seq > ${start} AND seq <= ${stored} AND ${isExported(context, table)}
      ORDER BY seq LIMIT ${size})`,
  );
  const rows = await context.clickhouse.rows<[seq: string]>(
    `SELECT max(seq) FROM (SELECT DISTINCT seq FROM (${next.join('\nUNION ALL\n')}) ORDER BY seq LIMIT ${size})
     HAVING count() > 0`,
    values.parameters,
  );
  return rows[0] && Number(rows[0][0]);
}
