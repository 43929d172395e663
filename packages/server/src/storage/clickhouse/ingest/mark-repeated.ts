import { createHash } from 'node:crypto';
import { DAY_MS } from '@switchyard/core/time';
import type { ClickHouse } from '../client/clickhouse-client.ts';
import { SqlValues } from '../client/sql-values.ts';
import { REQUEST_COLUMNS, type Row } from './request-rows.ts';

const EVENT_ID = { conversions: 'event_id', feedback: 'feedback_id' } as const;

/** Nodes recognize a repeated `Idempotency-Key` for this long. */
const REPEATED_WITHIN_MS = DAY_MS;
/** Rows of a replica that was late are found with the next batch. */
const CHECKED_AGAIN_MS = 10 * 60 * 1000;

type RepeatedTable = keyof typeof EVENT_ID;

const ID_INDEX = {
  conversions: REQUEST_COLUMNS.conversions.indexOf(EVENT_ID.conversions),
  feedback: REQUEST_COLUMNS.feedback.indexOf(EVENT_ID.feedback),
};

/**
 * Finds events that have arrived through another journal too, and stores which of their rows do not count. After the rows
 * of the batch are stored, so that of two nodes which store the same event at once, at least one finds both.
 */
export async function markRepeated(
  clickhouse: ClickHouse,
  table: RepeatedTable,
  rows: readonly Row[],
): Promise<void> {
  const identified = rows.filter((row) => row[ID_INDEX[table]] !== '');
  if (identified.length === 0) return;
  const repeated = await repeatedRows(clickhouse, table, identified);
  // Of several sources, which may have the same positions.
  const digest = createHash('sha256').update(JSON.stringify(repeated)).digest('hex');
  const token = `repeated:${digest}`;
  await clickhouse.insert('repeated_events', REQUEST_COLUMNS.repeated_events, repeated, token);
}

/** These tables are sorted and partitioned by the time of receipt. */
function repeatedRows(clickhouse: ClickHouse, table: RepeatedTable, rows: readonly Row[]): Promise<Row[]> {
  const values = new SqlValues();
  const properties = values.texts([...new Set(rows.map((row) => String(row[3]).toWellFormed()))]);
  const times = rows.map((row) => Number(row[5]));
  const first = times.reduce((a, b) => Math.min(a, b)) - CHECKED_AGAIN_MS;
  const last = times.reduce((a, b) => Math.max(a, b));
  const within = (from: number, to: number) =>
    `property IN ${properties} AND happened_at BETWEEN ${values.integer(from)} AND ${values.integer(to)}`;
  const [id, name] = [EVENT_ID[table], clickhouse.tables.of(table)];
  return clickhouse.rows<Row>(
    `SELECT repeated.2, repeated.4, repeated.3, property, repeated.5, repeated.1, repeated.1 FROM (
       SELECT property, arrayJoin(arrayPopFront(arraySort(
         groupArray((happened_at, toString(source), ordinal, seq, session_id))))) AS repeated
       FROM ${name} WHERE ${within(first - REPEATED_WITHIN_MS, last + REPEATED_WITHIN_MS)}
         AND ${id} IN (SELECT ${id} FROM ${name} WHERE ${within(first, last)} AND ${id} <> '')
       GROUP BY property, ${id} HAVING min(source) <> max(source))
     ORDER BY repeated`,
    values.parameters,
  );
}
