import { BOT_DEVICE } from '../../store/accepted-request.ts';
import { keyList, rowsOf } from '../connection/sql.ts';
import type { QueryContext } from './query-context.ts';

/** Term id of the device of crawlers; -1 if there is none. */
export const botTerm = (terms: QueryContext['terms']): number => terms.find(BOT_DEVICE) ?? -1;

/** SQL: the sessions of bots that started at or after a time, and perhaps some older ones. */
export const botSessions = (property: number, botDevice: number, since: number | bigint) =>
  `SELECT session_key FROM collects
   WHERE property = ${property} AND device = ${botDevice} AND seen_until >= ${since}
   UNION SELECT session_key FROM exposures WHERE property = ${property} AND bot AND happened_at >= ${since}
   UNION SELECT session_key FROM sessions WHERE property = ${property} AND expired_bot AND started_at >= ${since}`;

/**
 * SQL condition on a table with sessions that started at or after a time: the rows of bots, or all others, which those
 * without a session belong to.
 */
export function botCondition(
  { terms }: QueryContext,
  property: number,
  bot: boolean,
  since: number | bigint = 0,
): string {
  const bots = botSessions(property, botTerm(terms), since);
  return bot ? `session_key IN (${bots})` : `(session_key IS NULL OR session_key NOT IN (${bots}))`;
}

/** Which of the sessions are those of bots. They started at or after `since`. */
export async function botsAmong(
  { connection, terms }: QueryContext,
  property: number,
  keys: readonly bigint[],
  since: number,
): Promise<Set<bigint>> {
  if (keys.length === 0) return new Set();
  const rows = await rowsOf<[bigint]>(
    connection,
    `SELECT session_key FROM (${botSessions(property, botTerm(terms), since)}) WHERE session_key IN ${keyList('$1')}`,
    [keys.join(',')],
  );
  return new Set(rows.map(([key]) => key));
}
