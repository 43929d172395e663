import type { SessionQuery, TimelineEntry } from '../../../store/event-store.ts';
import type { Page, TimelineCursor } from '../../../store/page.ts';
import { SqlValues } from '../../connection/sql-values.ts';
import { withoutNulls } from '../../connection/without-nulls.ts';
import type { TableNames } from '../../schema/table-names.ts';
import type { QueryContext } from '../query-context.ts';
import { countsOnce } from '../repeated-events.ts';
import { jsonBytes, withinBytes } from './within-bytes.ts';

const ORDER = 'happened_at, source, ordinal';

type TimelineRow = [
  at: string,
  source: string,
  ordinal: string,
  kind: string,
  data: string,
  available: string,
];

/** Oldest first; each page starts strictly after the cursor. */
export async function timelinePage(
  { clickhouse }: QueryContext,
  { propertyId, sessionId, limit, after }: SessionQuery,
): Promise<Page<TimelineEntry, TimelineCursor>> {
  const values = new SqlValues();
  const property = values.text(propertyId);
  const where = [
    `property = ${property} AND session_id = ${values.text(sessionId)}`,
    ...(after ? [isAfter(after, values)] : []),
  ].join(' AND ');
  // One extra row, to detect whether there is a next page.
  const shown = values.integer(limit + 1);
  const select = events(clickhouse.tables, where, property, shown);
  const rows = await clickhouse.rows<TimelineRow>(
    withinBytes(
      'happened_at, source, ordinal, kind, data',
      `SELECT * FROM (${select}) ORDER BY ${ORDER} LIMIT ${shown}`,
      ORDER,
    ),
    values.parameters,
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = last !== undefined && Number(last[5]) > page.length;
  return {
    rows: page.map(([at, , , kind, data]) => entryOf(Number(at), kind, JSON.parse(data))),
    next: hasMore ? { at: Number(last[0]), source: last[1], ordinal: Number(last[2]) } : undefined,
  };
}

function isAfter({ at, source, ordinal }: TimelineCursor, values: SqlValues): string {
  const time = values.integer(at);
  const rest = `(toString(source), ordinal) > (${values.text(source)}, toUInt64(${values.integer(ordinal)}))`;
  return `happened_at >= ${time} AND (happened_at > ${time} OR ${rest})`;
}

/** The values of an event are JSON, because they differ by table. */
function events(tables: TableNames, where: string, property: string, limit: string): string {
  const part = (
    kind: string,
    table: Parameters<TableNames['of']>[0],
    values: readonly string[],
    bytes: string,
    condition = 'true',
  ) => `(SELECT ${kind} AS kind, happened_at, toString(${tables.of(table)}.source) AS source, ordinal,
      toJSONString(tuple(${values.join(', ')})) AS data, ${bytes} AS bytes
    FROM ${tables.of(table)} WHERE ${where} AND ${condition} ORDER BY ${ORDER} LIMIT ${limit})`;
  const once = `has_session AND ${countsOnce(tables, property)}`;
  const texts = ['name', 'url', 'referrer', 'title'];
  return [
    part(
      'toString(type)',
      'session_events',
      [...texts, 'properties'],
      jsonBytes(texts, ['properties']),
      "type <> 'heartbeat'",
    ),
    part("'exposure'", 'exposures', ['split_test', 'variation', 'attributes'], jsonBytes([], ['attributes'])),
    part(
      "'goal'",
      'conversions',
      ['goal', 'direction', 'amount_micros', 'metadata'],
      jsonBytes([], ['metadata']),
      once,
    ),
    part(
      "'feedback'",
      'feedback',
      ['feedback_id', 'feedback_type', 'option', 'message', 'metadata'],
      jsonBytes(['option', 'message'], ['metadata']),
      once,
    ),
  ].join('\nUNION ALL\n');
}

type Text = string | null;

function entryOf(at: number, kind: string, data: unknown[]): TimelineEntry {
  if (kind === 'exposure') {
    const [splitTestKey, variationKey, attributes] = data as [string, string, Text];
    return { at, type: 'exposure', splitTestKey, variationKey, ...withoutNulls({ attributes }) };
  }
  if (kind === 'goal') {
    const [goalId, direction, amount, metadata] = data as [string, number, string, Text];
    const count = direction === 1 ? 1 : -1;
    return { at, type: 'goal', goalId, count, amountMicros: Number(amount), ...withoutNulls({ metadata }) };
  }
  if (kind === 'feedback') {
    const [id, feedbackTypeId, option, message, metadata] = data as [string, string, Text, Text, Text];
    return { at, type: 'feedback', id, feedbackTypeId, ...withoutNulls({ option, message, metadata }) };
  }
  const [name, url, referrer, title, properties] = data as [Text, Text, Text, Text, Text];
  const type = kind as 'pageview' | 'event' | 'identify';
  return { at, type, ...withoutNulls({ name, url, referrer, title, properties }) };
}
