import type { MetricTerm } from '../../../store/metric-queries.ts';
import { isQuantile, MetricSignals, type Signal, windowOf } from '../../../store/metric-signals.ts';
import { createTemporary, SqlValues } from '../../connection/sql.ts';
import type { QueryContext } from '../query-context.ts';
import { collectedSignals, type EventProperty, propertyNumber } from './collected-signals.ts';
import type { MetricTables } from './metric-tables.ts';

const SEEN_AT = 'least(happened_at, received_at)';

/** When the first and the last visitor entered. */
type Entered = readonly [first: number, last: number];

/**
 * SQL for `metric_events`: the events of the visitors that metrics need, with the bits of their signals, `n` and `a` (the
 * direction and the micro-dollars of conversions), and `value_0` and so on for properties.
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

  get #needsActivity(): boolean {
    return this.#signals.list.some((signal) => 'activity' in signal);
  }

  /** SELECTs of the sessions of events that were stored without their visitor. */
  unresolved(property: number): string[] {
    const missing = `property = ${property} AND unit_key IS NULL`;
    const conversions = `SELECT session_key FROM conversions
      WHERE ${missing} AND session_key IS NOT NULL AND ${this.#isGoal}`;
    return [
      ...(this.#goals.length > 0 ? [conversions] : []),
      ...(this.#needsActivity ? [`SELECT session_key FROM exposures WHERE ${missing}`] : []),
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

  async create(tables: MetricTables, entered: Entered): Promise<void> {
    const values = new SqlValues();
    const period = (time: string) =>
      `${time} >= ${entered[0] + this.#earliest} AND ${time} < ${this.#end(entered)}`;
    const selects = [
      this.#none,
      ...(this.#goals.length > 0 ? [this.#conversions(tables, period('happened_at'))] : []),
      ...(this.needsCollected
        ? [this.#collected(values, tables.visitors.property, period('happened_at'))]
        : []),
      ...(this.#needsActivity ? [this.#shown(tables, period(SEEN_AT))] : []),
    ];
    const { canLeave } = tables.visitors;
    await createTemporary(tables.connection, 'metric_events', {
      sql: `SELECT events.*, kind, first_at
        FROM (${selects.join(' UNION ALL ')}) AS events JOIN metric_units USING (unit)
        WHERE happened_at >= first_at + ${this.#earliest} ${canLeave ? 'AND happened_at < left_at' : ''} AND (${this.#isBeforeEnd})`,
      values: values.list,
    });
  }

  /** After the entry of a visitor, no metric needs anything before. */
  get #earliest(): number {
    return Math.min(...this.#metrics.map((it) => (it.kind === 'retention' ? it.fromMs : 0)));
  }

  get #isBeforeEnd(): string {
    const ends = new Set(this.#metrics.map(windowOf));
    return [...ends]
      .map((end) => (end === null ? `happened_at < ${this.#until}` : `happened_at < first_at + ${end}`))
      .join(' OR ');
  }

  #end([, last]: Entered): number {
    const ends = this.#metrics.map(windowOf);
    return Math.max(...ends.map((end) => (end === null ? this.#until : last + end)));
  }

  /** No row, so that the table has its columns without any events. */
  get #none(): string {
    const columns = [
      '0::BIGINT AS unit',
      '0::BIGINT AS happened_at',
      ...this.#columns('0', '0::TINYINT', '0::BIGINT'),
    ];
    return `SELECT ${columns.join(', ')} WHERE false`;
  }

  #conversions(tables: MetricTables, period: string): string {
    const cases = this.#goals.map(({ term, bit }) => `WHEN ${term} THEN ${bit}`);
    const columns = this.#columns(`CASE goal ${cases.join(' ')} END`, 'direction::TINYINT', 'amount_micros');
    return tables.rowsOf('conversions', ['happened_at', ...columns], `${this.#isGoal} AND ${period}`);
  }

  #shown(tables: MetricTables, period: string): string {
    const columns = this.#columns(`${this.bitOf({ activity: true })}`, '1::TINYINT', '0::BIGINT');
    return tables.rowsOf('exposures', [`${SEEN_AT} AS happened_at`, ...columns], period);
  }

  #collected(values: SqlValues, property: number, period: string): string {
    const signals = collectedSignals(values, this.#signals.list, (signal) => this.bitOf(signal));
    const numbers = [...this.#properties.values()].map((it) => propertyNumber(values, it));
    const columns = this.#columns(signals, '1::TINYINT', '0::BIGINT', numbers);
    return `SELECT unit, happened_at, ${this.#names.join(', ')} FROM (
        SELECT session_key, happened_at, ${columns.join(', ')} FROM session_events
        WHERE property = ${property} AND ${period} AND signals <> 0)
      JOIN metric_sessions USING (session_key)`;
  }

  get #names(): string[] {
    return ['signals', 'n', 'a', ...[...this.#properties.keys()].map((_, index) => `value_${index}`)];
  }

  /** The columns of an event, without its visitor and its time. */
  #columns(signals: string, n: string, a: string, numbers: readonly string[] = []): string[] {
    const properties = [...this.#properties.keys()].map((_, index) => numbers[index] ?? 'NULL::DOUBLE');
    const columns = [`(${signals})::${this.#type}`, n, a, ...properties];
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
