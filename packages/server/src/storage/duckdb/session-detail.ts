import type { DuckDBConnection } from '@duckdb/node-api';
import type { SessionDetail, SessionIdentity, TimelineEntry } from '../event-store.ts';
import { SESSION_EVENT_TYPES } from './duckdb-schema.ts';
import type { QuestionContext } from './question.ts';
import { earliestStart, summariesOf } from './session-summaries.ts';
import { rowsOf, type SqlValue } from './sql.ts';
import type { TermDictionary } from './term-dictionary.ts';

const TYPE_NAMES = ['pageview', 'event', 'identify'] as const;

/** One session with everything that happened in it. The caller holds a snapshot. */
export async function sessionDetail(
  context: QuestionContext,
  propertyId: string,
  sessionId: string,
): Promise<SessionDetail | undefined> {
  const { connection, terms, keys, registry } = context;
  const property = terms.find(propertyId);
  const key = keys.sessionKey(propertyId, sessionId);
  if (property === undefined || !registry.knows(key)) return undefined;
  const found = await rowsOf<[string, bigint]>(
    connection,
    'SELECT session_id, started_at FROM sessions WHERE property = $1 AND session_key = $2 AND session_id = $3',
    [property, key.value, sessionId],
  );
  if (!found[0]) return undefined;
  const [storedId, start] = found[0];
  const startedAt = Number(start);
  const [summary] = await summariesOf(context, property, [
    { key: key.value, sessionId: storedId, startedAt },
  ]);
  const values = [property, key.value, startedAt];
  const attributes = await rowsOf<[string | null]>(
    connection,
    `SELECT arg_max(attributes, seq) FROM collects WHERE ${OF_SESSION} AND seen_until >= $3`,
    values,
  );
  return {
    ...(summary as NonNullable<typeof summary>),
    attributes: attributes[0]?.[0] ?? null,
    timeline: await timelineOf(connection, terms, values),
  };
}

/** Who a session belongs to; undefined when it was never stored. */
export async function sessionIdentity(
  { connection, terms, keys, registry }: QuestionContext,
  propertyId: string,
  sessionId: string,
): Promise<SessionIdentity | undefined> {
  const property = terms.find(propertyId);
  const key = keys.sessionKey(propertyId, sessionId);
  if (property === undefined || !registry.knows(key)) return undefined;
  const [row] = await rowsOf<[bigint, string | null, string | null]>(
    connection,
    `SELECT count(*), arg_max(visitor_id, seq), arg_max(user_id, seq)
     FROM collects WHERE ${OF_SESSION} AND seen_until >= $3`,
    [property, key.value, earliestStart(registry, [key.value])],
  );
  if (row && row[0] > 0n) return { visitorId: row[1], userId: row[2] };
  const listed = await rowsOf<[number]>(
    connection,
    'SELECT 1 FROM sessions WHERE property = $1 AND session_key = $2 AND session_id = $3',
    [property, key.value, sessionId],
  );
  return listed.length > 0 ? { visitorId: null, userId: null } : undefined;
}

const OF_SESSION = 'property = $1 AND session_key = $2';
const IN_ORDER = `WHERE ${OF_SESSION} AND happened_at >= $3 ORDER BY happened_at, rowid`;

async function timelineOf(
  connection: DuckDBConnection,
  terms: TermDictionary,
  values: readonly SqlValue[],
): Promise<TimelineEntry[]> {
  const timeline = [
    ...(await collectedEvents(connection, values)),
    ...(await exposures(connection, terms, values)),
    ...(await conversions(connection, terms, values)),
    ...(await feedback(connection, terms, values)),
  ];
  // The sort is stable: what happened at the same time stays in the order of arrival within its kind.
  return timeline.sort((a, b) => a.at - b.at);
}

async function collectedEvents(
  connection: DuckDBConnection,
  values: readonly SqlValue[],
): Promise<TimelineEntry[]> {
  type Row = [number, bigint, ...(string | null)[]];
  const rows = await rowsOf<Row>(
    connection,
    `SELECT type, happened_at, name, url, referrer, title, properties FROM session_events ${IN_ORDER}`,
    values,
  );
  return rows
    .filter(([type]) => type !== SESSION_EVENT_TYPES.sign)
    .map(([type, at, name, url, referrer, title, properties]) => ({
      at: Number(at),
      type: TYPE_NAMES[type] as (typeof TYPE_NAMES)[number],
      ...given({ name, url, referrer, title, properties }),
    }));
}

async function exposures(
  connection: DuckDBConnection,
  terms: TermDictionary,
  values: readonly SqlValue[],
): Promise<TimelineEntry[]> {
  const rows = await rowsOf<[bigint, number, number, string | null]>(
    connection,
    `SELECT happened_at, split_test, variation, attributes FROM exposures ${IN_ORDER}`,
    values,
  );
  return rows.map(([at, splitTest, variation, attributes]) => ({
    at: Number(at),
    type: 'exposure',
    splitTestKey: terms.textOf(splitTest) ?? '',
    variationKey: terms.textOf(variation) ?? '',
    ...given({ attributes }),
  }));
}

async function conversions(
  connection: DuckDBConnection,
  terms: TermDictionary,
  values: readonly SqlValue[],
): Promise<TimelineEntry[]> {
  const rows = await rowsOf<[bigint, number, number, bigint, string | null]>(
    connection,
    `SELECT happened_at, goal, direction, amount_micros, metadata FROM conversions ${IN_ORDER}`,
    values,
  );
  return rows.map(([at, goal, direction, amountMicros, metadata]) => ({
    at: Number(at),
    type: 'goal',
    goalId: terms.textOf(goal) ?? '',
    count: direction === 1 ? 1 : -1,
    amountMicros: Number(amountMicros),
    ...given({ metadata }),
  }));
}

async function feedback(
  connection: DuckDBConnection,
  terms: TermDictionary,
  values: readonly SqlValue[],
): Promise<TimelineEntry[]> {
  const rows = await rowsOf<[bigint, string, number, string | null, string | null, string | null]>(
    connection,
    `SELECT happened_at, feedback_id, feedback_type, option, message, metadata FROM feedback ${IN_ORDER}`,
    values,
  );
  return rows.map(([at, id, feedbackType, option, message, metadata]) => ({
    at: Number(at),
    type: 'feedback',
    id,
    feedbackTypeId: terms.textOf(feedbackType) ?? '',
    ...given({ option, message, metadata }),
  }));
}

/** Leaves out what was not given. */
function given<Name extends string>(
  texts: Record<Name, string | null | undefined>,
): Partial<Record<Name, string>> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== null)) as Partial<
    Record<Name, string>
  >;
}
