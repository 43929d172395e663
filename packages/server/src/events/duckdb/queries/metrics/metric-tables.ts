import type { DuckDBConnection } from '@duckdb/node-api';
import { createTemporary, execute } from '../../connection/sql.ts';
import { FIRST_VISITOR } from '../../ingest/session-visitors.ts';
import type { MetricVisitors, Parts } from './metric-visitors.ts';

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
 * The temporary tables that metrics are counted from: `metric_resolved` and `metric_users`, see `MetricVisitors`;
 * `metric_units`, the visitors, and `metric_sessions`, their collected sessions with the same columns. They have all
 * visitors, and use the disk if those do not fit into memory.
 */
export class MetricTables {
  readonly visitors: MetricVisitors;
  readonly connection: DuckDBConnection;

  constructor(connection: DuckDBConnection, visitors: MetricVisitors) {
    this.connection = connection;
    this.visitors = visitors;
  }

  /** @param unresolved as for `MetricVisitors` */
  async createUnits(
    unresolved: readonly string[],
    parts: Parts,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { connection, visitors } = this;
    await createTemporary(connection, 'metric_resolved', await visitors.resolved(connection, unresolved));
    if (visitors.isByUser) await createTemporary(connection, 'metric_users', visitors.users());
    const [first, ...others] = parts;
    await createTemporary(connection, 'metric_units', visitors.units(first));
    for (const part of others) {
      signal?.throwIfAborted();
      const { sql, values } = visitors.units(part);
      await execute(connection, `INSERT INTO metric_units ${sql}`, values);
    }
  }

  async createSessions(): Promise<void> {
    await createTemporary(this.connection, 'metric_sessions', {
      sql: `WITH named AS (${namedSessions(this.visitors.property)})
        SELECT session_key, metric_units.*
        FROM (SELECT session_key, ${this.#unitOf('visitor_key')} AS unit FROM named ${this.#joinUsers('visitor_key')})
        JOIN metric_units USING (unit)`,
      values: [],
    });
  }

  /** SELECT of `exposures` or `conversions` with their visitors; `where` filters them, `columns` are those to keep. */
  rowsOf(table: 'exposures' | 'conversions', columns: readonly string[], where: string): string {
    return `SELECT ${columns.join(', ')}, metric_units.*
      FROM (SELECT *, ${this.#unitOf(STORED)} AS unit
        FROM ${table} LEFT JOIN metric_resolved USING (session_key) ${this.#joinUsers(STORED)}
        WHERE property = ${this.visitors.property} AND session_key IS NOT NULL AND ${where})
      JOIN metric_units USING (unit)`;
  }

  #unitOf(visitor: string): string {
    return `coalesce(${this.visitors.isByUser ? 'known_user, ' : ''}${visitor}, session_key)`;
  }

  #joinUsers(visitor: string): string {
    return this.visitors.isByUser ? `LEFT JOIN metric_users ON known_visitor = ${visitor}` : '';
  }
}
