import type { DuckDBConnection } from '@duckdb/node-api';
import type { SplitTestMetricsQuery } from '../../../store/metric-queries.ts';
import type { BoundSql } from '../../connection/sql.ts';
import type { QueryContext } from '../query-context.ts';
import { SEEN_AT } from '../split-tests/phase-exposures.ts';
import { SplitTestVisitors } from '../split-tests/split-test-visitors.ts';
import type { VisitorKinds } from '../split-tests/visitor-kinds.ts';
import { type Entries, entriesIn, type MetricVisitors, type Part } from './metric-visitors.ts';

/** The visitors that count in a phase of a test, as for its goals. */
export class ExposedVisitors implements MetricVisitors {
  readonly isByUser: boolean;
  readonly canLeave: boolean;
  readonly #visitors: SplitTestVisitors;

  /** Undefined if the test has no stored exposures. */
  static of(context: QueryContext, query: SplitTestMetricsQuery): ExposedVisitors | undefined {
    const visitors = SplitTestVisitors.of(context, query);
    return visitors && new ExposedVisitors(visitors, query);
  }

  private constructor(visitors: SplitTestVisitors, query: SplitTestMetricsQuery) {
    this.#visitors = visitors;
    this.isByUser = query.unit === 'user';
    this.canLeave = query.hasLaterPhases;
  }

  get property(): number {
    return this.#visitors.property;
  }

  get kinds(): VisitorKinds {
    return this.#visitors.kinds;
  }

  get variation(): string {
    return this.kinds.variationAlone;
  }

  get isBot(): string {
    return this.kinds.isBot;
  }

  entries(connection: DuckDBConnection): Promise<Entries | undefined> {
    const { exposures } = this.#visitors;
    const scope = { where: exposures.isRead, enteredAt: exposures.own(SEEN_AT) };
    return entriesIn(connection, 'exposures', scope);
  }

  async resolved(connection: DuckDBConnection, unresolved: readonly string[]): Promise<BoundSql> {
    await this.#visitors.resolve(connection, unresolved);
    return this.#select('SELECT session_key, visitor_key FROM resolved');
  }

  users(): BoundSql {
    return this.#select('SELECT known_visitor, known_user FROM users');
  }

  units(part: Part | undefined): BoundSql {
    this.#visitors.part = part;
    const columns = ['unit', 'kind', 'first_at', ...(this.canLeave ? ['left_at'] : [])];
    return this.#select(
      `SELECT ${columns.join(', ')} FROM (${this.#visitors.countedUnits()}) WHERE ${this.kinds.isCounted}`,
    );
  }

  #select(select: string): BoundSql {
    return { sql: `WITH ${this.#visitors.tables} ${select}`, values: this.#visitors.values.list };
  }
}
