import { createHash } from 'node:crypto';
import { DAY_MS } from '@switchyard/core/time';
import type { ClickHouse } from '../connection/clickhouse-client.ts';
import { SqlValues } from '../connection/sql-values.ts';
import { COLUMNS } from '../schema/table-columns.ts';
import type { Row } from './request-rows.ts';

const EVENT_ID = { conversions: 'event_id', feedback: 'feedback_id' } as const;

/** Nodes recognize a repeated `Idempotency-Key` for this long. */
const REPEATED_WITHIN_MS = DAY_MS;

/** Older ones would be deleted soon, and nobody looks for them there. */
const KEPT_MS = 2 * REPEATED_WITHIN_MS;

type RepeatedTable = keyof typeof EVENT_ID;

const ID_INDEX = {
  conversions: COLUMNS.conversions.indexOf(EVENT_ID.conversions),
  feedback: COLUMNS.feedback.indexOf(EVENT_ID.feedback),
};
const RECEIVED_INDEX = COLUMNS.event_ids.indexOf('received_at');

/**
 * Finds events of the batch that have arrived through another journal too, and stores which of their rows do not count.
 * After the rows of the batch are stored, so that of two nodes which store the same event at once, at least one finds
 * both; and only then its ids, so that no row gives way to one that is not stored.
 *
 * @param batch a name of the batch
 */
export async function markRepeated(
  clickhouse: ClickHouse,
  table: RepeatedTable,
  rows: readonly Row[],
  batch: string,
): Promise<void> {
  const identified = rows.filter((row) => row[ID_INDEX[table]] !== '');
  if (identified.length === 0) return;
  const ids = identified.map((row) => [...row.slice(0, RECEIVED_INDEX + 1), row[ID_INDEX[table]]!]);
  const recent = ids.filter((row) => Number(row[RECEIVED_INDEX]) > Date.now() - KEPT_MS);
  await clickhouse.insert('event_ids', COLUMNS.event_ids, recent, `${batch}:${table}:ids`);
  const repeated = await repeatedRows(clickhouse, table, ids);
  // Of several sources, which may have the same positions.
  const digest = createHash('sha256').update(JSON.stringify(repeated)).digest('hex');
  const token = `repeated:${digest}`;
  await clickhouse.insert('repeated_events', COLUMNS.repeated_events, repeated, token);
}

function repeatedRows(clickhouse: ClickHouse, table: RepeatedTable, rows: readonly Row[]): Promise<Row[]> {
  const values = new SqlValues();
  const properties = values.texts([...new Set(rows.map((row) => String(row[3])))]);
  const ids = values.texts(rows.map((row) => String(row.at(-1))));
  const [id, from] = isLate(rows)
    ? [EVENT_ID[table], storedEvents(clickhouse, table, rows, values)]
    : ['event_id', `${clickhouse.tables.onAllReplicas('event_ids')} WHERE true`];
  return clickhouse.rows<Row>(
    `SELECT repeated.2, repeated.4, repeated.3, property, repeated.5, repeated.1, repeated.1 FROM (
       SELECT property, arrayJoin(arrayPopFront(arraySort(
         groupUniqArray((happened_at, toString(source), ordinal, seq, session_id))))) AS repeated
       FROM ${from} AND property IN ${properties} AND ${id} IN ${ids}
       GROUP BY property, ${id} HAVING min(source) <> max(source))
     ORDER BY repeated`,
    values.parameters,
    undefined,
    // What an unavailable replica has not passed on yet, nobody can find now.
    { skip_unavailable_shards: 1 },
  );
}

/** Whether `event_ids` may not have the other rows of these events any more, for example because a node was unavailable. */
function isLate(rows: readonly Row[]): boolean {
  return rows.some((row) => Number(row[RECEIVED_INDEX]) < Date.now() - REPEATED_WITHIN_MS);
}

/** Tables of events are sorted and partitioned by the time of receipt, not by the id: slow, but they have everything. */
function storedEvents(
  { tables }: ClickHouse,
  table: RepeatedTable,
  rows: readonly Row[],
  values: SqlValues,
): string {
  const times = rows.map((row) => Number(row[RECEIVED_INDEX]));
  const first = times.reduce((a, b) => Math.min(a, b)) - REPEATED_WITHIN_MS;
  const last = times.reduce((a, b) => Math.max(a, b)) + REPEATED_WITHIN_MS;
  return `${tables.of(table)} WHERE happened_at BETWEEN ${values.integer(first)} AND ${values.integer(last)}`;
}
