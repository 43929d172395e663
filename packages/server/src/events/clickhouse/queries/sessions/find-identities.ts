import type { SessionIdentity } from '../../../store/session-summary.ts';
import { SqlValues } from '../../connection/sql-values.ts';
import type { QueryContext } from '../query-context.ts';
import { identities, latest } from './latest-identity.ts';

/** Visitors and users of the sessions, by id; sessions without a collect are omitted. */
export async function identitiesOf(
  { clickhouse }: QueryContext,
  propertyId: string,
  sessionIds: readonly (string | null)[],
): Promise<Map<string, SessionIdentity>> {
  const listed = [...new Set(sessionIds.filter((id) => id !== null))];
  if (listed.length === 0) return new Map();
  const values = new SqlValues();
  const where = `property = ${values.text(propertyId)} AND session_id IN ${values.texts(listed)}`;
  const rows = await clickhouse.rows<[sessionId: string, visitorId: string, userId: string | null]>(
    identities(clickhouse.tables, where),
    values.parameters,
  );
  return new Map(rows.map(([sessionId, visitorId, userId]) => [sessionId, { visitorId, userId }]));
}

/** Visitor and user of a session; undefined if the session was never stored. */
export async function sessionIdentity(
  { clickhouse }: QueryContext,
  propertyId: string,
  sessionId: string,
): Promise<SessionIdentity | undefined> {
  const values = new SqlValues();
  const where = `property = ${values.text(propertyId)} AND session_id = ${values.text(sessionId)}`;
  const { tables } = clickhouse;
  const rows = await clickhouse.rows<
    [isStored: 0 | 1, collects: string, visitor: string, user: string | null]
  >(
    `SELECT exists(SELECT 1 FROM ${tables.of('session_starts')} WHERE ${where}),
       count(), ${latest('visitor_id')}, ${latest('user_id')} FROM ${tables.of('collects')} WHERE ${where}`,
    values.parameters,
  );
  const [isStored, collects, visitorId, userId] = rows[0] as (typeof rows)[0];
  if (Number(collects) > 0) return { visitorId, userId };
  return isStored ? { visitorId: null, userId: null } : undefined;
}
