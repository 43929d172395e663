import type { JournalEntry } from '../../store/accepted-request.ts';
import type { ClickHouse } from '../connection/clickhouse-client.ts';
import { COLUMNS, EVENT_TABLES } from '../schema/table-columns.ts';
import { markRepeated } from './mark-repeated.ts';
import { digestOf, missingRows } from './missing-rows.ts';
import { RequestRows, type RequestTable, type Row } from './request-rows.ts';

export interface Batch {
  source: string;
  /** In ascending order and after the watermark of the source. */
  entries: readonly [JournalEntry, ...JournalEntry[]];
  /** See `EventStore.append`. */
  isOld: boolean;
}

/**
 * Inserts entries, then the watermark. Inserts into several tables are not atomic: after a failure, the same call inserts
 * what is missing, because the server recognizes the tokens. It forgets them after some thousand inserts, so for an old
 * batch the tables are read first.
 */
export async function loadBatch(clickhouse: ClickHouse, { source, entries, isOld }: Batch): Promise<number> {
  const { tables } = new RequestRows(source, entries);
  const watermark = (entries.at(-1) as JournalEntry).seq;
  const batch = `${source}:${entries[0].seq}-${watermark}`;
  const insert = async (table: RequestTable) => {
    const all = tables[table];
    const rows = isOld ? await missingRows(clickhouse, source, table, all) : all;
    await clickhouse.insert(table, COLUMNS[table], rows, tokenOf(`${batch}:${table}`, all, rows));
  };
  // First, because collects of sessions without a start are deleted when old events expire.
  await insert('session_starts');
  // Waits for all of them, so that a repeated call does not overtake this one.
  const inserts = await Promise.allSettled([...EVENT_TABLES, 'collects' as const].map(insert));
  for (const result of inserts) if (result.status === 'rejected') throw result.reason;
  for (const table of ['conversions', 'feedback'] as const)
    await markRepeated(clickhouse, table, tables[table], batch);
  await clickhouse.insert('watermarks', COLUMNS.watermarks, [[source, watermark]], `${batch}:watermarks`);
  return watermark;
}

/** Some of the rows need a token of their own: the server would take them for the insert of all rows. */
function tokenOf(token: string, all: readonly Row[], rows: readonly Row[]): string {
  return rows.length === all.length ? token : `${token}:${digestOf(rows)}`;
}
