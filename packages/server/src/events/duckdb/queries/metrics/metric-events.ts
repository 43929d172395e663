import type { DuckDBConnection } from '@duckdb/node-api';
import type { MetricTerm } from '../../../store/metric-queries.ts';
import { isQuantile, MetricSignals, type Signal, windowOf } from '../../../store/metric-signals.ts';
import { createTemporary, SqlValues } from '../../connection/sql.ts';
import type { QueryContext } from '../query-context.ts';
import { collectedSignals, type EventProperty, propertyNumber } from './collected-signals.ts';
import type { MetricTables } from './metric-tables.ts';
import { isInPeriod } from './metric-times.ts';
import type { Entries } from './metric-visitors.ts';

/**
 * SQL for `metric_collected`, the events of pages that metrics need, with the bits of their signals and `value_0` and so
 * on for properties: once for all visitors, because patterns and JSON take longer than everything else. And for
 * `metric_events`: these and conversions, of the visitors of the current part, with `n` and `a` (the direction and the
 * micro-dollars of conversions).
 */
export class MetricEvents {
  readonly #signals: MetricSignals;
  readonly #metrics: readonly MetricTerm[];
  readonly #until: number;
  readonly #goals: readonly { term: number; bit: bigint }[];
  /** Numeric properties of events, by the key of their value. */
  readonly #properties: ReadonlyMap<string, EventProperty>;

  constructor({ terms }: QueryContext, metrics: readonly MetricTerm[], until: number) {
    this.#metrics = metrics;
    this.#until = until;
    this.#signals = new MetricSignals(metrics);
    this.#goals = this.#signals.list.flatMap((signal) => {
      const term = 'goalId' in signal ? terms.find(signal.goalId) : undefined;
      return term === undefined ? [] : [{ term, bit: this.bitOf(signal) }];
    });
    const measured = metrics.filter(isQuantile).flatMap(({ value }) => ('event' in value ? [value] : []));
    this.#properties = new Map(measured.map((value) => [JSON.stringify(value), value]));
  }

  /** Whether events that pages collect are needed. */
  get needsCollected(): boolean {
    return this.#signals.list.some((signal) => !('goalId' in signal));
  }

  /** SELECTs of the sessions of events that were stored without their visitor. */
  unresolved(property: number): string[] {
    if (this.#goals.length === 0) return [];
    return [
      `SELECT session_key FROM conversions
       WHERE property = ${property} AND unit_key IS NULL AND session_key IS NOT NULL AND ${this.#isGoal}`,
    ];
  }

  bitOf(signal: Signal): bigint {
    return 1n << BigInt(this.#signals.indexOf(signal));
  }

  /** Condition on an event: has the signal. */
  has(signal: Signal): string {
    return `(signals & ${this.bitOf(signal)}) <> 0`;
  }

  /** The column with the value of a property. */
  valueOf(value: EventProperty): string {
    return `value_${[...this.#properties.keys()].indexOf(JSON.stringify(value))}`;
  }

  async collect(connection: DuckDBConnection, property: number, entries: Entries): Promise<void> {
    if (!this.needsCollected) return;
    const values = new SqlValues();
    const period = isInPeriod('happened_at', this.#metrics, entries, this.#until);
    const numbers = [...this.#properties.values()].map((it) => propertyNumber(values, it));
    const selects = collectedSignals(values, this.#signals.list, (signal) => this.bitOf(signal)).map(
      ({ where, signals, haveProperties }) =>
        `SELECT session_key, happened_at, ${this.#columns(signals, haveProperties ? numbers : []).join(', ')} FROM session_events
         WHERE property = ${property} AND ${period} AND ${where}`,
    );
    const sql = selects.join(' UNION ALL ');
    await createTemporary(connection, 'metric_collected', { sql, values: values.list });
  }

  async create(tables: MetricTables, entries: Entries): Promise<void> {
    const columns = ['unit', 'kind', 'first_at', 'happened_at', 'n', 'a', ...this.#names].join(', ');
    const { canLeave } = tables.visitors;
    const isCounted = `happened_at >= first_at ${canLeave ? 'AND happened_at < left_at' : ''} AND (${this.#isBeforeEnd})`;
    const selects = [
      // No row, so that the table has its columns without any events.
      `SELECT ${columns} FROM (${this.#none}) JOIN metric_units USING (unit)`,
      ...(this.#goals.length > 0
        ? [
            `SELECT ${columns} FROM (${this.#conversions(tables, entries)}) JOIN metric_units USING (unit) WHERE ${isCounted}`,
          ]
        : []),
      ...(this.needsCollected
        ? [
            `SELECT ${columns} FROM (SELECT *, 1::TINYINT AS n, 0::BIGINT AS a FROM metric_collected)
             JOIN metric_sessions USING (session_key) WHERE ${isCounted}`,
          ]
        : []),
    ];
    await createTemporary(tables.connection, 'metric_events', { sql: selects.join(' UNION ALL '), values: [] });
  }

  get #isBeforeEnd(): string {
    const ends = new Set(this.#metrics.map(windowOf));
    return [...ends]
      .map((end) => (end === null ? `happened_at < ${this.#until}` : `happened_at < first_at + ${end}`))
      .join(' OR ');
  }

  get #none(): string {
    const columns = this.#columns('0').join(', ');
    return `SELECT 0::BIGINT AS unit, 0::BIGINT AS happened_at, 0::TINYINT AS n, 0::BIGINT AS a, ${columns} WHERE false`;
  }

  #conversions(tables: MetricTables, entries: Entries): string {
    const cases = this.#goals.map(({ term, bit }) => `WHEN ${term} THEN ${bit}`);
    const columns = [
      'happened_at',
      'direction::TINYINT AS n',
      'amount_micros AS a',
      ...this.#columns(`CASE goal ${cases.join(' ')} END`),
    ];
    const period = isInPeriod('happened_at', this.#metrics, entries, this.#until);
    return tables.rowsOf('conversions', columns, `${this.#isGoal} AND ${period}`);
  }

  get #names(): string[] {
    return ['signals', ...[...this.#properties.keys()].map((_, index) => `value_${index}`)];
  }

  #columns(signals: string, numbers: readonly string[] = []): string[] {
    const properties = [...this.#properties.keys()].map((_, index) => numbers[index] ?? 'NULL');
    const columns = [`(${signals})::${this.#type}`, ...properties.map((number) => `${number}::DOUBLE`)];
    return this.#names.map((name, index) => `${columns[index]} AS ${name}`);
  }

  /** The smallest type that fits, because there are many events. */
  get #type(): string {
    const size = this.#signals.list.length;
    if (size <= 16) return size <= 8 ? 'UTINYINT' : 'USMALLINT';
    return size <= 32 ? 'UINTEGER' : size <= 63 ? 'BIGINT' : 'HUGEINT';
  }

  get #isGoal(): string {
    return `goal IN (${this.#goals.map(({ term }) => term).join(', ')})`;
  }
}
