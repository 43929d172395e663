import { MAX_SEGMENT_LENGTH, type SplitTestQuery } from '../../../store/split-test-queries.ts';
import { SqlValues } from '../../connection/sql-values.ts';
import type { TableNames } from '../../schema/table-names.ts';
import { latest } from '../sessions/latest-identity.ts';
import { rowsWithUnits, SESSION_KEY, type SessionRows } from '../units.ts';
import {
  KIND,
  type MoreExposures,
  NO_END,
  PhaseExposures,
  type PhaseQuery,
  SEEN_AT,
} from './phase-exposures.ts';

export type VisitorsQuery = PhaseQuery &
  Pick<SplitTestQuery, 'propertyId' | 'by'> &
  Partial<Pick<SplitTestQuery, 'preDays'>>;

/** Events of sessions, with the names of their columns and an empty value of each. */
export interface VisitorEvents extends SessionRows {
  columns: Readonly<Record<string, string>>;
}

/** Attributes that are also known from the session. */
const SESSION_ATTRIBUTES = new Set(['country', 'device', 'browser', 'os']);

/** An attribute of the segment: SQL for its value in an exposure and, if there is one, in the session. */
interface SegmentAttribute {
  own: string;
  client: string | undefined;
}

/** There are at most 120 variations. */
const POSITION_BITS = 7;

/** Condition on the visitors that are in the results; crawlers are, separately. */
export const IS_COUNTED = '(shown > 0 AND NOT moved)';

/** SQL for the visitors of one phase of a test. A variation is represented by its position in the query, from 1. */
export class SplitTestVisitors {
  readonly values: SqlValues;
  /** Placeholder of the property. */
  readonly property: string;
  readonly exposures: PhaseExposures;
  readonly #tables: TableNames;
  readonly #query: VisitorsQuery;
  readonly #attributes: readonly SegmentAttribute[];
  /** The test that splits the visitors. */
  readonly #other: SplitTestVisitors | undefined;

  constructor(tables: TableNames, query: VisitorsQuery, values = new SqlValues()) {
    this.#tables = tables;
    this.#query = query;
    this.values = values;
    this.property = values.text(query.propertyId);
    this.exposures = new PhaseExposures(values, `property = ${this.property}`, query);
    this.#attributes = (query.by?.attributes ?? []).map((name) => ({
      // Null if the JSON is invalid.
      own: `JSONExtract(attributes, ${values.text(name)}, 'Nullable(String)')`,
      client: SESSION_ATTRIBUTES.has(name) ? latest(name) : undefined,
    }));
    const { propertyId, unit, by } = query;
    this.#other = by?.test && new SplitTestVisitors(tables, { ...by.test, propertyId, unit }, values);
  }

  get isSegmented(): boolean {
    return this.#other !== undefined || this.#attributes.length > 0;
  }

  /** Exposures that decide about the visitors; those of later phases, and before the phase, only about their events. */
  needed(hasEvents: boolean): MoreExposures {
    const { hasEarlierPhases, hasLaterPhases, preDays = 0 } = this.#query;
    return {
      earlier: hasEarlierPhases,
      later: hasEvents && hasLaterPhases,
      all: hasEvents && preDays > 0,
    };
  }

  /**
   * SELECT of the visitors: `unit`; `shown`, the position of their variation, or 0 if they saw several; `first_shown`, that
   * of the variation they saw first; `moved`, `is_returning` and `is_bot`; `first_at`, when they entered the phase; `segment`
   * if the query has one. If there are events: `events`, an array of tuples; `ends_at` if there are later phases; `first_ever`,
   * the time of their first exposure to the test, if there is a covariate.
   *
   * Grouping exposures and events together reads the exposures once, and can use the disk.
   */
  units(events?: VisitorEvents): string {
    const { earlier, later, all } = this.needed(events !== undefined);
    const own = (aggregate: string, value: string) => `${aggregate}If(${value}, kind = ${KIND.own})`;
    const before = (aggregate: string) => `${aggregate}If(position, kind = ${KIND.earlier} AND position > 0)`;
    // One number has both, because the engine takes several times as long to compare tuples.
    const first = own('min', `seen_at * ${2 ** POSITION_BITS} + position`);
    const columns = [
      `if(${own('min', 'position')} = ${own('max', 'position')}, ${own('max', 'position')}, 0) AS shown`,
      `toUInt8(bitAnd(${first}, ${2 ** POSITION_BITS - 1})) AS first_shown`,
      `bitShiftRight(${first}, ${POSITION_BITS}) AS first_at`,
      `${own('max', 'bot')} AS is_bot`,
      `${earlier ? `toBool(max(kind = ${KIND.earlier}))` : 'false'} AS is_returning`,
      earlier
        ? `toBool(shown > 0 AND ${before('max')} > 0 AND (${before('min')} <> shown OR ${before('max')} <> shown)) AS moved`
        : 'false AS moved',
      ...(this.#attributes.length > 0 ? [`${this.#segment()} AS segment`] : []),
      ...(later ? [`min(if(kind = ${KIND.later}, seen_at, ${NO_END})) AS ends_at`] : []),
      ...(all ? [`minIf(seen_at, kind <> ${KIND.event}) AS first_ever`] : []),
      ...(events
        ? [`groupArrayIf((${Object.keys(events.columns).join(', ')}), kind = ${KIND.event}) AS events`]
        : []),
    ];
    const units = `SELECT unit, ${columns.join(', ')} FROM (SELECT *${this.#segmentValues()} FROM (${this.rows(events)}))
      GROUP BY unit HAVING max(kind = ${KIND.own})`;
    if (this.#other === undefined) return units;
    // Without a match, the column has the default of its type.
    return `SELECT own.*, nullIf(elsewhere.seen_elsewhere, '') AS segment FROM (${units}) AS own
      LEFT JOIN (${this.#other.#seenElsewhere}) AS elsewhere ON own.unit = elsewhere.unit`;
  }

  /** SELECT of the visitors who are in the results, with the key of their variation. */
  get #seenElsewhere(): string {
    const keys = this.values.texts(this.#query.variationKeys);
    return `SELECT unit, ${keys}[shown] AS seen_elsewhere FROM (${this.units()}) WHERE ${IS_COUNTED} AND NOT is_bot`;
  }

  /** The values of the attributes of rows, one column each. */
  #segmentValues(): string {
    // A value sent by the client is more reliable than one derived from request headers.
    const known = ({ client }: SegmentAttribute, index: number) =>
      client
        ? `coalesce(own_${index}, nullIf(nullIf(toString(client_${index}), ''), 'unknown'))`
        : `own_${index}`;
    return this.#attributes
      .map((it, index) => `, leftUTF8(${known(it, index)}, ${MAX_SEGMENT_LENGTH}) AS value_${index}`)
      .join('');
  }

  /** The first known value of each attribute; of several at the same time, the smallest. */
  #segment(): string {
    const firsts = this.#attributes.map((_, index) => {
      const value = `value_${index}`;
      return `argMinIf(${value}, (seen_at, ${value}), kind = ${KIND.own} AND ${value} IS NOT NULL)`;
    });
    if (firsts.length === 1) return firsts[0]!;
    return `if(coalesce(${firsts.join(', ')}) IS NULL, NULL, toJSONString([${firsts.join(', ')}]))`;
  }

  /** Array of the events of a visitor that are outcomes in this phase, from `units`; `at` is the second column of events. */
  get outcomes(): string {
    return `arrayFilter(event -> ${this.isOutcome('event.2')}, events)`;
  }

  /** Condition on a time: whether what happened then is an outcome of the visitor in this phase. */
  isOutcome(time: string): string {
    const { later } = this.needed(true);
    return `${time} >= first_at${later ? ` AND ${time} < ends_at` : ''}`;
  }

  /**
   * SELECT of exposures (`session`, `unit`, `kind`, `position`, `bot`, `seen_at`, and `own_0`, `client_0` and so on for the
   * segment), and of events.
   */
  rows(events?: VisitorEvents): string {
    const exposures = this.#tables.of('exposures');
    const needed = this.needed(events !== undefined);
    const where = this.exposures.where(needed);
    const columns = Object.entries(events?.columns ?? {});
    const own = this.#attributes.map((it, index) => `, ${it.own} AS own_${index}`).join('');
    const seen = `SELECT ${SESSION_KEY} AS session, ${this.exposures.kind(needed)} AS kind, ${this.exposures.position} AS position, bot,
        ${SEEN_AT} AS seen_at${own}${columns.map(([name, empty]) => `, ${empty} AS ${name}`).join('')}
      FROM ${exposures} WHERE ${where}`;
    const others = events
      ? `UNION ALL SELECT session, ${KIND.event}, 0, false, 0${this.#attributes.map(() => ', NULL').join('')}
           ${columns.map(([name]) => `, ${name}`).join('')} FROM (${events.select})`
      : '';
    const sessions = [`SELECT ${SESSION_KEY} FROM ${exposures} WHERE ${where}`, ...(events?.sessions ?? [])];
    const clients = this.#attributes.flatMap(({ client }, index) =>
      client ? [[`client_${index}`, client] as const] : [],
    );
    const { property } = this;
    const { unit } = this.#query;
    return rowsWithUnits(
      this.#tables,
      { select: `${seen} ${others}`, sessions },
      { property, unit, columns: Object.fromEntries(clients) },
    );
  }

  /** Null for visitors of several variations. */
  variationKey(position: number): string | null {
    return this.#query.variationKeys[position - 1] ?? null;
  }
}
