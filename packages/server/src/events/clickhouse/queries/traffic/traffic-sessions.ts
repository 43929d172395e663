import type { TrafficDimension } from '@switchyard/core/api/traffic';
import { BOT_DEVICE } from '../../../store/accepted-request.ts';
import type { TrafficQuery } from '../../../store/traffic-queries.ts';
import { SqlValues } from '../../connection/sql-values.ts';
import type { TableNames } from '../../schema/table-names.ts';
import { ARRIVAL, orderKey } from '../sessions/latest-identity.ts';
import { earlierSessions, seenSessions } from '../sessions/started-sessions.ts';
import { SESSION_KEY, VISITOR_KEY } from '../units.ts';
import { isNone, nullIfNone, pageOf, TRAFFIC_VALUES } from './traffic-values.ts';

interface Options {
  /** Dimension whose value each session has as `value`. */
  by?: TrafficDimension;
  /** Also select sessions with a conversion or feedback in the period, which may have started before it. */
  withOutcomes?: boolean;
}

/** Kinds of rows; the first ones as in `session_events`. */
const KINDS = { pageview: 0, event: 1, outcome: 4, exposure: 5, collect: 6, start: 7 };

/** SQL for the sessions of a traffic query. */
export class TrafficSessions {
  readonly values = new SqlValues();
  readonly hasFilters: boolean;
  /** Placeholder. */
  readonly propertyId: string;
  /** Condition. */
  readonly property: string;
  readonly #tables: TableNames;
  readonly #query: TrafficQuery;
  readonly #options: Options;
  readonly #from: string;
  readonly #to: string;

  constructor(tables: TableNames, query: TrafficQuery, options: Options = {}) {
    this.#tables = tables;
    this.#query = query;
    this.#options = options;
    this.hasFilters = Object.keys(query.filters).length > 0;
    this.propertyId = this.values.text(query.propertyId);
    this.property = `property = ${this.propertyId}`;
    this.#from = this.values.integer(query.from);
    this.#to = this.values.integer(query.to);
  }

  /** Condition on a time. */
  inPeriod(column: string): string {
    return `${column} >= ${this.#from} AND ${column} < ${this.#to}`;
  }

  /** SELECT of the sessions that match the filters, with what happened in them. */
  get matching(): string {
    const { by } = this.#options;
    const value = by === undefined || by === 'page' ? '' : `, ${nullIfNone(this.#valueOf(by))} AS value`;
    return `SELECT *, pageviews = 1 AND NOT engaged AS bounced,
        coalesce(seen_until, active_until) - started_at AS duration,
        if(latest_visitor = 0, session, latest_visitor) AS unit${value}
      FROM (${this.#summaries}) WHERE ${this.#conditions.join(' AND ') || 'true'}`;
  }

  /** SELECT of the matching sessions that started in the period. */
  get visits(): string {
    return `SELECT * FROM (${this.matching}) WHERE ${this.inPeriod('started_at')}`;
  }

  /** An empty host is none anyway, so that the list is never empty. */
  #valueOf(dimension: Exclude<TrafficDimension, 'page'>): string {
    const value = TRAFFIC_VALUES[dimension];
    return typeof value === 'string'
      ? value
      : value(this.values.texts(['', ...(this.#query.ownHosts ?? [])]));
  }

  get #conditions(): string[] {
    return Object.entries(this.#query.filters).map(([dimension, filter]) => {
      if (dimension === 'page') {
        return `has(mapKeys(views), ${filter === null ? "''" : this.values.text(filter)})`;
      }
      const value = this.#valueOf(dimension as Exclude<TrafficDimension, 'page'>);
      return filter === null ? isNone(value) : `${value} = ${this.values.text(filter)}`;
    });
  }

  /** Condition on `session`: it started in the period, or has an outcome in it. */
  get #isInScope(): string {
    const tables = this.#tables;
    const period = { property: this.propertyId, from: this.#from, to: this.#to };
    const started = `session IN (${seenSessions(tables, period)})
      AND session NOT IN (${earlierSessions(tables, period)})`;
    if (!this.#hasOutcomes) return started;
    const outcomes = (['conversions', 'feedback'] as const).map(
      (table) => `SELECT ${SESSION_KEY} FROM ${tables.of(table)}
        WHERE ${this.property} AND has_session AND ${this.inPeriod('happened_at')}`,
    );
    return `(${started} OR session IN (${outcomes.join(' UNION ALL ')}))`;
  }

  /** Without filters, conversions and feedback are counted whatever their session is. */
  get #hasOutcomes(): boolean {
    return this.#options.withOutcomes === true && this.hasFilters;
  }

  /** One row per session of the scope. */
  get #summaries(): string {
    const { by } = this.#options;
    const byPage = by === 'page' || 'page' in this.#query.filters;
    return `SELECT session, min(at) AS started_at, maxIf(at, from_browser) AS seen_until, max(at) AS active_until,
        countIf(kind = ${KINDS.pageview}) AS pageviews, max(kind IN (${KINDS.event}, ${KINDS.outcome})) AS engaged, max(is_bot) AS bot,
        argMinIf(first_url, first_position, has_view) AS entry_url,
        argMinIf(first_referrer, first_position, has_view) AS entry_referrer,
        argMaxIf(last_url, last_position, has_view) AS exit_url,
        ${byPage ? `sumMapIf(map(${pageOf('url')}, toUInt64(1)), kind = ${KINDS.pageview})` : 'map()'} AS views,
        argMax(visitor, collected) AS latest_visitor, argMax(client_country, collected) AS country,
        argMax(client_device, collected) AS device, argMax(client_browser, collected) AS browser,
        argMax(client_os, collected) AS os
      FROM (${this.#events}) WHERE ${this.#isInScope} GROUP BY session`;
  }

  /** All events and collects of the property in one list; columns that a table does not have are empty. */
  get #events(): string {
    // Nothing of a session that started in the period is older than it.
    const recent = this.#hasOutcomes ? '' : `AND happened_at >= ${this.#from}`;
    const own = `${this.property} ${recent}`;
    const noView = `'' AS url, false AS has_view, '' AS first_url, '' AS first_referrer,
      toInt256(0) AS first_position, '' AS last_url, toInt256(0) AS last_position`;
    const noCollect = `toUInt128(0) AS visitor, '' AS client_country, '' AS client_device, '' AS client_browser,
      '' AS client_os, toInt256(0) AS collected`;
    const outcomes = (['conversions', 'feedback'] as const).map(
      (table) =>
        `SELECT ${SESSION_KEY} AS session, toInt8(${KINDS.outcome}) AS kind, false AS from_browser,
          toNullable(happened_at) AS at, false AS is_bot, ${noView}, ${noCollect}
        FROM ${this.#tables.of(table)} WHERE ${own} AND has_session`,
    );
    return [
      ...outcomes,
      `SELECT ${SESSION_KEY}, ${KINDS.exposure}, true, happened_at, false, ${noView}, ${noCollect}
       FROM ${this.#tables.of('exposures')} WHERE ${own}`,
      `SELECT ${SESSION_KEY}, toInt8(type), true, happened_at, false,
         ifNull(url, ''), false, '', '', 0, '', 0, ${noCollect}
       FROM ${this.#tables.of('session_events')} WHERE ${own}`,
      `SELECT ${SESSION_KEY}, ${KINDS.start}, false, happened_at, bot, '', has_view,
         entry_url, entry_referrer, ${orderKey('entry_at', 'entry_ordinal')},
         exit_url, ${orderKey('exit_at', 'exit_ordinal')}, ${noCollect}
       FROM ${this.#tables.of('session_starts')} WHERE ${own}`,
      `SELECT ${SESSION_KEY}, ${KINDS.collect}, false, NULL, device = '${BOT_DEVICE}', ${noView}, ${VISITOR_KEY},
         toString(country), toString(device), toString(browser), toString(os), ${ARRIVAL}
       FROM ${this.#tables.of('collects')} WHERE ${own}`,
    ].join(' UNION ALL ');
  }
}
