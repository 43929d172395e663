import type { SessionQuery, TimelineEntry } from '../../../store/event-store.ts';
import { PAGE_BYTES, type Page, type TimelineCursor } from '../../../store/page.ts';
import { jsonBytes, recordsOf, rowsOf, withinBytes } from '../../connection/sql.ts';
import type { SourceList } from '../../ingest/lookup/source-list.ts';
import type { TermDictionary } from '../../ingest/lookup/term-dictionary.ts';
import { ORDINAL, SESSION_EVENT_TYPES } from '../../schema/duckdb-schema.ts';
import type { QueryContext } from '../query-context.ts';
import type { StoredSession } from './session-summaries.ts';

const TYPE_NAMES = ['pageview', 'event', 'identify'] as const;

/** Unique across all tables and, unlike row ids, stable when the file is rewritten. */
const ORDER = 'happened_at, position';

/** SQL for the rows of a table between two events; `$4` and `$6` are positions, see `SourceList.tieBreakNumber`. */
function shownRows({ tieBreakNumber }: SourceList) {
  const after = `happened_at >= $3 AND (happened_at > $3 OR ${tieBreakNumber} > $4::HUGEINT)`;
  return (table: string) =>
    `FROM ${table} WHERE property = $1 AND session_key = $2 AND ${after}
     ${table === 'session_events' ? `AND type <> ${SESSION_EVENT_TYPES.heartbeat}` : ''}`;
}

const TABLES = ['session_events', 'exposures', 'conversions', 'feedback'];

/** Reads only two narrow columns, so that the texts of events beyond the page are never read. */
function positionsSql(sources: SourceList): string {
  const shown = shownRows(sources);
  const positions = TABLES.map(
    (table) =>
      `(SELECT happened_at, ${sources.tieBreakNumber}::HUGEINT AS position ${shown(table)}
        ORDER BY ${ORDER} LIMIT $5)`,
  );
  return `SELECT happened_at, position::VARCHAR FROM (${positions.join(' UNION ALL ')}) ORDER BY ${ORDER} LIMIT $5`;
}

function rowsSql(sources: SourceList): string {
  const shown = shownRows(sources);
  const position = sources.tieBreakNumber;
  const until = `happened_at <= $5 AND (happened_at < $5 OR ${position} <= $6::HUGEINT)`;
  const common = `happened_at, ${ORDINAL} AS ordinal, source AS source_id, ${position}::HUGEINT AS position`;
  const selects = [
    `SELECT 'collected' AS source, ${common}, type, name, url, referrer, title, properties,
            ${jsonBytes(['name', 'url', 'referrer', 'title'], ['properties'])} AS bytes
     ${shown('session_events')} AND ${until}`,
    `SELECT 'exposure' AS source, ${common}, split_test, variation, attributes,
            ${jsonBytes([], ['attributes'])} AS bytes
     ${shown('exposures')} AND ${until}`,
    `SELECT 'goal' AS source, ${common}, goal, direction, amount_micros, metadata,
            ${jsonBytes([], ['metadata'])} AS bytes
     ${shown('conversions')} AND ${until}`,
    `SELECT 'feedback' AS source, ${common}, feedback_id, feedback_type, option, message, metadata,
            ${jsonBytes(['option', 'message'], ['metadata'])} AS bytes
     ${shown('feedback')} AND ${until}`,
  ];
  return withinBytes(selects.join(' UNION ALL BY NAME '), ORDER, PAGE_BYTES);
}

type TimelineRow = { happened_at: bigint; ordinal: bigint; source_id: number } & (
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
  { connection, terms, sources }: QueryContext,
  property: number,
  { key, startedAt }: StoredSession,
  { limit, after = { at: startedAt - 1, source: '', ordinal: 0 } }: SessionQuery,
): Promise<Page<TimelineEntry, TimelineCursor>> {
  const start = [property, key, after.at, String(sources.tieBreakOf(after.source, after.ordinal))];
  // One extra row, to detect whether there is a next page.
  const positions = await rowsOf<[bigint, string]>(connection, positionsSql(sources), [...start, limit + 1]);
  const end = positions[Math.min(limit, positions.length) - 1];
  if (!end) return { rows: [], next: undefined };
  const rows = await recordsOf<TimelineRow>(connection, rowsSql(sources), [...start, ...end]);
  const last = rows.at(-1) as TimelineRow;
  return {
    rows: rows.map((row) => timelineEntryOf(row, terms)),
    next:
      rows.length < positions.length
        ? {
            at: Number(last.happened_at),
            source: sources.nameOf(last.source_id),
            ordinal: Number(last.ordinal),
          }
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
