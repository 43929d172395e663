import type { DuckDBConnection } from '@duckdb/node-api';
import type { CollectedSession, Positions } from '../../store/event-store.ts';
import { rowsOf } from '../connection/sql.ts';
import type { QueryContext } from './query-context.ts';

/** The positions in the snapshot of the caller. */
export async function storedPositions(connection: DuckDBConnection): Promise<Positions> {
  const rows = await rowsOf<[string, bigint]>(
    connection,
    'SELECT name, watermark FROM sources WHERE watermark > 0',
  );
  return Object.fromEntries(rows.map(([name, watermark]) => [name, Number(watermark)]));
}

export async function collectedSessions(
  { connection, terms, sources }: QueryContext,
  after: Positions,
  limit: number,
): Promise<CollectedSession[] | undefined> {
  const isLater = sources.all.map(({ id, name }) => `(source = ${id} AND seq > ${after[name] ?? 0})`);
  if (isLater.length === 0) return [];
  const rows = await rowsOf<[number, string]>(
    connection,
    `SELECT property, session_id FROM sessions
     WHERE session_key IN (SELECT session_key FROM collects WHERE ${isLater.join(' OR ')}) LIMIT $1`,
    [limit + 1],
  );
  if (rows.length > limit) return undefined;
  return rows.map(([property, sessionId]) => ({ propertyId: terms.textOf(property) ?? '', sessionId }));
}
