import type { DuckDBConnection } from '@duckdb/node-api';
import { IS_UNIT_SESSION } from '../../store/accepted-request.ts';
import {
  metadataTexts,
  type PersonalSubject,
  type SubjectContents,
  type SubjectSessionsQuery,
} from '../../store/erasure-subject.ts';
import { rowsOf, SqlValues } from '../connection/sql.ts';
import type { KeyHasher } from '../ingest/lookup/key-hasher.ts';
import type { QueryContext } from '../queries/query-context.ts';
import { SESSION_EVENT_TYPES } from '../schema/duckdb-schema.ts';

interface Scope {
  keys: KeyHasher;
  property: number;
  values: SqlValues;
}

/** SELECT of the keys of a subject's sessions; a key may come more than once. */
function selectSessions(subject: PersonalSubject, scope: Scope): string {
  const { keys, values, property } = scope;
  const { propertyId } = subject;
  if ('sessionId' in subject) {
    const hash = values.add(keys.sessionHash(propertyId, subject.sessionId).value);
    return `SELECT session_key FROM sessions WHERE property = ${property} AND session_hash = ${hash}
      AND session_id = ${values.add(subject.sessionId)}`;
  }
  if ('visitorId' in subject) {
    const key = values.add(keys.visitorKey(propertyId, subject.visitorId));
    return `SELECT session_key FROM collects WHERE property = ${property} AND visitor_key = ${key}
      AND visitor_id = ${values.add(subject.visitorId)}`;
  }
  if ('userId' in subject) {
    return `SELECT session_key FROM collects WHERE ${isUser(subject.userId, propertyId, scope)}
      UNION ALL SELECT session_key FROM collects WHERE property = ${property}
      AND visitor_id IN (${selectVisitors(subject, scope)})`;
  }
  return 'SELECT session_key FROM sessions WHERE false';
}

function isUser(userId: string, propertyId: string, { keys, values, property }: Scope): string {
  return `property = ${property} AND user_key = ${values.add(keys.userKey(propertyId, userId))}
    AND user_id = ${values.add(userId)}`;
}

/** SELECT of the visitors who were this user and no other. */
function selectVisitors({ propertyId, userId }: PersonalSubject & { userId: string }, scope: Scope): string {
  return `SELECT visitor_id FROM collects WHERE property = ${scope.property}
    AND visitor_id IN (SELECT visitor_id FROM collects WHERE ${isUser(userId, propertyId, scope)})
    GROUP BY visitor_id HAVING count(DISTINCT user_id) = 1`;
}

export async function sessionKeysOf(
  connection: DuckDBConnection,
  keys: KeyHasher,
  subject: PersonalSubject,
  property: number,
): Promise<bigint[]> {
  const values = new SqlValues();
  const select = selectSessions(subject, { keys, property, values });
  const rows = await rowsOf<[bigint]>(
    connection,
    `SELECT DISTINCT session_key FROM (${select})`,
    values.list,
  );
  return rows.map(([key]) => key);
}

type RowTable = 'conversions' | 'feedback';

interface RowCondition {
  table: RowTable;
  condition: (values: SqlValues) => string;
}

/** Which rows belong to a subject that is not a matter of sessions. */
export function rowConditions(subject: PersonalSubject, property: number): RowCondition[] {
  const own = `property = ${property}`;
  if ('feedbackId' in subject) {
    const { feedbackId } = subject;
    return [
      { table: 'feedback', condition: (values) => `${own} AND feedback_id = ${values.add(feedbackId)}` },
    ];
  }
  if (!('metadata' in subject)) return [];
  const [first, later] = metadataTexts(subject.metadata);
  const condition = (values: SqlValues) =>
    `${own} AND (contains(metadata, ${values.add(first)}) OR contains(metadata, ${values.add(later)}))`;
  return [
    { table: 'conversions', condition },
    { table: 'feedback', condition },
  ];
}

/** The caller holds a snapshot. */
export async function subjectSessions(
  { connection, keys, terms }: QueryContext,
  { subject, limit, after = '' }: SubjectSessionsQuery,
): Promise<string[]> {
  const property = terms.find(subject.propertyId);
  if (property === undefined) return [];
  const values = new SqlValues();
  const select = selectSessions(subject, { keys, property, values });
  const rows = await rowsOf<[string]>(
    connection,
    `SELECT session_id FROM sessions WHERE property = ${property} AND session_key IN (${select})
       AND (started_at IS NOT NULL OR ${IS_UNIT_SESSION}) AND session_id > ${values.add(after)}
     ORDER BY session_id LIMIT ${values.add(limit)}`,
    values.list,
  );
  return rows.map(([sessionId]) => sessionId);
}

/** The caller holds a snapshot. */
export async function subjectVisitors(
  { connection, keys, terms }: QueryContext,
  subject: PersonalSubject,
): Promise<string[]> {
  const property = terms.find(subject.propertyId);
  if ('visitorId' in subject) return [subject.visitorId];
  if (property === undefined || !('userId' in subject)) return [];
  const values = new SqlValues();
  const select = selectVisitors(subject, { keys, property, values });
  const rows = await rowsOf<[string]>(connection, `${select} ORDER BY visitor_id`, values.list);
  return rows.map(([visitorId]) => visitorId);
}

/** The caller holds a snapshot. */
export async function subjectContents(
  { connection, keys, terms }: QueryContext,
  subject: PersonalSubject,
): Promise<SubjectContents> {
  const none = { visitors: 0, sessions: 0, events: 0, exposures: 0, conversions: 0, feedback: 0 };
  const property = terms.find(subject.propertyId);
  if (property === undefined) return none;
  const values = new SqlValues();
  const conditions = rowConditions(subject, property);
  if (conditions.length > 0) {
    const contents: SubjectContents = { ...none };
    const counts = conditions.map(
      ({ table, condition }) => `SELECT '${table}', count(*) FROM ${table} WHERE ${condition(values)}`,
    );
    const rows = await rowsOf<[RowTable, bigint]>(connection, counts.join(' UNION ALL '), values.list);
    for (const [table, count] of rows) contents[table] = Number(count);
    return contents;
  }
  const select = selectSessions(subject, { keys, property, values });
  const own = (table: string, condition = 'true') =>
    `(SELECT count(*) FROM ${table} WHERE property = ${property} AND ${condition}
      AND session_key IN (SELECT session_key FROM own))`;
  const rows = await rowsOf<bigint[]>(
    connection,
    `WITH own AS MATERIALIZED (${select})
     SELECT (SELECT count(DISTINCT visitor_id) FROM collects
             WHERE property = ${property} AND session_key IN (SELECT session_key FROM own)),
            ${own('sessions', 'started_at IS NOT NULL')},
            ${own('session_events', `type != ${SESSION_EVENT_TYPES.heartbeat}`)},
            ${own('exposures')}, ${own('conversions')}, ${own('feedback')}`,
    values.list,
  );
  const [visitors, sessions, events, exposures, conversions, feedback] = rows[0]!.map(Number);
  return {
    visitors: visitors!,
    sessions: sessions!,
    events: events!,
    exposures: exposures!,
    conversions: conversions!,
    feedback: feedback!,
  };
}
