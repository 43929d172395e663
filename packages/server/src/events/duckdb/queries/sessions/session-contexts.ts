import type {
  SessionContextQuery,
  SessionContexts,
  VisitEntry,
} from '../../../store/session-context-queries.ts';
import { chunksOf, rowsOf, SqlValues } from '../../connection/sql.ts';
import type { TermDictionary } from '../../ingest/lookup/term-dictionary.ts';
import type { QueryContext } from '../query-context.ts';
import { entryOf, type VisitValues, visitSql } from './session-visits.ts';

/** The first 32 bits of the visitor's key, ids, term ids, the values of the attributes, and what is known of the visit. */
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
  ...visit: VisitValues,
];

/** The sessions of a period with what is known of them, streamed in the order of their visitors. */
export async function sessionContexts(
  context: QueryContext,
  query: SessionContextQuery,
): Promise<SessionContexts> {
  const property = context.terms.find(query.propertyId);
  const columns = new ContextColumns(context.terms, query);
  if (property === undefined) return columns.finish(1);
  const parts = await partsOf(context, query, property);
  const values = new SqlValues();
  const statement = contextStatement(context, query, property, parts, values);
  for await (const chunk of chunksOf<[string]>(context.connection, statement, values.list)) {
    context.signal?.throwIfAborted();
    for (const [text] of chunk) {
      const row = JSON.parse(text) as ContextRow;
      if (columns.characters > query.maxCharacters && row[1] !== columns.lastVisitor) {
        return columns.finish(shareBefore(row[0]) / parts);
      }
      columns.add(row);
    }
  }
  return columns.finish(1 / parts);
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
  context: QueryContext,
  query: SessionContextQuery,
  property: number,
  parts: number,
  values: SqlValues,
): string {
  const { terms, sources, namingCollects } = context;
  const order = sources.collectOrder;
  const visit = visitSql(context, { property, table: 'chosen', since: query.from }, query.visit);
  const inPart = parts === 1 ? 'true' : `(visitor_key & ${parts - 1}) = 0`;
  // A sample is taken before the sessions are grouped, so that its cost does not grow with the traffic.
  const candidates =
    parts === 1
      ? 'true'
      : `session_key IN (SELECT session_key FROM collects
           WHERE property = ${property} AND ${namingCollects} AND ${inPart})`;
  return `WITH started AS (
      SELECT session_key, session_id, started_at FROM sessions WHERE ${startedCondition(property, query)}),
    latest AS (
      SELECT session_key, arg_max(visitor_key, ${order}) AS visitor_key, arg_max(visitor_id, ${order}) AS visitor_id,
             arg_max(user_id, ${order}) AS user_id, arg_max(attributes, ${order}) AS attributes,
             arg_max(country, ${order}) AS country, arg_max(device, ${order}) AS device,
             arg_max(browser, ${order}) AS browser, arg_max(os, ${order}) AS os
      FROM collects WHERE property = ${property} AND seen_until >= ${query.from}
        AND session_key IN (SELECT session_key FROM started) AND ${candidates}
      GROUP BY session_key),
    chosen AS ${visit.joins === '' ? 'NOT MATERIALIZED' : 'MATERIALIZED'} (
      SELECT * FROM started JOIN latest USING (session_key)
      WHERE device <> ${terms.find('bot') ?? -1} AND ${inPart})${visit.tables}
    SELECT CAST(json_array(visitor_key >> 32, visitor_id, user_id, session_id, country, device, browser, os,
                           ${valuesOf(query.attributes, values)}, ${visit.columns}) AS VARCHAR)
    FROM chosen${visit.joins} ORDER BY visitor_key, session_key`;
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
  readonly #query: Pick<SessionContextQuery, 'attributes' | 'visit'>;
  readonly #sessionIds: string[] = [];
  readonly #visitorIds: string[] = [];
  readonly #userIds: (string | null)[] = [];
  readonly #indexes: number[] = [];
  readonly #startedAt: number[] = [];
  readonly #returning: boolean[] = [];
  readonly #contexts: { attributes: string; terms: readonly number[]; entry: VisitEntry | undefined }[] = [];
  readonly #known = new Map<string, number>();
  /** Length of all texts. */
  characters = 0;
  lastVisitor: string | undefined;

  constructor(terms: TermDictionary, query: Pick<SessionContextQuery, 'attributes' | 'visit'>) {
    this.#terms = terms;
    this.#query = query;
  }

  add([, visitorId, userId, sessionId, country, device, browser, os, values, ...visit]: ContextRow): void {
    const attributes = JSON.stringify(values);
    const entry = entryOf(visit, this.#query.visit);
    const page = entry === undefined ? '' : JSON.stringify(entry);
    const key = `${country} ${device} ${browser} ${os} ${attributes}${page}`;
    let index = this.#known.get(key);
    if (index === undefined) {
      index = this.#contexts.push({ attributes, terms: [country, device, browser, os], entry }) - 1;
      this.#known.set(key, index);
      this.characters += key.length;
    }
    this.#sessionIds.push(sessionId);
    this.#visitorIds.push(visitorId);
    this.#userIds.push(userId);
    const [startedAt, returning] = visit;
    if (startedAt !== null) this.#startedAt.push(startedAt);
    if (returning !== null) this.#returning.push(returning);
    this.#indexes.push(index);
    this.characters += sessionId.length + visitorId.length + (userId?.length ?? 0);
    this.lastVisitor = visitorId;
  }

  finish(share: number): SessionContexts {
    const { attributes: names, visit = [] } = this.#query;
    const none = JSON.stringify(names.map(() => null));
    return {
      share,
      sessionIds: this.#sessionIds,
      visitorIds: this.#visitorIds,
      userIds: this.#userIds,
      ...(visit.includes('start') && { startedAt: this.#startedAt }),
      ...(visit.includes('returning') && { returning: this.#returning }),
      contextIndexes: Uint32Array.from(this.#indexes),
      contexts: this.#contexts.map(({ attributes, terms, entry }) => {
        const [country, device, browser, os] = terms.map((term) => this.#terms.textOf(term));
        const client = { country: country!, device: device!, browser: browser!, os: os! };
        return { attributes: attributes === 'null' ? none : attributes, ...client, ...entry };
      }),
    };
  }
}
