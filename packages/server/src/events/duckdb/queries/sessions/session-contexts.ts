import type { SessionContextQuery, SessionContexts } from '../../../store/session-context-queries.ts';
import { chunksOf, rowsOf, SqlValues } from '../../connection/sql.ts';
import type { TermDictionary } from '../../ingest/lookup/term-dictionary.ts';
import type { QueryContext } from '../query-context.ts';

/** The first 32 bits of the visitor's key, ids, term ids, and the values of the attributes. */
type ContextRow = [
  visitorKey: number,
  visitorId: string,
  userId: string | null,
  sessionId: string,
  country: number,
  device: number,
  browser: number,
  os: number,
  attributes: unknown[] | null,
];

/** The sessions of a period with what is known of them, streamed in the order of their visitors. */
export async function sessionContexts(
  context: QueryContext,
  query: SessionContextQuery,
): Promise<SessionContexts> {
  const property = context.terms.find(query.propertyId);
  if (property === undefined) return new ContextColumns(context.terms).finish(1, 0);
  const parts = await partsOf(context, query, property);
  const columns = new ContextColumns(context.terms);
  const values = new SqlValues();
  const statement = contextStatement(context, query, property, parts, values);
  for await (const chunk of chunksOf<[string]>(context.connection, statement, values.list)) {
    context.signal?.throwIfAborted();
    for (const [text] of chunk) {
      const row = JSON.parse(text) as ContextRow;
      if (columns.characters > query.maxCharacters && row[1] !== columns.lastVisitor) {
        return columns.finish(shareBefore(row[0]) / parts, query.attributes.length);
      }
      columns.add(row);
    }
  }
  return columns.finish(1 / parts, query.attributes.length);
}

/** Visitor keys are spread evenly over all integers, so those below a key are this share of all. */
function shareBefore(visitorKey: number): number {
  return (visitorKey + 2 ** 31) / 2 ** 32;
}

const startedCondition = (property: number, { from, to }: SessionContextQuery) =>
  `property = ${property} AND started_at >= ${from} AND started_at < ${to}`;

/** The visitors are read in one of this many equal parts; a power of two. */
async function partsOf(
  { connection }: QueryContext,
  query: SessionContextQuery,
  property: number,
): Promise<number> {
  const [row] = await rowsOf<[bigint]>(
    connection,
    `SELECT count(*) FROM sessions WHERE ${startedCondition(property, query)}`,
  );
  return 2 ** Math.max(0, Math.ceil(Math.log2(Number(row![0]) / query.maxSessions)));
}

/**
 * Visitor keys come from a hash with a secret key, so a part of them is a random sample. A row is one JSON text, because
 * the driver spends most of its time on values.
 */
function contextStatement(
  { terms, sources, namingCollects }: QueryContext,
  query: SessionContextQuery,
  property: number,
  parts: number,
  values: SqlValues,
): string {
  const order = sources.collectOrder;
  const inPart = parts === 1 ? 'true' : `(visitor_key & ${parts - 1}) = 0`;
  // A sample is taken before the sessions are grouped, so that its cost does not grow with the traffic.
  const candidates =
    parts === 1
      ? 'true'
      : `session_key IN (SELECT session_key FROM collects
           WHERE property = ${property} AND ${namingCollects} AND ${inPart})`;
  return `WITH started AS (
      SELECT session_key, session_id FROM sessions WHERE ${startedCondition(property, query)}),
    latest AS (
      SELECT session_key, arg_max(visitor_key, ${order}) AS visitor_key, arg_max(visitor_id, ${order}) AS visitor_id,
             arg_max(user_id, ${order}) AS user_id, arg_max(attributes, ${order}) AS attributes,
             arg_max(country, ${order}) AS country, arg_max(device, ${order}) AS device,
             arg_max(browser, ${order}) AS browser, arg_max(os, ${order}) AS os
      FROM collects WHERE property = ${property} AND seen_until >= ${query.from}
        AND session_key IN (SELECT session_key FROM started) AND ${candidates}
      GROUP BY session_key)
    SELECT CAST(json_array(visitor_key >> 32, visitor_id, user_id, session_id, country, device, browser, os,
                           ${valuesOf(query.attributes, values)}) AS VARCHAR)
    FROM started JOIN latest USING (session_key)
    WHERE device <> ${terms.find('bot') ?? -1} AND ${inPart}
    ORDER BY visitor_key, session_key`;
}

/** JSON pointers, because JSON paths have wildcards. What the engine does not accept as JSON is unknown. */
export function valuesOf(attributes: readonly string[], values: SqlValues): string {
  if (attributes.length === 0) return 'NULL::JSON';
  const pointers = attributes.map((name) =>
    values.add(`/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
  return `TRY(json_extract(attributes, [${pointers.join(', ')}]))`;
}

/** Collects the rows as columns, with each context once: it is much smaller to send to another thread. */
class ContextColumns {
  readonly #terms: TermDictionary;
  readonly #sessionIds: string[] = [];
  readonly #visitorIds: string[] = [];
  readonly #userIds: (string | null)[] = [];
  readonly #indexes: number[] = [];
  readonly #contexts: { attributes: string; terms: readonly number[] }[] = [];
  readonly #known = new Map<string, number>();
  /** Length of all texts. */
  characters = 0;
  lastVisitor: string | undefined;

  constructor(terms: TermDictionary) {
    this.#terms = terms;
  }

  add([, visitorId, userId, sessionId, country, device, browser, os, values]: ContextRow): void {
    const attributes = JSON.stringify(values);
    const key = `${country} ${device} ${browser} ${os} ${attributes}`;
    let index = this.#known.get(key);
    if (index === undefined) {
      index = this.#contexts.push({ attributes, terms: [country, device, browser, os] }) - 1;
      this.#known.set(key, index);
      this.characters += key.length;
    }
    this.#sessionIds.push(sessionId);
    this.#visitorIds.push(visitorId);
    this.#userIds.push(userId);
    this.#indexes.push(index);
    this.characters += sessionId.length + visitorId.length + (userId?.length ?? 0);
    this.lastVisitor = visitorId;
  }

  finish(share: number, attributeCount: number): SessionContexts {
    const none = JSON.stringify(Array.from({ length: attributeCount }, () => null));
    return {
      share,
      sessionIds: this.#sessionIds,
      visitorIds: this.#visitorIds,
      userIds: this.#userIds,
      contextIndexes: Uint32Array.from(this.#indexes),
      contexts: this.#contexts.map(({ attributes, terms }) => {
        const [country, device, browser, os] = terms.map((term) => this.#terms.textOf(term));
        const client = { country: country!, device: device!, browser: browser!, os: os! };
        return { attributes: attributes === 'null' ? none : attributes, ...client };
      }),
    };
  }
}
