import type { DuckDBConnection } from '@duckdb/node-api';
import type { PersonalSubject } from '../../store/erasure-subject.ts';
import { execute, inTransaction, keyList, rowsOf, SqlValues } from '../connection/sql.ts';
import { EVENT_TABLES } from '../schema/duckdb-schema.ts';
import { addDeadRows } from './dead-rows.ts';
import { rowConditions } from './subject-rows.ts';

/**
 * Deletes single conversions and feedback entries, and sessions that have no events without them. Their bytes stay in
 * the file until it is rewritten.
 *
 * @param erased sessions that are erased anyway: their rows are not counted again
 */
export function eraseRows(
  connection: DuckDBConnection,
  subject: PersonalSubject,
  property: number,
  erased: readonly bigint[],
): Promise<number> {
  return inTransaction(connection, async () => {
    let deleted = 0;
    /** The time of the earliest deleted row of each session. */
    const touched = new Map<bigint, bigint>();
    for (const { table, condition } of rowConditions(subject, property)) {
      const values = new SqlValues();
      const isKept =
        erased.length === 0
          ? ''
          : `AND (session_key IS NULL OR session_key NOT IN ${keyList(values.add(erased.join(',')))})`;
      const where = `${condition(values)} ${isKept}`;
      const rows = await rowsOf<[bigint, bigint]>(
        connection,
        `SELECT session_key, min(happened_at) FROM ${table} WHERE session_key IS NOT NULL AND ${where} GROUP BY session_key`,
        values.list,
      );
      for (const [key, at] of rows) touched.set(key, minOf(touched.get(key) ?? at, at));
      deleted += await execute(connection, `DELETE FROM ${table} WHERE ${where}`, values.list);
    }
    if (deleted > 0) {
      await settleSessions(connection, property, touched);
      // They have counted the rows.
      await execute(connection, 'DELETE FROM counted_answers WHERE property = $1', [property]);
      await addDeadRows(connection, deleted);
    }
    return deleted;
  });
}

const minOf = (a: bigint, b: bigint) => (a < b ? a : b);

/**
 * Deletes sessions without any event. One that started with a deleted row starts with its earliest event; one that
 * started before, with an event that has expired, keeps its start.
 */
async function settleSessions(
  connection: DuckDBConnection,
  property: number,
  touched: ReadonlyMap<bigint, bigint>,
): Promise<void> {
  if (touched.size === 0) return;
  const own = `property = $1 AND session_key IN ${keyList('$2')}`;
  const remaining = EVENT_TABLES.map(
    (table) => `SELECT session_key, happened_at FROM ${table} WHERE ${own}`,
  ).join(' UNION ALL ');
  const all = [property, [...touched.keys()].join(',')];
  for (const table of ['collects', 'expired_views', 'sessions']) {
    await execute(
      connection,
      `DELETE FROM ${table} WHERE ${own} AND session_key NOT IN (SELECT session_key FROM (${remaining}))`,
      all,
    );
  }
  const kept = await rowsOf<[bigint, bigint]>(
    connection,
    `SELECT session_key, started_at FROM sessions WHERE ${own}`,
    all,
  );
  const moved = kept.filter(([key, startedAt]) => touched.get(key)! <= startedAt).map(([key]) => key);
  if (moved.length === 0) return;
  await execute(
    connection,
    `UPDATE sessions SET started_at = kept.started_at
     FROM (SELECT session_key, min(happened_at) AS started_at FROM (${remaining}) GROUP BY session_key) AS kept
     WHERE sessions.property = $1 AND sessions.session_key = kept.session_key`,
    [property, moved.join(',')],
  );
}
