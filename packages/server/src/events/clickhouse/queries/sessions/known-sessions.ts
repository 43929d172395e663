import type { KnownSessionQuery, SessionKnowledge } from '../../../store/session-context-queries.ts';
import { SqlValues } from '../../connection/sql-values.ts';
import type { TableNames } from '../../schema/table-names.ts';
import type { QueryContext } from '../query-context.ts';
import { latest } from './latest-identity.ts';

/** The latest client and attributes of each session with a collect; `where` filters `collects`. */
export const latestCollects = (tables: TableNames, where: string, attributes: string) =>
  `SELECT session_id, ${latest('visitor_id')} AS visitor, ${latest('user_id')} AS user,
     ${latest('(toString(country), toString(device), toString(browser), toString(os))')} AS client,
     ifNull(${latest('attributes')}, '') AS latest_attributes,
     arrayMap(name -> JSONExtractRaw(latest_attributes, name), ${attributes}) AS found
   FROM ${tables.of('collects')} WHERE ${where} GROUP BY session_id`;

export type Client = [country: string, device: string, browser: string, os: string];

export const clientOf = ([country, device, browser, os]: Client) => ({
  country: country || null,
  device: device || null,
  browser: browser || null,
  os: os || null,
});

/** JSON array text; a value that was not found is null. */
export const attributesOf = (found: readonly string[]) =>
  `[${found.map((text) => text || 'null').join(',')}]`;

type KnownRow = [
  sessionId: string,
  visitorId: string,
  userId: string | null,
  client: Client,
  found: string[],
];

export async function knownSessions(
  { clickhouse }: QueryContext,
  { propertyId, sessionIds, attributes }: KnownSessionQuery,
): Promise<SessionKnowledge[]> {
  if (sessionIds.length === 0) return [];
  const values = new SqlValues();
  const where = `property = ${values.text(propertyId)} AND session_id IN ${values.texts(sessionIds)}`;
  const names = values.texts(attributes);
  const rows = await clickhouse.rows<KnownRow>(
    `SELECT session_id, visitor, user, client, found FROM (${latestCollects(clickhouse.tables, where, names)})`,
    values.parameters,
  );
  return rows.map(([sessionId, visitorId, userId, client, found]) => ({
    sessionId,
    visitorId,
    userId,
    ...clientOf(client),
    attributes: attributesOf(found),
  }));
}
