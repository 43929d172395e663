import { IS_UNIT_SESSION } from '../../store/accepted-request.ts';
import type { Erasure } from '../../store/erasure-subject.ts';
import type { ClickHouse, SqlParameters } from '../connection/clickhouse-client.ts';
import { SqlValues } from '../connection/sql-values.ts';
import type { QueryContext } from '../queries/query-context.ts';
import { countsOnce } from '../queries/repeated-events.ts';
import { EVENT_TABLES, type TableName } from '../schema/table-columns.ts';
import { deleteRows } from './delete-rows.ts';

/** Deletes old events, and the collects and starts of sessions without remaining events. */
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
  /**
   * Sessions that keep their rows; on the same shard as they are. Unit sessions have no start, and their collect may have
   * been stored before their first exposure.
   */
  const kept = (of: (table: TableName) => string) =>
    `SELECT session_id FROM ${of('session_starts')} WHERE ${ofProperty} AND last_at >= ${time}
     UNION ALL SELECT session_id FROM ${of('exposures')}
     WHERE ${ofProperty} AND ${IS_UNIT_SESSION} AND happened_at >= ${time}
     UNION ALL SELECT session_id FROM ${of('collects')}
     WHERE ${ofProperty} AND ${IS_UNIT_SESSION} AND happened_at >= ${time}`;
  const { rows, sessions } = await countOld(clickhouse, property, isOld, kept, parameters);
  if (rows + sessions === 0) return { rows: 0 };
  for (const table of [...EVENT_TABLES, 'repeated_events', 'event_ids'] as const) {
    await deleteRows(clickhouse, table, isOld, parameters);
  }
  // The starts last: if this is interrupted, they are found again.
  for (const table of ['collects', 'session_starts'] as const) {
    const isEmpty = `${ofProperty} AND session_id NOT IN (${kept((name) => tables.stored(name))})`;
    await deleteRows(clickhouse, table, isEmpty, parameters);
  }
  return { rows };
}

/** Counts events from before the time, and rows of sessions that have no others. */
async function countOld(
  clickhouse: ClickHouse,
  property: string,
  isOld: string,
  kept: (of: (table: TableName) => string) => string,
  parameters: SqlParameters,
): Promise<{ rows: number; sessions: number }> {
  const { tables } = clickhouse;
  const count = (table: TableName, condition = 'true') =>
    `(SELECT count() FROM ${tables.of(table)} WHERE ${isOld} AND ${condition})`;
  const events = EVENT_TABLES.map((table) =>
    table === 'conversions' || table === 'feedback'
      ? count(table, countsOnce(tables, property))
      : count(table),
  );
  const isEmpty = `session_id NOT IN (${kept((name) => tables.of(name))})`;
  const sessions = (['session_starts', 'collects'] as const).map((table) => count(table, isEmpty));
  const counts = await clickhouse.rows<[string, string]>(
    `SELECT ${events.join(' + ')}, ${sessions.join(' + ')}`,
    parameters,
  );
  const [rows, empty] = counts[0]!;
  return { rows: Number(rows), sessions: Number(empty) };
}
