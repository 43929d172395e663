import type { JournalEntry } from '../../../store/accepted-request.ts';
import { exportedSessions, withRemains } from '../../../store/request-remains.ts';
import { recordsOf, rowsOf } from '../../connection/sql.ts';
import type { QueryContext } from '../query-context.ts';
import { exportedRemains } from './exported-remains.ts';
import { ExportedRequests, type ExportedRows } from './exported-requests.ts';

/** Each request has a row in one of these. */
const REQUEST_TABLES = ['exposures', 'conversions', 'feedback', 'collects'] as const;

/** The requests of a source, put together from their rows. The caller holds a snapshot. */
export async function exportEntries(
  context: QueryContext,
  sourceName: string,
  after: number,
  limit: number,
): Promise<JournalEntry[]> {
  const source = context.sources.find(sourceName);
  if (source === undefined || limit < 1) return [];
  const until = await lastOfNext(context, source.id, after, limit);
  if (until === undefined) return [];
  const read = <Table extends keyof ExportedRows>(table: Table) =>
    recordsOf<ExportedRows[Table][number]>(
      context.connection,
      `SELECT stored.* ${table === 'feedback' ? '' : ', sessions.session_id'}
       FROM ${table} AS stored LEFT JOIN sessions USING (property, session_key)
       WHERE stored.source = ${source.id} AND seq > ${after} AND seq <= ${until}
       ORDER BY seq ${table === 'collects' ? '' : ', event_index'}`,
    ) as Promise<ExportedRows[Table]>;
  const entries = new ExportedRequests(context.terms).entries({
    exposures: await read('exposures'),
    conversions: await read('conversions'),
    feedback: await read('feedback'),
    collects: await read('collects'),
    session_events: await read('session_events'),
  });
  return withRemains(entries, await exportedRemains(context, exportedSessions(entries)));
}

/** The last of the next `limit` positions that have rows. */
async function lastOfNext(
  { connection }: QueryContext,
  source: number,
  after: number,
  limit: number,
): Promise<bigint | undefined> {
  const next = REQUEST_TABLES.map(
    (table) => `(SELECT DISTINCT seq FROM ${table}
      WHERE source = ${source} AND seq > ${after} ORDER BY seq LIMIT ${limit})`,
  );
  const [row] = await rowsOf<[bigint | null]>(
    connection,
    `SELECT max(seq) FROM (SELECT DISTINCT seq FROM (${next.join(' UNION ALL ')}) ORDER BY seq LIMIT ${limit})`,
  );
  return row?.[0] ?? undefined;
}
