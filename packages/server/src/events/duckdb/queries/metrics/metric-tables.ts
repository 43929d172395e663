import type { DuckDBConnection } from '@duckdb/node-api';
import { createTemporary } from '../../connection/sql.ts';
import { FIRST_VISITOR } from '../../ingest/session-visitors.ts';
import { inPart, type MetricVisitors, type Part } from './metric-visitors.ts';

/** The visitor as far as the row knows it. */
const STORED = 'coalesce(visitor_key, unit_key)';

/**
 * SELECT of collected sessions with their visitors. That of most is in their first collect: reading only these takes a
 * fraction of grouping all collects.
 */
export const namedSessions = (property: number) =>
  `SELECT session_key, visitor_key FROM metric_resolved
   UNION ALL
   SELECT session_key, visitor_key FROM collects
   WHERE property = ${property} AND ${FIRST_VISITOR} AND session_key NOT IN (SELECT session_key FROM metric_resolved)`;

/**
 * The temporary tables that metrics are counted from: `metric_resolved` and `metric_users`, see `MetricVisitors`, for all
 * visitors; `metric_units`, the visitors of the current part, and `metric_sessions`, their collected sessions with the same columns.
 */
export class MetricTables {
  readonly visitors: MetricVisitors;
  readonly connection: DuckDBConnection;
  #part: Part | undefined;

  constructor(connection: DuckDBConnection, visitors: MetricVisitors) {
    this.connection = connection;
    this.visitors = visitors;
  }

  /** @param unresolved as for `MetricVisitors` */
  async prepare(unresolved: readonly string[]): Promise<void> {
    const { connection, visitors } = this;
    await createTemporary(connection, 'metric_resolved', await visitors.resolved(connection, unresolved));
    if (visitors.isByUser) await createTemporary(connection, 'metric_users', visitors.users());
  }

  /** Goes on to a part of the visitors. */
  async select(part: Part | undefined): Promise<void> {
    this.#part = part;
    await createTemporary(this.connection, 'metric_units', this.visitors.units(part));
  }

  async selectSessions(): Promise<void> {
    const unit = this.#unitOf('visitor_key');
    await createTemporary(this.connection, 'metric_sessions', {
      sql: `WITH named AS (${namedSessions(this.visitors.property)})
        SELECT session_key, metric_units.* FROM (
          SELECT session_key, ${unit} AS unit FROM named ${this.#joinUsers('visitor_key')}
          WHERE ${inPart(unit, this.#part)})
        JOIN metric_units USING (unit)`,
      values: [],
    });
  }

  /** FROM `exposures` or `conversions`, with the `unit` of each row; `where` filters them, `columns` are those to keep. */
  rowsOf(table: 'exposures' | 'conversions', columns: readonly string[], where: string): string {
    const unit = this.#unitOf(STORED);
    return `SELECT ${unit} AS unit, ${columns.join(', ')}
      FROM ${table} LEFT JOIN metric_resolved USING (session_key) ${this.#joinUsers(STORED)}
      WHERE property = ${this.visitors.property} AND session_key IS NOT NULL AND ${where} AND ${inPart(unit, this.#part)}`;
  }

  #unitOf(visitor: string): string {
    return `coalesce(${this.visitors.isByUser ? 'known_user, ' : ''}${visitor}, session_key)`;
  }

  #joinUsers(visitor: string): string {
    return this.visitors.isByUser ? `LEFT JOIN metric_users ON known_visitor = ${visitor}` : '';
  }
}
