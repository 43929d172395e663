import type { MetricTerm } from '../../../store/metric-queries.ts';
import { isQuantile, MetricSignals, type Signal, windowOf } from '../../../store/metric-signals.ts';
import { createTemporary, SqlValues } from '../../connection/sql.ts';
import type { QueryContext } from '../query-context.ts';
import { collectedSignals, type EventProperty, propertyNumber } from './collected-signals.ts';
import type { MetricTables } from './metric-tables.ts';
import { isInPeriod } from './metric-times.ts';
import type { Entries } from './metric-visitors.ts';

/**
 * SQL for `metric_events`: the events of the visitors that metrics need, with the bits of their signals, `n` and `a` (the
 * direction and the micro-dollars of conversions), and `value_0` and so on for properties. It has those of all visitors,
 * because patterns and JSON take longer than everything else.
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

  async create(tables: MetricTables, entries: Entries): Promise<void> {
    const values = new SqlValues();
    const { canLeave } = tables.visitors;
    const columns = ['unit', 'kind', 'first_at', 'happened_at', 'n', 'a', ...this.#names].join(', ');
    const period = isInPeriod('happened_at', this.#metrics, entries, this.#until);
    const selects = [
      this.#none,
      ...(this.#goals.length > 0 ? [this.#conversions(tables, period)] : []),
      ...(this.needsCollected ? this.#collected(values, tables.visitors.property, period) : []),
    ];
    const isCounted = `happened_at >= first_at ${canLeave ? 'AND happened_at < left_at' : ''} AND (${this.#isBeforeEnd})`;
    const sql = selects
      .map((select) => `SELECT ${columns} FROM (${select}) WHERE ${isCounted}`)
      .join(' UNION ALL ');
    await createTemporary(tables.connection, 'metric_events', { sql, values: values.list });
  }

  get #isBeforeEnd(): string {
    const ends = new Set(this.#metrics.map(windowOf));
    return [...ends]
      .map((end) => (end === null ? `happened_at < ${this.#until}` : `happened_at < first_at + ${end}`))
      .join(' OR ');
  }

  /** No row, so that the table has its columns without any events. */
  get #none(): string {
    return `SELECT ${this.#columns('0', { at: '0::BIGINT' })}, metric_units.* FROM metric_units WHERE false`;
  }

  #conversions(tables: MetricTables, period: string): string {
    const cases = this.#goals.map(({ term, bit }) => `WHEN ${term} THEN ${bit}`);
    const columns = this.#columns(`CASE goal ${cases.join(' ')} END`, { n: 'direction', a: 'amount_micros' });
    return tables.rowsOf('conversions', [columns], `${this.#isGoal} AND ${period}`);
  }

  #collected(values: SqlValues, property: number, period: string): string[] {
    const numbers = [...this.#properties.values()].map((it) => propertyNumber(values, it));
    return collectedSignals(values, this.#signals.list, (signal) => this.bitOf(signal)).map(
      ({ where, signals, haveProperties }) =>
        `SELECT ${this.#columns(signals, haveProperties ? { numbers } : {})}, metric_sessions.*
         FROM session_events JOIN metric_sessions USING (session_key)
         WHERE property = ${property} AND ${period} AND ${where}`,
    );
  }

  get #names(): string[] {
    return ['signals', ...[...this.#properties.keys()].map((_, index) => `value_${index}`)];
  }

  #columns(
    signals: string,
    { at = 'happened_at', n = '1', a = '0', numbers = [] as readonly string[] } = {},
  ): string {
    const values = [...this.#properties.keys()].map((_, index) => `${numbers[index] ?? 'NULL'}::DOUBLE`);
    const columns = [`(${signals})::${this.#type}`, ...values];
    return [
      `${at} AS happened_at`,
      `${n}::TINYINT AS n`,
      `${a}::BIGINT AS a`,
      ...this.#names.map((name, index) => `${columns[index]} AS ${name}`),
    ].join(', ');
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
