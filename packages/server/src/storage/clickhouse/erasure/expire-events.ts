import type { Erasure } from '../../event-store.ts';
import type { ClickHouse, SqlParameters } from '../client/clickhouse-client.ts';
import { SqlValues } from '../client/sql-values.ts';
import { REQUEST_COLUMNS } from '../ingest/request-rows.ts';
import type { QueryContext } from '../queries/query-context.ts';
import { countsOnce } from '../queries/repeated-events.ts';
import { EVENT_TABLES, type TableName } from '../schema/clickhouse-tables.ts';
import { deleteRows } from './delete-rows.ts';

/** Deletes old events, and the collects of sessions without remaining events. */
export async function expireEvents(
  { clickhouse }: QueryContext,
  propertyId: string,
  before: number,
): Promise<Erasure> {
  const values = new SqlValues();
  const property = values.text(propertyId);
  const ofProperty = `property = ${property}`;
  const time = values.integer(before);
  const { parameters } = values;
  const isOld = `${ofProperty} AND happened_at < ${time}`;
  const { tables } = clickhouse;
  const { rows, starts, collects } = await countOld(clickhouse, property, isOld, parameters);
  if (rows + starts + collects === 0) return { rows: 0 };
  if (rows + starts > 0) {
    await clickhouse.command(keepStarts(clickhouse, ofProperty, time), parameters);
    for (const table of EVENT_TABLES) await deleteRows(clickhouse, table, isOld, parameters);
    for (const table of ['repeated_events', 'session_starts'] as const) {
      await deleteRows(clickhouse, table, isOld, parameters);
    }
  }
  const kept = `SELECT session_id FROM ${tables.stored('session_starts')} WHERE ${ofProperty}`;
  await deleteRows(clickhouse, 'collects', `${ofProperty} AND session_id NOT IN (${kept})`, parameters);
  return { rows };
}

interface OldRows {
  /** Events. */
  rows: number;
  starts: number;
  /** Those of sessions that have no start: the rules of the tables have deleted it before. */
  collects: number;
}

/** Counts what is from before the time. */
async function countOld(
  clickhouse: ClickHouse,
  property: string,
  isOld: string,
  parameters: SqlParameters,
): Promise<OldRows> {
  const { tables } = clickhouse;
  const count = (table: TableName, condition = 'true') =>
    `(SELECT count() FROM ${tables.of(table)} WHERE ${isOld} AND ${condition})`;
  const events = EVENT_TABLES.map((table) =>
    table === 'conversions' || table === 'feedback'
      ? count(table, countsOnce(tables, property))
      : count(table),
  );
  const started = `SELECT session_id FROM ${tables.of('session_starts')} WHERE property = ${property}
    AND session_id IN (SELECT session_id FROM ${tables.of('collects')} WHERE ${isOld})`;
  const counts = await clickhouse.rows<[string, string, string]>(
    `SELECT ${events.join(' + ')}, ${count('session_starts')}, ${count('collects', `session_id NOT IN (${started})`)}`,
    parameters,
  );
  const [rows, starts, collects] = counts[0]!;
  return { rows: Number(rows), starts: Number(starts), collects: Number(collects) };
}

/**
 * Starts of requests of which only some events are old: their earliest remaining event is the start. Inserted before the
 * old starts are deleted; if that is interrupted, the rows are inserted again, which changes nothing.
 */
function keepStarts({ tables }: ClickHouse, ofProperty: string, time: string): string {
  const partlyOld = `SELECT source, seq FROM ${tables.of('session_starts')}
    WHERE ${ofProperty} AND happened_at < ${time} AND last_at >= ${time}`;
  const remaining = (['exposures', 'session_events'] as const).map(
    (
      table,
    ) => `SELECT source, seq, ordinal, property, session_id, happened_at, received_at FROM ${tables.of(table)}
      WHERE ${ofProperty} AND happened_at >= ${time} AND (source, seq) IN (${partlyOld})`,
  );
  return `INSERT INTO ${tables.of('session_starts')} (${REQUEST_COLUMNS.session_starts.join(', ')})
    SETTINGS insert_deduplicate = 0, max_partitions_per_insert_block = 0, distributed_foreground_insert = 1
    SELECT source, seq, min(ordinal), property, session_id, min(happened_at), any(received_at), max(happened_at)
    FROM (${remaining.join(' UNION ALL ')}) GROUP BY source, seq, property, session_id`;
}
