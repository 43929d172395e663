import type { Positions } from '../../../store/event-store.ts';
import { rowsOf } from '../../connection/sql.ts';
import type { QueryContext } from '../query-context.ts';
import type { ReachedGoals } from './reached-goals.ts';
import {
  RECOUNTED_COLUMNS,
  type RecountedSide,
  type RecountedTable,
  recountedTable,
} from './recounted-tables.ts';
import type { SplitTestVisitors } from './split-test-visitors.ts';

/** The visitors that new events may have changed, as they were at the earlier positions and as they are now. */
export interface RecountedVisitors {
  count: number;
  before: RecountedSide;
  now: RecountedSide;
}

/**
 * Finds the visitors whose events or sessions changed since the earlier positions. All others have the same events in
 * the same sessions, so their share of the sums stays. Finding too many is correct: each is subtracted as it was and
 * added as it is.
 *
 * Stores their sessions and events in temporary tables of the caller's transaction, which ends with a rollback: both
 * sides read them, and finding them takes most of the time.
 */
export async function findRecounted(
  context: QueryContext,
  visitors: SplitTestVisitors,
  reached: ReachedGoals,
  since: Positions,
): Promise<RecountedVisitors> {
  const { connection, sources } = context;
  const isNew = sources.isAfter(since);
  const naming = `property = ${visitors.property} AND ${context.namingCollects}`;
  const touched = [
    // With those in other phases, if they matter to this one.
    `SELECT session_key FROM exposures WHERE ${visitors.exposures.isRead} AND ${isNew}`,
    ...reached.sessions(isNew),
    // The visitor of a session changes with these only.
    `SELECT session_key FROM collects WHERE ${naming} AND ${isNew}`,
  ];
  const visitorsOf = (sessions: string) => `
    SELECT session_key, arg_max(visitor_key, ${sources.collectOrder}) AS visitor_now,
           arg_max(visitor_key, ${sources.collectOrder}) FILTER (NOT ${isNew}) AS visitor_before
    FROM collects WHERE ${naming} AND session_key IN (SELECT session_key FROM ${sessions}) GROUP BY session_key`;
  await connection.run(`CREATE TEMP TABLE recounted AS
    WITH touched AS MATERIALIZED (${touched.join(' UNION ')}),
    touched_units AS MATERIALIZED (
      SELECT session_key, visitor_now, visitor_before
      FROM touched LEFT JOIN (${visitorsOf('touched')}) USING (session_key)),
    units AS MATERIALIZED (
      SELECT coalesce(visitor_now, session_key) AS unit FROM touched_units
      UNION SELECT coalesce(visitor_before, session_key) FROM touched_units),
    own AS MATERIALIZED (
      SELECT unit AS session_key FROM units
      UNION SELECT session_key FROM collects WHERE ${naming} AND visitor_key IN (SELECT unit FROM units)),
    own_units AS (
      SELECT session_key, coalesce(visitor_now, session_key) AS now, coalesce(visitor_before, session_key) AS before
      FROM own LEFT JOIN (${visitorsOf('own')}) USING (session_key))
    SELECT session_key, current.unit AS now, former.unit AS before
    FROM own_units
      LEFT JOIN units AS current ON current.unit = now
      LEFT JOIN units AS former ON former.unit = before`);
  const [row] = await rowsOf<[bigint]>(connection, 'SELECT count(*) FROM recounted');
  if (row![0] > 0n) await copyEvents(context, visitors.property);
  const side = (unit: string) =>
    `SELECT session_key, ${unit} AS visitor_key FROM recounted WHERE ${unit} IS NOT NULL`;
  return {
    count: Number(row![0]),
    before: { resolved: side('before'), isRead: `NOT ${isNew}` },
    now: { resolved: side('now'), isRead: 'true' },
  };
}

async function copyEvents({ connection, sources }: QueryContext, property: number): Promise<void> {
  const position = sources.hasSeveral ? 'seq, source' : 'seq';
  for (const [table, columns] of Object.entries(RECOUNTED_COLUMNS)) {
    await connection.run(`CREATE TEMP TABLE ${recountedTable(table as RecountedTable)} AS
      SELECT property, session_key, ${columns}, ${position} FROM ${table}
      WHERE property = ${property} AND session_key IN (SELECT session_key FROM recounted)`);
  }
}
