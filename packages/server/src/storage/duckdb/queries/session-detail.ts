import type { SessionDetail, SessionIdentity, TimelineEntry } from '../../event-store.ts';
import { SESSION_EVENT_TYPES } from '../file/duckdb-schema.ts';
import type { TermDictionary } from '../lookup/term-dictionary.ts';
import { recordsOf, rowsOf } from '../sql.ts';
import type { QueryContext } from './query-context.ts';
import { earliestStart, summariesOf } from './session-summaries.ts';

const TYPE_NAMES = ['pageview', 'event', 'identify'] as const;

const OF_SESSION = 'property = $1 AND session_key = $2';

const IN_ORDER = `WHERE ${OF_SESSION} AND happened_at >= $3 ORDER BY happened_at, rowid`;

const TIMELINE_PARTS = [
  `SELECT 'collected' AS source, happened_at, type, name, url, referrer, title, properties
   FROM session_events ${IN_ORDER}`,
  `SELECT 'exposure' AS source, happened_at, split_test, variation, attributes FROM exposures ${IN_ORDER}`,
  `SELECT 'goal' AS source, happened_at, goal, direction, amount_micros, metadata FROM conversions ${IN_ORDER}`,
  `SELECT 'feedback' AS source, happened_at, feedback_id, feedback_type, option, message, metadata
   FROM feedback ${IN_ORDER}`,
];

type TimelineRow = { happened_at: bigint } & (
  | ({ source: 'collected'; type: number } & Texts<'name' | 'url' | 'referrer' | 'title' | 'properties'>)
  | ({ source: 'exposure'; split_test: number; variation: number } & Texts<'attributes'>)
  | ({ source: 'goal'; goal: number; direction: number; amount_micros: bigint } & Texts<'metadata'>)
  | ({ source: 'feedback'; feedback_id: string; feedback_type: number } & Texts<
      'option' | 'message' | 'metadata'
    >)
);

type Texts<Name extends string> = Record<Name, string | null>;

/** One session with everything that happened in it. The caller holds a snapshot. */
export async function sessionDetail(
  context: QueryContext,
  propertyId: string,
  sessionId: string,
): Promise<SessionDetail | undefined> {
  const { connection, terms, keys, registry } = context;
  const property = terms.find(propertyId);
  const key = keys.sessionKey(propertyId, sessionId);
  if (property === undefined || !registry.knows(key)) return undefined;
  const found = await rowsOf<[string, bigint]>(
    connection,
    `SELECT session_id, started_at FROM sessions WHERE ${OF_SESSION} AND session_id = $3`,
    [property, key.value, sessionId],
  );
  if (!found[0]) return undefined;
  const listed = { key: key.value, sessionId: found[0][0], startedAt: Number(found[0][1]) };
  const [summary] = await summariesOf(context, property, [listed]);
  const values = [property, key.value, listed.startedAt];
  const attributes = await rowsOf<[string | null]>(
    connection,
    `SELECT arg_max(attributes, seq) FROM collects WHERE ${OF_SESSION} AND seen_until >= $3`,
    values,
  );
  const timeline: TimelineEntry[] = [];
  for (const part of TIMELINE_PARTS) {
    const rows = await recordsOf<TimelineRow>(connection, part, values);
    timeline.push(...rows.filter(isShown).map((row) => timelineEntryOf(row, terms)));
  }
  return {
    ...(summary as NonNullable<typeof summary>),
    attributes: attributes[0]?.[0] ?? null,
    // Stable: what happened at the same time stays in the order of arrival within its kind.
    timeline: timeline.sort((a, b) => a.at - b.at),
  };
}

/** Who a session belongs to; undefined when it was never stored. */
export async function sessionIdentity(
  { connection, terms, keys, registry }: QueryContext,
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
    `SELECT 1 FROM sessions WHERE ${OF_SESSION} AND session_id = $3`,
    [property, key.value, sessionId],
  );
  return listed.length > 0 ? { visitorId: null, userId: null } : undefined;
}

function isShown(row: TimelineRow): boolean {
  return row.source !== 'collected' || row.type !== SESSION_EVENT_TYPES.sign;
}

function timelineEntryOf(row: TimelineRow, terms: TermDictionary): TimelineEntry {
  const at = Number(row.happened_at);
  const text = (term: number) => terms.textOf(term) ?? '';
  switch (row.source) {
    case 'collected': {
      const { name, url, referrer, title, properties } = row;
      const type = TYPE_NAMES[row.type] as (typeof TYPE_NAMES)[number];
      return { at, type, ...given({ name, url, referrer, title, properties }) };
    }
    case 'exposure': {
      const names = { splitTestKey: text(row.split_test), variationKey: text(row.variation) };
      return { at, type: 'exposure', ...names, ...given({ attributes: row.attributes }) };
    }
    case 'goal': {
      const amountMicros = Number(row.amount_micros);
      const count = row.direction === 1 ? 1 : -1;
      return {
        at,
        type: 'goal',
        goalId: text(row.goal),
        count,
        amountMicros,
        ...given({ metadata: row.metadata }),
      };
    }
    case 'feedback': {
      const { option, message, metadata } = row;
      const names = { id: row.feedback_id, feedbackTypeId: text(row.feedback_type) };
      return { at, type: 'feedback', ...names, ...given({ option, message, metadata }) };
    }
  }
}

/** Leaves out what was not given. */
function given<Name extends string>(texts: Texts<Name>): Partial<Record<Name, string>> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== null)) as Partial<
    Record<Name, string>
  >;
}
