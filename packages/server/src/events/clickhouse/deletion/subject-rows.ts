import {
  metadataTexts,
  type PersonalSubject,
  type SubjectContents,
  type SubjectSessionsQuery,
} from '../../store/erasure-subject.ts';
import type { ClickHouse } from '../connection/clickhouse-client.ts';
import { SqlValues } from '../connection/sql-values.ts';
import type { QueryContext } from '../queries/query-context.ts';
import { countsOnce } from '../queries/repeated-events.ts';
import type { TableName } from '../schema/table-columns.ts';

const MAX_IDS = 1000;

export function* partsOf<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < list.length; start += MAX_IDS) yield list.slice(start, start + MAX_IDS);
}

/** The sessions of a subject, in any order. */
export async function sessionsOf(clickhouse: ClickHouse, subject: PersonalSubject): Promise<string[]> {
  if ('feedbackId' in subject || 'metadata' in subject) return [];
  const values = new SqlValues();
  const property = `property = ${values.text(subject.propertyId)}`;
  const select = (table: TableName, column: string, id: string) =>
    `SELECT DISTINCT session_id FROM ${clickhouse.tables.of(table)} WHERE ${property} AND ${column} = ${values.text(id)}`;
  const statement =
    'visitorId' in subject
      ? select('collects', 'visitor_id', subject.visitorId)
      : 'userId' in subject
        ? select('collects', 'user_id', subject.userId)
        : // With its collects: an interrupted erasure may have left only those.
          `${select('session_starts', 'session_id', subject.sessionId)}
           UNION DISTINCT ${select('collects', 'session_id', subject.sessionId)}`;
  const rows = await clickhouse.rows<[string]>(statement, values.parameters);
  const sessionIds = new Set(rows.map(([sessionId]) => sessionId));
  if ('userId' in subject) {
    for (const sessionId of await sessionsOfVisitors(clickhouse, subject)) sessionIds.add(sessionId);
  }
  return [...sessionIds];
}

async function sessionsOfVisitors(
  clickhouse: ClickHouse,
  subject: PersonalSubject & { userId: string },
): Promise<string[]> {
  const sessionIds: string[] = [];
  for (const part of partsOf(await visitorsOf(clickhouse, subject))) {
    const values = new SqlValues();
    const rows = await clickhouse.rows<[string]>(
      `SELECT DISTINCT session_id FROM ${clickhouse.tables.of('collects')}
       WHERE property = ${values.text(subject.propertyId)} AND visitor_id IN ${values.texts(part)}`,
      values.parameters,
    );
    sessionIds.push(...rows.map(([sessionId]) => sessionId));
  }
  return sessionIds;
}

/** The visitors who were this user and no other. In steps: they may be on several shards. */
async function visitorsOf(
  clickhouse: ClickHouse,
  { propertyId, userId }: PersonalSubject & { userId: string },
): Promise<string[]> {
  const values = new SqlValues();
  const collects = clickhouse.tables.of('collects');
  const known = await clickhouse.rows<[string]>(
    `SELECT DISTINCT visitor_id FROM ${collects}
     WHERE property = ${values.text(propertyId)} AND user_id = ${values.text(userId)}`,
    values.parameters,
  );
  const own: string[] = [];
  for (const part of partsOf(known.map(([visitorId]) => visitorId))) {
    const named = new SqlValues();
    const rows = await clickhouse.rows<[string]>(
      `SELECT visitor_id FROM ${collects}
       WHERE property = ${named.text(propertyId)} AND visitor_id IN ${named.texts(part)}
       GROUP BY visitor_id HAVING uniqExact(user_id) = 1`,
      named.parameters,
    );
    own.push(...rows.map(([visitorId]) => visitorId));
  }
  return own;
}

export type RowTable = 'conversions' | 'feedback';

interface RowCondition {
  table: RowTable;
  condition: string;
}

/** Which rows belong to a subject that is not a matter of sessions. */
export function rowConditions(subject: PersonalSubject, values: SqlValues): RowCondition[] {
  const own = `property = ${values.text(subject.propertyId)}`;
  if ('feedbackId' in subject) {
    return [{ table: 'feedback', condition: `${own} AND feedback_id = ${values.text(subject.feedbackId)}` }];
  }
  if (!('metadata' in subject)) return [];
  const texts = metadataTexts(subject.metadata).map(
    (text) => `position(ifNull(metadata, ''), ${values.text(text)}) > 0`,
  );
  const condition = `${own} AND (${texts.join(' OR ')})`;
  return [
    { table: 'conversions', condition },
    { table: 'feedback', condition },
  ];
}

export async function subjectSessions(
  { clickhouse }: QueryContext,
  { subject, limit, after = '' }: SubjectSessionsQuery,
): Promise<string[]> {
  const all = await sessionsOf(clickhouse, subject);
  return all
    .filter((sessionId) => byText(sessionId, after) > 0)
    .sort(byText)
    .slice(0, limit);
}

export async function subjectVisitors(
  { clickhouse }: QueryContext,
  subject: PersonalSubject,
): Promise<string[]> {
  if ('visitorId' in subject) return [subject.visitorId];
  return 'userId' in subject ? (await visitorsOf(clickhouse, subject)).sort(byText) : [];
}

/** Like the other engine: by the bytes of UTF-8. */
const byText = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

export async function subjectContents(
  context: QueryContext,
  subject: PersonalSubject,
): Promise<SubjectContents> {
  const contents = { visitors: 0, sessions: 0, events: 0, exposures: 0, conversions: 0, feedback: 0 };
  const { clickhouse } = context;
  const add = async (counts: string[], { parameters }: SqlValues) => {
    const rows = await clickhouse.rows<[keyof SubjectContents, string]>(
      counts.join(' UNION ALL '),
      parameters,
    );
    for (const [name, count] of rows) contents[name] += Number(count);
  };
  const values = new SqlValues();
  const conditions = rowConditions(subject, values);
  if (conditions.length > 0) {
    const once = countsOnce(clickhouse.tables, values.text(subject.propertyId));
    const counts = conditions.map(
      ({ table, condition }) =>
        `SELECT '${table}', count() FROM ${clickhouse.tables.of(table)} WHERE ${condition} AND ${once}`,
    );
    await add(counts, values);
    return contents;
  }
  const visitors = new Set<string>();
  for (const part of partsOf(await sessionsOf(clickhouse, subject))) {
    const own = new SqlValues();
    await add(sessionCounts(clickhouse, subject.propertyId, part, own), own);
    const named = new SqlValues();
    const rows = await clickhouse.rows<[string]>(
      `SELECT DISTINCT visitor_id FROM ${clickhouse.tables.of('collects')}
       WHERE property = ${named.text(subject.propertyId)} AND session_id IN ${named.texts(part)}`,
      named.parameters,
    );
    for (const [visitorId] of rows) visitors.add(visitorId);
  }
  return { ...contents, visitors: visitors.size };
}

function sessionCounts(
  { tables }: ClickHouse,
  propertyId: string,
  sessionIds: readonly string[],
  values: SqlValues,
): string[] {
  const property = values.text(propertyId);
  const own = `property = ${property} AND session_id IN ${values.texts(sessionIds)}`;
  const once = `has_session AND ${countsOnce(tables, property)}`;
  return [
    `SELECT 'sessions', uniqExact(session_id) FROM ${tables.of('session_starts')} WHERE ${own}`,
    `SELECT 'events', count() FROM ${tables.of('session_events')} WHERE ${own} AND type != 'heartbeat'`,
    `SELECT 'exposures', count() FROM ${tables.of('exposures')} WHERE ${own}`,
    `SELECT 'conversions', count() FROM ${tables.of('conversions')} WHERE ${own} AND ${once}`,
    `SELECT 'feedback', count() FROM ${tables.of('feedback')} WHERE ${own} AND ${once}`,
  ];
}
