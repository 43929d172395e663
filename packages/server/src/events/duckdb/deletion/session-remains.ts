import type { DuckDBConnection } from '@duckdb/node-api';
import { type ExpiredView, IS_UNIT_SESSION, type SessionRemains } from '../../store/accepted-request.ts';
import { execute, keyList } from '../connection/sql.ts';
import { EVENT_TABLES, SESSION_EVENT_TYPES } from '../schema/duckdb-schema.ts';

/**
 * Sessions of which some events have expired keep what figures of later days depend on: their start, which stays in
 * `sessions` with the mark of a crawler, and their first and last page view, in `expired_views`.
 */
const VIEW_COLUMNS = 'property, session_key, happened_at, url, referrer, seq, source, event_index';

const eventsOf = (condition: string) =>
  EVENT_TABLES.map(
    (table) =>
      `SELECT session_key FROM ${table} WHERE property = $1 AND session_key IS NOT NULL AND ${condition}`,
  ).join(' UNION ALL ');

/** Call it before the events of a property from before a time are deleted. `tieBreak`: see `SourceList`. */
export async function keepRemains(
  connection: DuckDBConnection,
  property: number,
  before: number,
  tieBreak: string,
): Promise<void> {
  await execute(
    connection,
    `UPDATE sessions SET expired_bot = true WHERE property = $1 AND session_key IN (
       SELECT session_key FROM exposures WHERE property = $1 AND bot AND happened_at < $2)`,
    [property, before],
  );
  const added = await execute(
    connection,
    `INSERT INTO expired_views SELECT ${VIEW_COLUMNS} FROM session_events
     WHERE property = $1 AND happened_at < $2 AND type = ${SESSION_EVENT_TYPES.pageview}
       AND session_key IN (${eventsOf('happened_at >= $2')})
     QUALIFY ${isFirstOrLast(tieBreak)}`,
    [property, before],
  );
  if (added > 0) await deleteViewsBetween(connection, tieBreak, 'property = $1', [property]);
}

/** Deletes sessions without any event, and what is left of them. */
export async function deleteEmptySessions(
  connection: DuckDBConnection,
  property: number,
  before: number,
): Promise<void> {
  // A unit session has no start. Its collect may have been stored before its first exposure.
  const isOld = `(started_at < $2 OR (started_at IS NULL AND ${IS_UNIT_SESSION} AND session_key NOT IN (
    SELECT session_key FROM collects WHERE property = $1 AND received_at >= $2)))`;
  const old = `SELECT session_key FROM sessions WHERE property = $1 AND ${isOld}`;
  await execute(
    connection,
    `DELETE FROM sessions WHERE property = $1 AND ${isOld}
       AND session_key NOT IN (${eventsOf(`session_key IN (${old})`)})`,
    [property, before],
  );
  for (const table of ['collects', 'expired_views']) {
    await execute(
      connection,
      `DELETE FROM ${table} WHERE property = $1
         AND session_key NOT IN (SELECT session_key FROM sessions WHERE property = $1)`,
      [property],
    );
  }
}

function isFirstOrLast(tieBreak: string): string {
  const number = (direction: 'ASC' | 'DESC') =>
    `row_number() OVER (PARTITION BY session_key ORDER BY (happened_at, ${tieBreak}) ${direction})`;
  return `${number('ASC')} = 1 OR ${number('DESC')} = 1`;
}

/** Of several expiries, only the first view of the first and the last of the last one stay. */
async function deleteViewsBetween(
  connection: DuckDBConnection,
  tieBreak: string,
  where: string,
  values: readonly (number | string)[],
): Promise<void> {
  await execute(
    connection,
    `DELETE FROM expired_views WHERE ${where} AND rowid NOT IN (
       SELECT rowid FROM expired_views WHERE ${where} QUALIFY ${isFirstOrLast(tieBreak)})`,
    values,
  );
}

/** What another store has kept of a session, and the request that it came with. */
export interface MovedRemains extends Pick<SessionRemains, 'bot' | 'entry' | 'exit'> {
  property: number;
  key: bigint;
  seq: number;
  source: number;
}

/** Stores what other stores have kept of sessions; what is there already stays. */
export async function addRemains(
  connection: DuckDBConnection,
  remains: readonly MovedRemains[],
  tieBreak: string,
): Promise<void> {
  if (remains.length === 0) return;
  const isOneOf = `session_key IN ${keyList('$1')}`;
  const bots = remains.filter(({ bot }) => bot).map(({ key }) => key);
  if (bots.length > 0) {
    await execute(connection, `UPDATE sessions SET expired_bot = true WHERE ${isOneOf}`, [bots.join(',')]);
  }
  for (const { property, key, seq, source, entry, exit } of remains) {
    const views: (ExpiredView | undefined)[] = [entry, exit];
    for (const [index, view] of views.entries()) {
      if (view === undefined) continue;
      const { at, url = '', referrer = '' } = view;
      await execute(connection, 'INSERT INTO expired_views VALUES ($1, $2, $3, $4, $5, $6, $7, $8)', [
        property,
        key,
        at,
        url,
        referrer,
        seq,
        source,
        index,
      ]);
    }
  }
  const keys = remains.map(({ key }) => key).join(',');
  await deleteViewsBetween(connection, tieBreak, isOneOf, [keys]);
}
