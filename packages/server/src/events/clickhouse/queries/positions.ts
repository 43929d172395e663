import type { CollectedSession, Positions } from '../../store/event-store.ts';
import { SqlValues } from '../connection/sql-values.ts';
import type { QueryContext } from './query-context.ts';

/** The position of the last stored entry of each source. */
export async function storedPositions({ clickhouse }: QueryContext): Promise<Positions> {
  const rows = await clickhouse.rows<[source: string, seq: string]>(
    `SELECT source, max(seq) FROM ${clickhouse.tables.of('watermarks')} GROUP BY source`,
  );
  return Object.fromEntries(rows.map(([source, seq]) => [source, Number(seq)]));
}

export async function watermark(context: QueryContext, source: string): Promise<number> {
  return (await storedPositions(context))[source] ?? 0;
}

/** Condition: the row is after these positions; of a source that is not named, every row is. */
export function isAfter(positions: Positions, values: SqlValues): string {
  const named = Object.entries(positions).map(
    ([source, seq]) => [values.text(source), values.integer(seq)] as const,
  );
  if (named.length === 0) return 'true';
  // Not as a lookup, so that the index can be used.
  const later = named.map(([source, seq]) => `(source = ${source} AND seq > ${seq})`);
  return `(${later.join(' OR ')} OR source NOT IN (${named.map(([source]) => source).join(', ')}))`;
}

/** Sessions with a collect after these positions; undefined if there are more than `limit`. */
export async function collectedSessions(
  { clickhouse }: QueryContext,
  after: Positions,
  limit: number,
): Promise<CollectedSession[] | undefined> {
  const values = new SqlValues();
  const rows = await clickhouse.rows<[propertyId: string, sessionId: string]>(
    `SELECT DISTINCT property, session_id FROM ${clickhouse.tables.of('collects')}
     WHERE ${isAfter(after, values)} LIMIT ${values.integer(limit + 1)}`,
    values.parameters,
  );
  if (rows.length > limit) return undefined;
  return rows.map(([propertyId, sessionId]) => ({ propertyId, sessionId }));
}
