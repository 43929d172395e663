import type { DuckDBConnection } from '@duckdb/node-api';
import type { SplitTestPhase, SplitTestQuery } from '../../../store/split-test-queries.ts';
import { keyList, rowsOf, SqlValues } from '../../connection/sql.ts';
import { CHANGED_VISITOR } from '../../ingest/session-visitors.ts';
import type { QueryContext } from '../query-context.ts';
import { PhaseExposures, type TestTerms } from './phase-exposures.ts';
import { type RecountedSide, type RecountedTable, recountedTable } from './recounted-tables.ts';
import { VisitorKinds } from './visitor-kinds.ts';
import { VisitorSegments } from './visitor-segments.ts';

export type VisitorsQuery = SplitTestPhase &
  Pick<SplitTestQuery, 'propertyId' | 'relatedTests' | 'by'> & {
    earlyUntil?: number;
    preDays?: number;
  };

/** With more sessions than this, a temporary table is used instead of a list. */
const MAX_LISTED_SESSIONS = 20_000;

/**
 * SQL for the visitors of one phase of a test: `seen` has a row per exposure with its visitor (`unit`), variation bits
 * and time; `resolved` has the visitors of sessions whose stored `unit_key` is missing or outdated.
 */
export class SplitTestVisitors {
  readonly values = new SqlValues();
  /** A literal in the statement rather than a bound value, so that DuckDB can use its statistics. */
  readonly property: number;
  readonly kinds: VisitorKinds;
  readonly exposures: PhaseExposures;
  readonly segments: VisitorSegments;
  readonly #context: QueryContext;
  readonly #isByUser: boolean;
  /** The test that splits the visitors; undefined if there is none, or nobody has seen it. */
  readonly #other: SplitTestVisitors | undefined;
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
    const related = (query.relatedTests ?? []).flatMap((key) => terms.find(key) ?? []);
    const kinds = new VisitorKinds(query.variationKeys, variations, query.earlyUntil);
    return new SplitTestVisitors(context, query, { property, test, related }, kinds);
  }

  private constructor(context: QueryContext, query: VisitorsQuery, terms: TestTerms, kinds: VisitorKinds) {
    this.#context = context;
    this.#isByUser = query.unit === 'user';
    this.property = terms.property;
    this.kinds = kinds;
    this.exposures = new PhaseExposures(terms, { ...query, preDays: query.preDays ?? 0 }, kinds);
    this.segments = new VisitorSegments(query.by, this.values);
    const { propertyId, unit, by } = query;
    this.#other = by?.test && SplitTestVisitors.of(context, { ...by.test, propertyId, unit });
    this.#other?.resolveWithin();
  }

  /**
   * Finds the sessions whose visitor must be looked up; `unresolved` are SELECTs of additional ones. They are few;
   * looking up all sessions would be correct too, but doubles the query time.
   */
  async resolve(connection: DuckDBConnection, unresolved: readonly string[] = []): Promise<void> {
    const lookups = this.#lookups(unresolved);
    const rows = await rowsOf<[bigint]>(
      connection,
      `SELECT DISTINCT session_key FROM (${lookups}) LIMIT ${MAX_LISTED_SESSIONS + 1}`,
    );
    if (rows.length === 0) return;
    if (rows.length <= MAX_LISTED_SESSIONS) {
      this.#resolved = this.visitorsOf(keyList(this.values.add(rows.map(([session]) => session).join(','))));
      return;
    }
    // Once for all parts of the visitors. The caller's transaction ends with a rollback.
    await connection.run(
      `CREATE OR REPLACE TEMP TABLE resolved_sessions AS ${this.visitorsOf(`(${lookups})`)}`,
    );
    this.#resolved = 'SELECT session_key, visitor_key FROM resolved_sessions';
  }

  /** The same as a part of the statement. */
  resolveWithin(unresolved: readonly string[] = []): void {
    this.#resolved = this.visitorsOf(`(${this.#lookups(unresolved)})`);
  }

  #lookups(unresolved: readonly string[]): string {
    return [
      `SELECT session_key FROM collects WHERE property = ${this.property} AND ${CHANGED_VISITOR}`,
      `SELECT session_key FROM exposures WHERE ${this.exposures.isRead} AND unit_key IS NULL`,
      ...unresolved,
    ].join(' UNION ALL ');
  }

  /** Number of exposures that are read. */
  async countRead(connection: DuckDBConnection): Promise<number> {
    const [row] = await rowsOf<[bigint]>(
      connection,
      `SELECT count(*) FROM exposures WHERE ${this.exposures.isRead}`,
    );
    return Number(row![0]);
  }

  /** Selects the latest visitors of sessions. */
  visitorsOf(sessions: string): string {
    return `SELECT session_key, arg_max(visitor_key, ${this.#context.sources.collectOrder}) AS visitor_key FROM collects
      WHERE property = ${this.property} AND ${this.#context.namingCollects} AND session_key IN ${sessions}
      GROUP BY session_key`;
  }

  /** Common table expressions. */
  get tables(): string {
    const columns = [...this.exposures.columns, ...this.segments.columnsOf((it) => this.exposures.own(it))];
    const seen = `seen AS (
        SELECT ${this.unitOf('exposures')} AS unit, ${columns.join(', ')}
        FROM ${this.tableOf('exposures')} ${this.joinUnits('exposures')} ${this.segments.joins}
        WHERE ${this.exposures.isRead} AND ${this.isRead} AND ${this.inPart(this.unitOf('exposures'))})`;
    return [
      `resolved AS (${this.recounted?.resolved ?? this.#resolved})`,
      ...(this.#isByUser ? [`users AS (${this.#users})`] : []),
      ...this.segments.clients(this.property, this.#context.sources.collectOrder),
      seen,
      ...(this.segments.isByTest ? [`elsewhere AS (${this.#elsewhere})`] : []),
    ].join(', ');
  }

  /** What the visitors have seen of the other test. */
  get #elsewhere(): string {
    if (this.#other === undefined) return 'SELECT 0::BIGINT AS unit, NULL::VARCHAR AS segment WHERE false';
    this.#other.part = this.part;
    return this.#other.#results;
  }

  /** SELECT of the visitors who are in the results, with the key of their variation as `segment`. */
  get #results(): string {
    return `WITH ${this.tables} SELECT unit, ${this.kinds.variationText} AS segment
      FROM (${this.countedUnits()}) WHERE ${this.kinds.isCounted} AND NOT ${this.kinds.isBot}`;
  }

  /** The latest user of each visitor. */
  get #users(): string {
    return `SELECT visitor_key AS known_visitor, arg_max(user_key, ${this.#context.sources.receiptOrder}) AS known_user
      FROM collects WHERE property = ${this.property} AND user_key IS NOT NULL GROUP BY visitor_key`;
  }

  /** The table that events are read from. */
  tableOf(table: RecountedTable): string {
    return this.recounted ? recountedTable(table) : table;
  }

  /** Joins a table with what `unitOf` needs. */
  joinUnits(table: RecountedTable): string {
    const resolved = `${this.recounted ? '' : 'LEFT'} JOIN resolved USING (session_key)`;
    return `${resolved} ${this.joinUsers(`coalesce(${this.#visitorOf(table)})`)}`;
  }

  joinUsers(visitor: string): string {
    return this.#isByUser ? `LEFT JOIN users ON known_visitor = ${visitor}` : '';
  }

  /** The unit of a row: user, visitor or session. */
  unitOf(table: RecountedTable): string {
    return this.unitWith(this.#visitorOf(table));
  }

  unitWith(visitor: string): string {
    return `coalesce(${this.#isByUser ? 'known_user, ' : ''}${visitor}, session_key)`;
  }

  /** Feedback is stored without its visitor. */
  #visitorOf(table: RecountedTable): string {
    return table === 'feedback' ? 'visitor_key' : 'visitor_key, unit_key';
  }

  /** Condition on a table of events: the row is counted. */
  get isRead(): string {
    return this.recounted?.isRead ?? 'true';
  }

  /** Condition on a visitor: belongs to the current part. */
  inPart(unit: string): string {
    return this.part === undefined ? 'true' : `(${unit} & ${this.part.of - 1}) = ${this.part.index}`;
  }

  /** One row per visitor. */
  get units(): string {
    return this.#unitsWith(true);
  }

  /** The same without the first variation of those who saw several; `where` filters `seen`. */
  countedUnits(where = ''): string {
    return this.#unitsWith(false, where);
  }

  #unitsWith(withMixed: boolean, where = ''): string {
    const { exposures, segments } = this;
    return this.#withSegment(`SELECT unit, ${exposures.kind(withMixed)} AS kind, ${exposures.times(withMixed)}${segments.column}
            FROM seen ${where} GROUP BY unit ${exposures.having}`);
  }

  #withSegment(units: string): string {
    return this.segments.isByTest ? `SELECT * FROM (${units}) LEFT JOIN elsewhere USING (unit)` : units;
  }

  /** Only the kinds of the visitors, and their segments: each additional column adds a tenth to the time. */
  get unitKinds(): string {
    if (this.segments.isByTest) return this.units;
    return `SELECT ${this.exposures.kind(true)} AS kind${this.segments.column} FROM seen GROUP BY unit ${this.exposures.having}`;
  }
}
