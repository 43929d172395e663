import type { DuckDBConnection } from '@duckdb/node-api';
import { DAY_MS } from '@switchyard/core/time';
import type { QueryContext } from '../query-context.ts';
import type { SumType } from './group-rows.ts';
import type { SplitTestVisitors } from './split-test-visitors.ts';

/** SQL for what visitors did in the days before their first exposure to the test: `s0` sessions, `r0` micro-dollars. */
export class VisitorsBeforeTest {
  readonly #visitors: SplitTestVisitors;
  readonly #goals: readonly number[];
  readonly #preDays: number;
  readonly #wide: SumType;

  constructor(
    { terms }: QueryContext,
    visitors: SplitTestVisitors,
    query: { preDays: number; covariateGoalIds?: readonly string[]; sumType: SumType },
  ) {
    this.#visitors = visitors;
    this.#goals = (query.covariateGoalIds ?? []).flatMap((id) => terms.find(id) ?? []);
    this.#preDays = query.preDays;
    this.#wide = query.sumType;
  }

  /** Selects the sessions of conversions that were stored without their visitor. */
  get unresolved(): string[] {
    if (this.#goals.length === 0) return [];
    return [`SELECT session_key FROM conversions WHERE ${this.#isPaid} AND unit_key IS NULL`];
  }

  /**
   * Finds the sessions without an exposure to the test or a related one, once for all statements and parts: their
   * visitors are not stored with them. The caller's transaction ends with a rollback.
   */
  async prepare(connection: DuckDBConnection): Promise<void> {
    const { property, exposures } = this.#visitors;
    await connection.run(`CREATE OR REPLACE TEMP TABLE sessions_before AS
      WITH exposed AS (SELECT session_key, least(happened_at, received_at) AS seen_at
                       FROM exposures WHERE ${exposures.isRelated}),
      unexposed AS MATERIALIZED (
        SELECT session_key, started_at FROM sessions
        WHERE property = ${property} AND started_at < (SELECT max(seen_at) FROM exposed)
          AND started_at >= (SELECT min(seen_at) FROM exposed) - ${this.#preDays * DAY_MS}
          AND session_key NOT IN (SELECT session_key FROM exposed))
      SELECT session_key, visitor_key, started_at FROM unexposed
        LEFT JOIN (${this.#visitors.visitorsOf('(SELECT session_key FROM unexposed)')}) USING (session_key)`);
  }

  /** Common table expressions that follow `units`, which must be materialized. */
  get tables(): string {
    const { exposures } = this.#visitors;
    const paid = `UNION ALL
      SELECT unit, 0, amount_micros FROM paid JOIN units USING (unit) WHERE ${exposures.isBefore('happened_at')}`;
    return `${this.#started}, ${this.#goals.length > 0 ? `${this.#paid},` : ''}
    before AS (
      SELECT unit, sum(sessions)::${this.#wide} AS s0, sum(micros)::${this.#wide} AS r0 FROM (
        SELECT unit, 1 AS sessions, 0::BIGINT AS micros FROM started JOIN units USING (unit)
        WHERE ${exposures.isBefore('started_at')}
        ${this.#goals.length > 0 ? paid : ''})
      GROUP BY unit)`;
  }

  /** Joins a table of visitors with their `s0` and `r0`. */
  joined(table: string): string {
    const none = `0::${this.#wide}`;
    return `(SELECT * REPLACE (coalesce(s0, ${none}) AS s0, coalesce(r0, ${none}) AS r0)
      FROM ${table} LEFT JOIN before USING (unit))`;
  }

  get #started(): string {
    const unit = this.#visitors.unitWith('visitor_key');
    return `started AS (
      SELECT ${unit} AS unit, started_at FROM sessions_before ${this.#visitors.joinUsers('visitor_key')}
      WHERE ${this.#visitors.inPart(unit)})`;
  }

  get #paid(): string {
    const unit = this.#visitors.unitOf('conversions');
    return `paid AS (
      SELECT ${unit} AS unit, happened_at, amount_micros
      FROM conversions ${this.#visitors.joinUnits('conversions')}
      WHERE ${this.#isPaid} AND ${this.#visitors.inPart(unit)})`;
  }

  get #isPaid(): string {
    return `property = ${this.#visitors.property} AND session_key IS NOT NULL AND goal IN (${this.#goals.join(', ')})`;
  }
}
