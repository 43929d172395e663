import type { PersonalSubject } from '../../store/erasure-subject.ts';
import type { ClickHouse } from '../connection/clickhouse-client.ts';
import { SqlValues } from '../connection/sql-values.ts';
import { countsOnce } from '../queries/repeated-events.ts';
import { deleteRows } from './delete-rows.ts';
import { partsOf, type RowTable, rowConditions } from './subject-rows.ts';

/** Finds single conversions and feedback entries. A request has one of them, so its position names it. */
export async function findRows(
  clickhouse: ClickHouse,
  subject: PersonalSubject,
  isErased: (sessionId: string) => boolean,
): Promise<FoundRows> {
  const found: FoundRows = { propertyId: subject.propertyId, rows: 0, positions: [] };
  const values = new SqlValues();
  const once = countsOnce(clickhouse.tables, values.text(subject.propertyId));
  for (const { table, condition } of rowConditions(subject, values)) {
    const rows = await clickhouse.rows<[string, string, string, boolean, number]>(
      `SELECT toString(source), toString(seq), session_id, has_session, ${once} FROM ${clickhouse.tables.of(table)}
       WHERE ${condition}`,
      values.parameters,
    );
    for (const [source, seq, sessionId, hasSession, counts] of rows) {
      if (hasSession && isErased(sessionId)) continue;
      found.positions.push({ table, source, seq });
      if (counts) found.rows++;
    }
  }
  return found;
}

export interface FoundRows {
  propertyId: string;
  /** Without those that have arrived through another journal too. */
  rows: number;
  positions: { table: RowTable; source: string; seq: string }[];
}

/** The events last: if this is interrupted, they are found again. */
export async function eraseRows(clickhouse: ClickHouse, { propertyId, positions }: FoundRows): Promise<void> {
  for (const source of new Set(positions.map((row) => row.source))) {
    const own = positions.filter((row) => row.source === source);
    for (const part of partsOf(own)) {
      const values = new SqlValues();
      const seqs = values.integers(part.map(({ seq }) => BigInt(seq)));
      const condition = `property = ${values.text(propertyId)} AND source = ${values.text(source)} AND seq IN ${seqs}`;
      const named = new Set(part.map(({ table }) => table));
      for (const table of ['session_starts', 'repeated_events', 'event_ids', ...named] as const) {
        await deleteRows(clickhouse, table, condition, values.parameters);
      }
    }
  }
}
