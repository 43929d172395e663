import { MAX_SEGMENT_LENGTH, type SplitTestQuery } from '../../event-store.ts';
import { SqlValues } from '../client/sql-values.ts';
import type { TableNames } from '../schema/table-names.ts';
import { latest } from './identities.ts';
import { rowsWithUnits, SESSION_KEY, type SessionRows } from './units.ts';

export type VisitorsQuery = Pick<
  SplitTestQuery,
  'propertyId' | 'splitTestKey' | 'variationKeys' | 'phase' | 'from' | 'to' | 'by'
>;

/** Events of sessions, with the names of their columns and an empty value of each. */
export interface VisitorEvents extends SessionRows {
  columns: Readonly<Record<string, string>>;
}

/** Attributes that are also known from the session. */
const SESSION_ATTRIBUTES = new Set(['country', 'device', 'browser', 'os']);

/** SQL for the visitors of one phase of a test. A variation is represented by its position in the query, from 1. */
export class SplitTestVisitors {
  readonly values: SqlValues;
  /** Placeholder of the property. */
  readonly property: string;
  /** Condition on `exposures`. */
  readonly exposed: string;
  /** Position of the variation of an exposure. */
  readonly position: string;
  readonly #tables: TableNames;
  readonly #query: VisitorsQuery;
  /** The segment, if it is also known from the session. */
  readonly #client: string | undefined;
  readonly #attribute: string | undefined;

  constructor(tables: TableNames, query: VisitorsQuery, values = new SqlValues()) {
    const { splitTestKey, phase, from, to, by } = query;
    this.#tables = tables;
    this.#query = query;
    this.values = values;
    this.property = values.text(query.propertyId);
    const variations = values.texts(query.variationKeys);
    this.position = `toUInt8(indexOf(${variations}, variation))`;
    this.exposed = `property = ${this.property} AND split_test = ${values.text(splitTestKey)}
      AND has(${variations}, variation) AND (phase = ${values.integer(phase)}
      OR (phase IS NULL AND happened_at >= ${values.integer(from)} AND happened_at < ${values.integer(to)}))`;
    this.#client = by && SESSION_ATTRIBUTES.has(by.attribute) ? by.attribute : undefined;
    this.#attribute = by && values.text(by.attribute);
  }

  get isSegmented(): boolean {
    return this.#query.by !== undefined;
  }

  /**
   * SELECT of the visitors: `unit`; `shown`, the position of their variation, or 0 if they saw several; `is_bot`;
   * `first_at`, the time of their first exposure; `segment` if the query has one; `events`, an array of tuples, if there
   * are any. Grouping exposures and events together reads the exposures once, and can use the disk.
   */
  units(events?: VisitorEvents): string {
    // A value sent by the client is more reliable than one derived from request headers.
    const known = this.#client ? "coalesce(own, nullIf(nullIf(toString(client), ''), 'unknown'))" : 'own';
    const segment = `argMinIf(value, (seen_at, value), position > 0 AND value IS NOT NULL) AS segment`;
    const columns = events ? Object.keys(events.columns) : [];
    return `SELECT unit, if(minIf(position, position > 0) = max(position), max(position), 0) AS shown,
        max(bot) AS is_bot, minIf(seen_at, position > 0) AS first_at
        ${this.isSegmented ? `, ${segment}` : ''}
        ${events ? `, groupArrayIf((${columns.join(', ')}), position = 0) AS events` : ''}
      FROM (
        SELECT * ${this.isSegmented ? `, leftUTF8(${known}, ${MAX_SEGMENT_LENGTH}) AS value` : ''}
        FROM (${this.rows(events)}))
      GROUP BY unit HAVING max(position) > 0`;
  }

  /**
   * SELECT of exposures (`session`, `unit`, `position`, `bot`, `seen_at`, and `own` and `client` for the segment), and
   * of events, whose position is 0.
   */
  rows(events?: VisitorEvents): string {
    const exposures = this.#tables.of('exposures');
    const columns = Object.entries(events?.columns ?? {});
    // Null if the JSON is invalid.
    const own = this.isSegmented
      ? `, JSONExtract(attributes, ${this.#attribute}, 'Nullable(String)') AS own`
      : '';
    const seen = `SELECT ${SESSION_KEY} AS session, ${this.position} AS position, bot, least(happened_at, received_at) AS seen_at ${own}
      ${columns.map(([name, empty]) => `, ${empty} AS ${name}`).join('')} FROM ${exposures} WHERE ${this.exposed}`;
    const others = events
      ? `UNION ALL SELECT session, 0, false, 0 ${own && ', NULL'} ${columns.map(([name]) => `, ${name}`).join('')}
         FROM (${events.select})`
      : '';
    const sessions = [
      `SELECT ${SESSION_KEY} FROM ${exposures} WHERE ${this.exposed}`,
      ...(events?.sessions ?? []),
    ];
    const client = this.#client && `, ${latest(this.#client)} AS client`;
    return rowsWithUnits(this.#tables, this.property, { select: `${seen} ${others}`, sessions }, client);
  }

  /** Null for visitors of several variations. */
  variationKey(position: number): string | null {
    return this.#query.variationKeys[position - 1] ?? null;
  }
}
