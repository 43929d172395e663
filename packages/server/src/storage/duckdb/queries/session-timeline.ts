import {
  PAGE_BYTES,
  type Page,
  type SessionQuery,
  type TimelineCursor,
  type TimelineEntry,
} from '../../event-store.ts';
import { SESSION_EVENT_TYPES } from '../file/duckdb-schema.ts';
import type { TermDictionary } from '../lookup/term-dictionary.ts';
import { jsonBytes, recordsOf, rowsOf, withinBytes } from '../sql.ts';
import type { QueryContext } from './query-context.ts';
import type { StoredSession } from './session-summaries.ts';

const TYPE_NAMES = ['pageview', 'event', 'identify'] as const;

/** Unique across all tables and, unlike row ids, stable when the file is rewritten. */
const ORDER = 'happened_at, ordinal';

const AFTER = 'happened_at >= $3 AND (happened_at > $3 OR ordinal > $4)';
const UNTIL = 'happened_at <= $5 AND (happened_at < $5 OR ordinal <= $6)';

const shown = (table: string) =>
  `FROM ${table} WHERE property = $1 AND session_key = $2 AND ${AFTER}
   ${table === 'session_events' ? `AND type <> ${SESSION_EVENT_TYPES.heartbeat}` : ''}`;

const TABLES = ['session_events', 'exposures', 'conversions', 'feedback'];

/** Reads only two narrow columns, so that the texts of events beyond the page are never read. */
const POSITIONS = `
  SELECT happened_at, ordinal
  FROM (${TABLES.map(
    (table) => `(SELECT happened_at, ordinal ${shown(table)} ORDER BY ${ORDER} LIMIT $5)`,
  ).join(' UNION ALL ')})
  ORDER BY ${ORDER} LIMIT $5`;

const ROWS = withinBytes(
  [
    `SELECT 'collected' AS source, happened_at, ordinal, type, name, url, referrer, title, properties,
            ${jsonBytes(['name', 'url', 'referrer', 'title'], ['properties'])} AS bytes
     ${shown('session_events')} AND ${UNTIL}`,
    `SELECT 'exposure' AS source, happened_at, ordinal, split_test, variation, attributes,
            ${jsonBytes([], ['attributes'])} AS bytes
     ${shown('exposures')} AND ${UNTIL}`,
    `SELECT 'goal' AS source, happened_at, ordinal, goal, direction, amount_micros, metadata,
            ${jsonBytes([], ['metadata'])} AS bytes
     ${shown('conversions')} AND ${UNTIL}`,
    `SELECT 'feedback' AS source, happened_at, ordinal, feedback_id, feedback_type, option, message, metadata,
            ${jsonBytes(['option', 'message'], ['metadata'])} AS bytes
     ${shown('feedback')} AND ${UNTIL}`,
  ].join(' UNION ALL BY NAME '),
  ORDER,
  PAGE_BYTES,
);

type TimelineRow = { happened_at: bigint; ordinal: bigint } & (
  | ({ source: 'collected'; type: number } & Texts<'name' | 'url' | 'referrer' | 'title' | 'properties'>)
  | ({ source: 'exposure'; split_test: number; variation: number } & Texts<'attributes'>)
  | ({ source: 'goal'; goal: number; direction: number; amount_micros: bigint } & Texts<'metadata'>)
  | ({ source: 'feedback'; feedback_id: string; feedback_type: number } & Texts<
      'option' | 'message' | 'metadata'
    >)
);

type Texts<Name extends string> = Record<Name, string | null>;

/** Oldest first; each page starts strictly after the cursor. The caller holds a snapshot. */
export async function timelinePage(
  { connection, terms }: QueryContext,
  property: number,
  { key, startedAt }: StoredSession,
  { limit, after = { at: startedAt, ordinal: Number.MIN_SAFE_INTEGER } }: SessionQuery,
): Promise<Page<TimelineEntry, TimelineCursor>> {
  const start = [property, key, after.at, after.ordinal];
  // One extra row, to detect whether there is a next page.
  const positions = await rowsOf<[bigint, bigint]>(connection, POSITIONS, [...start, limit + 1]);
  const end = positions[Math.min(limit, positions.length) - 1];
  if (!end) return { rows: [], next: undefined };
  const rows = await recordsOf<TimelineRow>(connection, ROWS, [...start, ...end]);
  const last = rows.at(-1) as TimelineRow;
  return {
    rows: rows.map((row) => timelineEntryOf(row, terms)),
    next:
      rows.length < positions.length
        ? { at: Number(last.happened_at), ordinal: Number(last.ordinal) }
        : undefined,
  };
}

function timelineEntryOf(row: TimelineRow, terms: TermDictionary): TimelineEntry {
  const at = Number(row.happened_at);
  const text = (term: number) => terms.textOf(term) ?? '';
  switch (row.source) {
    case 'collected': {
      const { name, url, referrer, title, properties } = row;
      const type = TYPE_NAMES[row.type] as (typeof TYPE_NAMES)[number];
      return { at, type, ...withoutNulls({ name, url, referrer, title, properties }) };
    }
    case 'exposure': {
      const names = { splitTestKey: text(row.split_test), variationKey: text(row.variation) };
      return { at, type: 'exposure', ...names, ...withoutNulls({ attributes: row.attributes }) };
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
        ...withoutNulls({ metadata: row.metadata }),
      };
    }
    case 'feedback': {
      const { option, message, metadata } = row;
      const names = { id: row.feedback_id, feedbackTypeId: text(row.feedback_type) };
      return { at, type: 'feedback', ...names, ...withoutNulls({ option, message, metadata }) };
    }
  }
}

/** Drops null values. */
function withoutNulls<Name extends string>(texts: Texts<Name>): Partial<Record<Name, string>> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== null)) as Partial<
    Record<Name, string>
  >;
}
