import type { DuckDBConnection } from '@duckdb/node-api';
import type { BoundSql } from '../../connection/sql.ts';
import type { QueryContext } from '../query-context.ts';
import { resolvedVisitors } from '../split-tests/resolved-visitors.ts';
import { namedSessions } from './metric-tables.ts';
import { type Entries, entriesIn, inPart, type MetricVisitors, type Part } from './metric-visitors.ts';

/** The visitors with a session that started within a period; their time starts with the first one. All are of one kind. */
export class StartedVisitors implements MetricVisitors {
  readonly property: number;
  readonly isByUser = false;
  readonly canLeave = false;
  readonly variation = '0';
  readonly isBot = 'false';
  readonly #context: QueryContext;
  readonly #started: string;

  constructor(context: QueryContext, property: number, period: { from: number; to: number }) {
    this.#context = context;
    this.property = property;
    this.#started = `property = ${property} AND started_at >= ${period.from} AND started_at < ${period.to}`;
  }

  entries(connection: DuckDBConnection): Promise<Entries | undefined> {
    return entriesIn(connection, 'sessions', { where: this.#started, enteredAt: 'started_at' });
  }

  async resolved(_connection: DuckDBConnection, unresolved: readonly string[]): Promise<BoundSql> {
    return { sql: resolvedVisitors(this.#context, this.property, unresolved), values: [] };
  }

  users(): BoundSql {
    throw new Error('visitors are not looked up by user');
  }

  units(part: Part | undefined): BoundSql {
    const unit = 'coalesce(visitor_key, session_key)';
    return {
      sql: `WITH named AS (${namedSessions(this.property)})
        SELECT ${unit} AS unit, 0::UTINYINT AS kind, min(started_at) AS first_at
        FROM sessions LEFT JOIN named USING (session_key)
        WHERE ${this.#started} AND ${inPart(unit, part)} GROUP BY unit`,
      values: [],
    };
  }
}
