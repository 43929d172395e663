import type { ConversionPageQuery, StoredConversion } from '../../../store/conversion-queries.ts';
import type { Page, TimelineCursor } from '../../../store/page.ts';
import { SqlValues } from '../../connection/sql-values.ts';
import type { TableNames } from '../../schema/table-names.ts';
import { botCondition, botsAmong } from '../bot-sessions.ts';
import type { QueryContext } from '../query-context.ts';
import { countsOnce } from '../repeated-events.ts';
import { identitiesOf } from '../sessions/find-identities.ts';
import { ofIdentity } from '../sessions/latest-identity.ts';
import { jsonBytes, withinBytes } from '../sessions/within-bytes.ts';

type ConversionRow = [
  source: string,
  ordinal: string,
  goalId: string,
  direction: number,
  amountMicros: string,
  sessionId: string | null,
  metadata: string | null,
  at: string,
  available: string,
];

const ORDER = 'happened_at DESC, source DESC, ordinal DESC';
const COLUMNS = 'source, ordinal, goal, direction, amount_micros, session, metadata, happened_at';

/** Newest first; each page starts strictly after the cursor. */
export async function conversionPage(
  context: QueryContext,
  query: ConversionPageQuery,
): Promise<Page<StoredConversion, TimelineCursor>> {
  const { tables } = context.clickhouse;
  const values = new SqlValues();
  const condition = conditionOf(tables, query, values);
  // One extra row, to detect whether there is a next page.
  const limit = values.integer(query.limit + 1);
  const rows = await context.clickhouse.rows<ConversionRow>(
    withinBytes(
      COLUMNS,
      `SELECT source, ordinal, goal, direction, amount_micros, if(has_session, session_id, NULL) AS session, metadata,
              happened_at, ${jsonBytes([], ['metadata'])} AS bytes
       FROM ${tables.of('conversions')} WHERE ${condition} ORDER BY ${ORDER} LIMIT ${limit}`,
      ORDER,
    ),
    values.parameters,
  );
  const shown = rows.slice(0, query.limit);
  const last = shown.at(-1);
  const sessionIds = shown.map((row) => row[5]);
  const [sessions, bots] = await Promise.all([
    identitiesOf(context, query.propertyId, sessionIds),
    botsAmong(context, query.propertyId, sessionIds),
  ]);
  return {
    rows: shown.map(([source, ordinal, goalId, direction, amountMicros, sessionId, metadata, at]) => ({
      source,
      ordinal: Number(ordinal),
      goalId,
      direction: direction === 1 ? 1 : -1,
      amountMicros: Number(amountMicros),
      sessionId,
      ...((sessionId === null ? undefined : sessions.get(sessionId)) ?? { visitorId: null, userId: null }),
      metadata,
      at: Number(at),
      bot: sessionId !== null && bots.has(sessionId),
    })),
    next:
      last && Number(last[8]) > shown.length
        ? { at: Number(last[7]), source: last[0], ordinal: Number(last[1]) }
        : undefined,
  };
}

function conditionOf(tables: TableNames, query: ConversionPageQuery, values: SqlValues): string {
  const { propertyId, goalId, direction, bot, sessionId, from, to, after } = query;
  const property = values.text(propertyId);
  const conditions = [`property = ${property}`, countsOnce(tables, property)];
  if (goalId !== undefined) conditions.push(`goal = ${values.text(goalId)}`);
  if (direction !== undefined) conditions.push(`direction = ${values.integer(direction)}`);
  if (bot !== undefined) conditions.push(botCondition(tables, `property = ${property}`, bot));
  if (sessionId !== undefined) conditions.push(`has_session AND session_id = ${values.text(sessionId)}`);
  conditions.push(...ofIdentity(tables, query, values));
  if (from !== undefined) conditions.push(`happened_at >= ${values.integer(from)}`);
  if (to !== undefined) conditions.push(`happened_at < ${values.integer(to)}`);
  if (after) {
    const at = values.integer(after.at);
    const rest = `(toString(source), ordinal) < (${values.text(after.source)}, toUInt64(${values.integer(after.ordinal)}))`;
    conditions.push(`happened_at <= ${at} AND (happened_at < ${at} OR ${rest})`);
  }
  return conditions.join(' AND ');
}
