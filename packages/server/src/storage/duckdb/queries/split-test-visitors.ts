import type { DuckDBConnection } from '@duckdb/node-api';
import { MAX_SEGMENT_LENGTH, type SplitTestQuery } from '../../event-store.ts';
import { VISITOR_CHANGE } from '../ingest/session-visitors.ts';
import { keyList, rowsOf, SqlValues } from '../sql.ts';
import type { QueryContext } from './query-context.ts';

/** Attributes that the session knows, whatever the exposure says. */
const SESSION_ATTRIBUTES = new Set(['country', 'device', 'browser', 'os']);

export type VisitorsQuery = Pick<
  SplitTestQuery,
  'propertyId' | 'splitTestKey' | 'variationKeys' | 'phase' | 'from' | 'to' | 'by'
> & { earlyUntil?: number };

/** More sessions than these are looked up by a join instead of by a list. */
const MAX_LISTED = 20_000;

/** What a group of visitors saw, from the bits of it. */
export interface SeenBits {
  variationKey: string | null;
  bot: boolean;
  early: boolean;
}

/**
 * SQL for the visitors of one phase of a test: `seen` has a row per exposure with its visitor (`unit`), a bit for
 * what was shown, and the time; `renamed` has the visitor of the sessions whose rows do not tell it.
 */
export class SplitTestVisitors {
  readonly values = new SqlValues();
  /** Terms are numbers of ours: written into the statement, DuckDB's statistics tell it more about them. */
  readonly property: number;
  readonly isSegmented: boolean;
  readonly #query: VisitorsQuery;
  readonly #variations: (number | undefined)[];
  readonly #test: number;
  readonly #kinds = new Map<bigint, SeenBits>();
  #renamed = 'SELECT 0::BIGINT AS session_key, 0::BIGINT AS visitor_key WHERE false';
  /** Only this one of so many equal parts of the visitors, a power of two. */
  part: { index: number; of: number } | undefined;

  /** Undefined when nothing of the test was ever stored. */
  static of({ terms }: QueryContext, query: VisitorsQuery): SplitTestVisitors | undefined {
    const property = terms.find(query.propertyId);
    const test = terms.find(query.splitTestKey);
    const variations = query.variationKeys.map((key) => terms.find(key));
    if (property === undefined || test === undefined || variations.every((id) => id === undefined)) {
      return undefined;
    }
    return new SplitTestVisitors(query, property, test, variations);
  }

  private constructor(
    query: VisitorsQuery,
    property: number,
    test: number,
    variations: (number | undefined)[],
  ) {
    this.#query = query;
    this.#variations = variations;
    this.property = property;
    this.#test = test;
    this.isSegmented = query.by !== undefined;
    for (const flags of [0n, this.#early, this.#bot, this.#early | this.#bot]) {
      const marks = { bot: (flags & this.#bot) !== 0n, early: (flags & this.#early) !== 0n };
      this.#kinds.set(flags, { variationKey: null, ...marks });
      for (const [at, variationKey] of query.variationKeys.entries()) {
        this.#kinds.set(flags | (1n << BigInt(at)), { variationKey, ...marks });
      }
    }
  }

  /**
   * Finds the sessions whose visitor has to be looked up, `unresolved` being selects of more of them. They are few;
   * a join with all of them, which would be right as well, takes as long as the rest.
   */
  async resolve(connection: DuckDBConnection, unresolved: readonly string[] = []): Promise<void> {
    const lookUps = [
      `SELECT session_key FROM collects WHERE property = ${this.property} AND visitor_change = ${VISITOR_CHANGE.other}`,
      `SELECT session_key FROM exposures WHERE ${this.exposed} AND unit_key IS NULL`,
      ...unresolved,
    ].join(' UNION ALL ');
    const rows = await rowsOf<[bigint]>(
      connection,
      `SELECT DISTINCT session_key FROM (${lookUps}) LIMIT ${MAX_LISTED + 1}`,
    );
    if (rows.length === 0) return;
    const sessions =
      rows.length > MAX_LISTED
        ? `(${lookUps})`
        : keyList(this.values.add(rows.map(([session]) => session).join(',')));
    this.#renamed = `SELECT session_key, arg_max(visitor_key, seq) AS visitor_key FROM collects
      WHERE property = ${this.property} AND visitor_change <> ${VISITOR_CHANGE.same} AND session_key IN ${sessions}
      GROUP BY session_key`;
  }

  /** Common table expressions. */
  get tables(): string {
    const clients = this.#clients;
    return `renamed AS (${this.#renamed}),
      ${clients ? `clients AS (${clients}),` : ''}
      seen AS (
        SELECT coalesce(visitor_key, unit_key, session_key) AS unit, ${this.bits} AS bits,
               least(happened_at, received_at) AS seen_at, ${this.#segment} AS segment
        FROM exposures LEFT JOIN renamed USING (session_key) ${clients ? 'LEFT JOIN clients USING (session_key)' : ''}
        WHERE ${this.exposed} AND ${this.inPart('coalesce(visitor_key, unit_key, session_key)')})`;
  }

  /** Condition on a visitor. */
  inPart(unit: string): string {
    return this.part === undefined ? 'true' : `(${unit} & ${this.part.of - 1}) = ${this.part.index}`;
  }

  /** One row per visitor; `WHERE` is the filter on `seen`. */
  units(where = ''): string {
    return `SELECT unit, ${this.kind} AS bits, min(seen_at) AS first_at${this.segmentColumn}
            FROM seen ${where} GROUP BY unit`;
  }

  /**
   * Bits of everything one visitor saw. A visitor of several variations keeps only the flags: the sets of variations
   * do not matter, and there can be as many of them as visitors.
   */
  get kind(): string {
    const shown = `bit_or(bits) & ${this.#early - 1n}`;
    return `(CASE WHEN bit_count(${shown}) = 1 THEN bit_or(bits) ELSE bit_or(bits) & ${this.#early | this.#bot} END)::${this.#type}`;
  }

  /** Value of the attribute at the visitor's first exposure that has one; empty for an unsegmented query. */
  get segmentColumn(): string {
    return this.isSegmented ? ', arg_min(segment, (seen_at, segment)) AS segment' : '';
  }

  /** True for visitors of a single variation. */
  get isPure(): string {
    return `(bits & ${this.#early - 1n}) <> 0`;
  }

  get isBot(): string {
    return `(bits & ${this.#bot}) <> 0`;
  }

  read(bits: bigint | number): SeenBits {
    return this.#kinds.get(BigInt(bits)) as SeenBits;
  }

  /** Marks above the bits of the variations. */
  get #early(): bigint {
    return 1n << BigInt(this.#variations.length);
  }

  get #bot(): bigint {
    return this.#early << 1n;
  }

  /** Condition on `exposures`. */
  get exposed(): string {
    const { phase, from, to } = this.#query;
    const ids = this.#variations.filter((id) => id !== undefined);
    return `property = ${this.property} AND split_test = ${this.#test} AND variation IN (${ids.join(', ')})
      AND (phase = ${phase} OR (phase IS NULL AND happened_at >= ${from} AND happened_at < ${to}))`;
  }

  /** What one exposure showed. */
  get bits(): string {
    const cases = this.#variations.flatMap((id, at) =>
      id === undefined ? [] : [`WHEN ${id} THEN ${1n << BigInt(at)}`],
    );
    const mark = (condition: string, bit: bigint) => `(CASE WHEN ${condition} THEN ${bit} ELSE 0 END)`;
    const isEarly = `least(happened_at, received_at) < ${this.#query.earlyUntil ?? 0}`;
    const all = `(CASE variation ${cases.join(' ')} END) | ${mark('bot', this.#bot)} | ${mark(isEarly, this.#early)}`;
    return `(${all})::${this.#type}`;
  }

  /** A byte for a handful of variations: what is grouped for millions of visitors should be small. */
  get #type(): string {
    const size = this.#variations.length + 2;
    return size <= 8 ? 'UTINYINT' : size <= 32 ? 'UINTEGER' : size <= 63 ? 'BIGINT' : 'HUGEINT';
  }

  get #segment(): string {
    if (this.#query.by === undefined) return 'NULL';
    const { attribute } = this.#query.by;
    // Rows stored by earlier versions may hold invalid JSON, e.g. half a surrogate pair: their value is unknown.
    const own = `TRY(json_extract_string(attributes, ${this.#pointer(attribute)}))`;
    // A client that says it itself knows better than the header fields of its requests.
    const value = SESSION_ATTRIBUTES.has(attribute) ? `coalesce(${own}, client)` : own;
    return `left(${value}, ${MAX_SEGMENT_LENGTH})`;
  }

  get #clients(): string | undefined {
    const attribute = this.#query.by?.attribute;
    if (attribute === undefined || !SESSION_ATTRIBUTES.has(attribute)) return undefined;
    return `SELECT session_key, nullif(text, 'unknown') AS client
            FROM (SELECT session_key, arg_max(${attribute}, seq) AS term FROM collects
                  WHERE property = ${this.property} GROUP BY session_key)
            JOIN terms ON terms.id = term`;
  }

  /** A JSON pointer, because a JSON path has wildcards. */
  #pointer(attribute: string): string {
    this.#pointerPlace ??= this.values.add(`/${attribute.replaceAll('~', '~0').replaceAll('/', '~1')}`);
    return this.#pointerPlace;
  }
  #pointerPlace: string | undefined;
}
