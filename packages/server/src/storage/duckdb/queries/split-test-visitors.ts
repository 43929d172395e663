import type { DuckDBConnection } from '@duckdb/node-api';
import { MAX_SEGMENT_LENGTH, type SplitTestQuery } from '../../event-store.ts';
import { CHANGED_VISITOR } from '../ingest/session-visitors.ts';
import { keyList, rowsOf, SqlValues } from '../sql.ts';
import type { QueryContext } from './query-context.ts';
import { type RecountedSide, type RecountedTable, recountedTable } from './recounted-visitors.ts';

/** Attributes that are also known from the session. */
const SESSION_ATTRIBUTES = new Set(['country', 'device', 'browser', 'os']);

export type VisitorsQuery = Pick<
  SplitTestQuery,
  'propertyId' | 'splitTestKey' | 'variationKeys' | 'phase' | 'from' | 'to' | 'by'
> & { earlyUntil?: number };

/** With more sessions than this, a temporary table is used instead of a list. */
const MAX_LISTED_SESSIONS = 20_000;

/** The decoded bits of a group of visitors. */
export interface SeenBits {
  variationKey: string | null;
  bot: boolean;
  early: boolean;
}

/**
 * SQL for the visitors of one phase of a test: `seen` has a row per exposure with its visitor (`unit`), variation bits
 * and time; `resolved` has the visitors of sessions whose stored `unit_key` is missing or outdated.
 */
export class SplitTestVisitors {
  readonly values = new SqlValues();
  /** A literal in the statement rather than a bound value, so that DuckDB can use its statistics. */
  readonly property: number;
  readonly isSegmented: boolean;
  readonly #context: QueryContext;
  readonly #query: VisitorsQuery;
  readonly #variations: (number | undefined)[];
  readonly #test: number;
  readonly #kinds = new Map<bigint, SeenBits>();
  #resolved = 'SELECT 0::BIGINT AS session_key, 0::BIGINT AS visitor_key WHERE false';
  /** Restricts the query to visitors that are counted again; see `recounted-visitors.ts`. */
  recounted: RecountedSide | undefined;
  /** Restricts the query to one of several equal parts of the visitors; `of` is a power of two. */
  part: { index: number; of: number } | undefined;

  /** Undefined if the test has no stored exposures. */
  static of(context: QueryContext, query: VisitorsQuery): SplitTestVisitors | undefined {
    const { terms } = context;
    const property = terms.find(query.propertyId);
    const test = terms.find(query.splitTestKey);
    const variations = query.variationKeys.map((key) => terms.find(key));
    if (property === undefined || test === undefined || variations.every((id) => id === undefined)) {
      return undefined;
    }
    return new SplitTestVisitors(context, query, property, test, variations);
  }

  private constructor(
    context: QueryContext,
    query: VisitorsQuery,
    property: number,
    test: number,
    variations: (number | undefined)[],
  ) {
    this.#context = context;
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
   * Finds the sessions whose visitor must be looked up; `unresolved` are SELECTs of additional ones. They are few;
   * looking up all sessions would be correct too, but doubles the query time.
   */
  async resolve(connection: DuckDBConnection, unresolved: readonly string[] = []): Promise<void> {
    const lookups = [
      `SELECT session_key FROM collects WHERE property = ${this.property} AND ${CHANGED_VISITOR}`,
      `SELECT session_key FROM exposures WHERE ${this.exposed} AND unit_key IS NULL`,
      ...unresolved,
    ].join(' UNION ALL ');
    const rows = await rowsOf<[bigint]>(
      connection,
      `SELECT DISTINCT session_key FROM (${lookups}) LIMIT ${MAX_LISTED_SESSIONS + 1}`,
    );
    if (rows.length === 0) return;
    if (rows.length <= MAX_LISTED_SESSIONS) {
      this.#resolved = this.#visitorsOf(keyList(this.values.add(rows.map(([session]) => session).join(','))));
      return;
    }
    // Once for all parts of the visitors. The caller's transaction ends with a rollback.
    await connection.run(
      `CREATE OR REPLACE TEMP TABLE resolved_sessions AS ${this.#visitorsOf(`(${lookups})`)}`,
    );
    this.#resolved = 'SELECT session_key, visitor_key FROM resolved_sessions';
  }

  /** The latest visitors of sessions. */
  #visitorsOf(sessions: string): string {
    return `SELECT session_key, arg_max(visitor_key, ${this.#context.sources.collectOrder}) AS visitor_key FROM collects
      WHERE property = ${this.property} AND ${this.#context.namingCollects} AND session_key IN ${sessions}
      GROUP BY session_key`;
  }

  /** Common table expressions. */
  get tables(): string {
    const clients = this.#clients;
    return `resolved AS (${this.recounted?.resolved ?? this.#resolved}),
      ${clients ? `clients AS (${clients}),` : ''}
      seen AS (
        SELECT coalesce(visitor_key, unit_key, session_key) AS unit, ${this.bits} AS bits,
               least(happened_at, received_at) AS seen_at, ${this.#segment} AS segment
        FROM ${this.tableOf('exposures')} ${this.joinResolved} ${clients ? 'LEFT JOIN clients USING (session_key)' : ''}
        WHERE ${this.exposed} AND ${this.isRead} AND ${this.inPart('coalesce(visitor_key, unit_key, session_key)')})`;
  }

  /** The table that events are read from. */
  tableOf(table: RecountedTable): string {
    return this.recounted ? recountedTable(table) : table;
  }

  /** Joins a table of events with the visitors of sessions. */
  get joinResolved(): string {
    return `${this.recounted ? '' : 'LEFT'} JOIN resolved USING (session_key)`;
  }

  /** Condition on a table of events: the row is counted. */
  get isRead(): string {
    return this.recounted?.isRead ?? 'true';
  }

  /** Condition on a visitor: belongs to the current part. */
  inPart(unit: string): string {
    return this.part === undefined ? 'true' : `(${unit} & ${this.part.of - 1}) = ${this.part.index}`;
  }

  /** One row per visitor; `where` filters `seen`. */
  units(where = ''): string {
    return `SELECT unit, ${this.kind} AS bits, min(seen_at) AS first_at${this.segmentColumn}
            FROM seen ${where} GROUP BY unit`;
  }

  /**
   * Combined bits of a visitor. Visitors of several variations keep only the flags: which variations they saw does not
   * matter, and there could be as many combinations as visitors.
   */
  get kind(): string {
    const shown = `bit_or(bits) & ${this.#early - 1n}`;
    return `(CASE WHEN bit_count(${shown}) = 1 THEN bit_or(bits) ELSE bit_or(bits) & ${this.#early | this.#bot} END)::${this.#type}`;
  }

  /** Attribute value of the visitor's first exposure that has one; empty for an unsegmented query. */
  get segmentColumn(): string {
    return this.isSegmented ? ', arg_min(segment, (seen_at, segment)) AS segment' : '';
  }

  /** Condition: the visitor saw a single variation. */
  get sawOneVariation(): string {
    return `(bits & ${this.#early - 1n}) <> 0`;
  }

  get isBot(): string {
    return `(bits & ${this.#bot}) <> 0`;
  }

  read(bits: bigint | number): SeenBits {
    return this.#kinds.get(BigInt(bits)) as SeenBits;
  }

  /** Flags are stored above the bits of the variations. */
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
    // A quarter of the time that `variation IN (…)` takes, which is most of the time of a scan.
    const isCounted = `CASE variation ${ids.map((id) => `WHEN ${id} THEN true`).join(' ')} ELSE false END`;
    return `property = ${this.property} AND split_test = ${this.#test} AND ${isCounted}
      AND (phase = ${phase} OR (phase IS NULL AND happened_at >= ${from} AND happened_at < ${to}))`;
  }

  /** Bits of one exposure. */
  get bits(): string {
    const cases = this.#variations.flatMap((id, at) =>
      id === undefined ? [] : [`WHEN ${id} THEN ${1n << BigInt(at)}`],
    );
    const mark = (condition: string, bit: bigint) => `(CASE WHEN ${condition} THEN ${bit} ELSE 0 END)`;
    const { earlyUntil = 0 } = this.#query;
    const isEarly = `happened_at < ${earlyUntil} OR received_at < ${earlyUntil}`;
    const all = `(CASE variation ${cases.join(' ')} END) | ${mark('bot', this.#bot)} | ${mark(isEarly, this.#early)}`;
    return `(${all})::${this.#type}`;
  }

  /** The smallest type that fits, because it is grouped for millions of visitors. */
  get #type(): string {
    const size = this.#variations.length + 2;
    return size <= 8 ? 'UTINYINT' : size <= 32 ? 'UINTEGER' : size <= 63 ? 'BIGINT' : 'HUGEINT';
  }

  get #segment(): string {
    if (this.#query.by === undefined) return 'NULL';
    const { attribute } = this.#query.by;
    // Rows from earlier versions may contain invalid JSON, e.g. half a surrogate pair; their value is unknown.
    const own = `TRY(json_extract_string(attributes, ${this.#pointer(attribute)}))`;
    // A value sent by the client is more reliable than one derived from request headers.
    const value = SESSION_ATTRIBUTES.has(attribute) ? `coalesce(${own}, client)` : own;
    return `left(${value}, ${MAX_SEGMENT_LENGTH})`;
  }

  get #clients(): string | undefined {
    const attribute = this.#query.by?.attribute;
    if (attribute === undefined || !SESSION_ATTRIBUTES.has(attribute)) return undefined;
    return `SELECT session_key, nullif(text, 'unknown') AS client
            FROM (SELECT session_key, arg_max(${attribute}, ${this.#context.sources.collectOrder}) AS term FROM collects
                  WHERE property = ${this.property} GROUP BY session_key)
            JOIN terms ON terms.id = term`;
  }

  /** A JSON pointer, because JSON paths have wildcards. */
  #pointer(attribute: string): string {
    this.#pointerPlaceholder ??= this.values.add(`/${attribute.replaceAll('~', '~0').replaceAll('/', '~1')}`);
    return this.#pointerPlaceholder;
  }
  #pointerPlaceholder: string | undefined;
}
