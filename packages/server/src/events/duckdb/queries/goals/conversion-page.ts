import type { ConversionPageQuery, StoredConversion } from '../../../store/conversion-queries.ts';
import { PAGE_BYTES, type Page, type TimelineCursor } from '../../../store/page.ts';
import { jsonBytes, keyList, rowsOf, SqlValues, withinBytes } from '../../connection/sql.ts';
import { ORDINAL } from '../../schema/duckdb-schema.ts';
import { botCondition, botsAmong } from '../bot-sessions.ts';
import type { QueryContext } from '../query-context.ts';
import { identityConditions } from '../sessions/session-filter.ts';
import { earliestStart, identitiesOf } from '../sessions/session-summaries.ts';

type ConversionRow = [
  ordinal: bigint,
  source: number,
  goal: number,
  direction: number,
  amountMicros: bigint,
  key: bigint | null,
  metadata: string | null,
  at: bigint,
  position: bigint,
  available: bigint,
];

const ORDER = 'happened_at DESC, position DESC';

/** Newest first; each page starts strictly after the cursor. The caller holds a snapshot. */
export async function conversionPage(
  context: QueryContext,
  query: ConversionPageQuery,
): Promise<Page<StoredConversion, TimelineCursor>> {
  const { connection, terms, sources } = context;
  const values = new SqlValues();
  const condition = conditionOf(context, query, values);
  if (condition === undefined) return { rows: [], next: undefined };
  // One extra row, to detect whether there is a next page. Reads only two narrow columns of most rows.
  const limit = values.add(query.limit + 1);
  const position = `${sources.tieBreakNumber} AS position`;
  const positions = `SELECT happened_at, ${position} FROM conversions WHERE ${condition} ORDER BY ${ORDER} LIMIT ${limit}`;
  const [oldest] = await rowsOf<[bigint | null]>(
    connection,
    `SELECT min(happened_at) FROM (${positions})`,
    values.list,
  );
  if (!oldest || oldest[0] === null) return { rows: [], next: undefined };
  const rows = await rowsOf<ConversionRow>(
    connection,
    withinBytes(
      `SELECT ${ORDINAL}, source, goal, direction, amount_micros, session_key, metadata, happened_at, ${position},
              ${jsonBytes([], ['metadata'])} AS bytes
       FROM conversions WHERE ${condition} AND happened_at >= ${values.add(oldest[0])} ORDER BY ${ORDER} LIMIT ${limit}`,
      ORDER,
      PAGE_BYTES,
    ),
    values.list,
  );
  const shown = rows.slice(0, query.limit);
  const last = shown.at(-1)!;
  const sessions = await sessionsOf(context, query.propertyId, shown);
  return {
    rows: shown.map(([ordinal, source, goal, direction, amountMicros, key, metadata, at]) => ({
      source: sources.nameOf(source),
      ordinal: Number(ordinal),
      goalId: terms.textOf(goal) ?? '',
      direction: direction === 1 ? 1 : -1,
      amountMicros: Number(amountMicros),
      ...((key === null ? undefined : sessions.get(key)) ?? NO_SESSION),
      metadata,
      at: Number(at),
    })),
    next:
      Number(last[9]) > shown.length
        ? { at: Number(last[7]), source: sources.nameOf(last[1]), ordinal: Number(last[0]) }
        : undefined,
  };
}

/** Undefined: no conversion can match. */
function conditionOf(
  context: QueryContext,
  query: ConversionPageQuery,
  values: SqlValues,
): string | undefined {
  const { terms, keys, sources } = context;
  const { propertyId, goalId, direction, bot, sessionId, from, to, after } = query;
  const property = terms.find(propertyId);
  const goal = goalId === undefined ? undefined : terms.find(goalId);
  if (property === undefined || (goalId !== undefined && goal === undefined)) return undefined;
  const conditions = [`property = ${values.add(property)}`];
  if (goal !== undefined) conditions.push(`goal = ${values.add(goal)}`);
  if (direction !== undefined) conditions.push(`direction = ${values.add(direction)}`);
  if (bot !== undefined) conditions.push(botCondition(context, property, bot));
  if (sessionId !== undefined) {
    const hash = values.add(keys.sessionHash(propertyId, sessionId).value);
    conditions.push(`session_key IN (SELECT session_key FROM sessions
      WHERE property = ${values.add(property)} AND session_hash = ${hash} AND session_id = ${values.add(sessionId)})`);
  }
  for (const condition of identityConditions(context, query)) conditions.push(condition(values, property, 0));
  if (from !== undefined) conditions.push(`happened_at >= ${values.add(from)}`);
  if (to !== undefined) conditions.push(`happened_at < ${values.add(to)}`);
  if (after) {
    const at = values.add(after.at);
    const position = values.add(String(sources.tieBreakOf(after.source, after.ordinal)));
    conditions.push(
      `happened_at <= ${at} AND (happened_at < ${at} OR ${sources.tieBreakNumber} < ${position}::HUGEINT)`,
    );
  }
  return conditions.join(' AND ');
}

type SessionOfConversion = Pick<StoredConversion, 'sessionId' | 'visitorId' | 'userId' | 'bot'>;

const NO_SESSION: SessionOfConversion = { sessionId: null, visitorId: null, userId: null, bot: false };

async function sessionsOf(
  context: QueryContext,
  propertyId: string,
  conversions: readonly ConversionRow[],
): Promise<Map<bigint, SessionOfConversion>> {
  const keys = [...new Set(conversions.map((row) => row[5]).filter((key) => key !== null))];
  if (keys.length === 0) return new Map();
  const property = context.terms.find(propertyId)!;
  const since = earliestStart(context.registry, keys);
  const identities = await identitiesOf(context, property, keys);
  const bots = await botsAmong(context, property, keys, since);
  const rows = await rowsOf<[bigint, string]>(
    context.connection,
    `SELECT session_key, session_id FROM sessions
     WHERE property = $1 AND session_key IN ${keyList('$2')} AND started_at >= $3`,
    [property, keys.join(','), since],
  );
  return new Map(
    rows.map(([key, sessionId]) => [
      key,
      { ...NO_SESSION, ...identities.get(key), sessionId, bot: bots.has(key) },
    ]),
  );
}
