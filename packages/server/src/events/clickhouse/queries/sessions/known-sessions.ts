import type { KnownSessionQuery, SessionKnowledge } from '../../../store/session-context-queries.ts';
import { SqlValues } from '../../connection/sql-values.ts';
import type { TableNames } from '../../schema/table-names.ts';
import type { QueryContext } from '../query-context.ts';
import { latest } from './latest-identity.ts';
import { type VisitValues, visitOf, visitSql } from './session-visits.ts';

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
  ...visit: VisitValues,
];

export async function knownSessions(
  { clickhouse }: QueryContext,
  { propertyId, sessionIds, attributes, visit }: KnownSessionQuery,
): Promise<SessionKnowledge[]> {
  if (sessionIds.length === 0) return [];
  const values = new SqlValues();
  const property = `property = ${values.text(propertyId)}`;
  const where = `${property} AND session_id IN ${values.texts(sessionIds)}`;
  const names = values.texts(attributes);
  const { tables } = clickhouse;
  const { columns, joins } = visitSql(tables, { property, starts: where, collects: where }, visit);
  const rows = await clickhouse.rows<KnownRow>(
    `SELECT session_id, visitor, user, client, found${columns}
     FROM (${latestCollects(tables, where, names)}) AS known${joins}`,
    values.parameters,
  );
  return rows.map(([sessionId, visitorId, userId, client, found, ...visited]) => {
    const { startedAt, returning, entry } = visitOf(visited, visit);
    return {
      sessionId,
      visitorId,
      userId,
      ...clientOf(client),
      attributes: attributesOf(found),
      ...(startedAt !== undefined && { startedAt }),
      ...(returning !== undefined && { returning }),
      ...entry,
    };
  });
}
