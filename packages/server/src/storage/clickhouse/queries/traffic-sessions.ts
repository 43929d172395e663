import type { TrafficDimension } from '@switchyard/core/api/traffic';
import { BOT_DEVICE } from '../../accepted-request.ts';
import type { TrafficQuery } from '../../traffic-queries.ts';
import { SqlValues } from '../client/sql-values.ts';
import type { TableNames } from '../schema/table-names.ts';
import { isNone, nullIfNone, pageOf, TRAFFIC_VALUES } from './traffic-values.ts';

interface Options {
  /** Dimension whose value each session has as `value`. */
  by?: TrafficDimension;
  /** Also select sessions with a conversion or feedback in the period, which may have started before it. */
  withOutcomes?: boolean;
}

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
    const value = by === undefined || by === 'page' ? '' : `, ${nullIfNone(TRAFFIC_VALUES[by])} AS value`;
    return `SELECT *, pageviews = 1 AND NOT engaged AS bounced,
        if(seen_until = 0, active_until, seen_until) - started_at AS duration,
        if(visitor_id = '', concat('s', session_id), concat('v', visitor_id)) AS unit${value}
      FROM (${this.#summaries}) WHERE ${this.#conditions.join(' AND ') || 'true'}`;
  }

  /** SELECT of the matching sessions that started in the period. */
  get visits(): string {
    return `SELECT * FROM (${this.matching}) WHERE ${this.inPeriod('started_at')}`;
  }

  get #conditions(): string[] {
    return Object.entries(this.#query.filters).map(([dimension, filter]) => {
      if (dimension === 'page') {
        return `has(mapKeys(views), ${filter === null ? "''" : this.values.text(filter)})`;
      }
      const value = TRAFFIC_VALUES[dimension as Exclude<TrafficDimension, 'page'>];
      return filter === null ? isNone(value) : `${value} = ${this.values.text(filter)}`;
    });
  }

  /** SELECT of the ids of the sessions that started in the period, or have an outcome in it. */
  get #scope(): string {
    const started = `SELECT session_id FROM ${this.#tables.of('session_starts')} WHERE ${this.property}
      GROUP BY session_id HAVING ${this.inPeriod('min(happened_at)')}`;
    // Without filters, conversions and feedback are counted whatever their session is.
    if (!this.#options.withOutcomes || !this.hasFilters) return started;
    const outcomes = (['conversions', 'feedback'] as const).map(
      (table) => `SELECT session_id FROM ${this.#tables.of(table)}
        WHERE ${this.property} AND has_session AND ${this.inPeriod('happened_at')}`,
    );
    return [`(${started})`, ...outcomes].join(' UNION ALL ');
  }

  /** One row per session of the scope. */
  get #summaries(): string {
    const { by } = this.#options;
    const byPage = by === 'page' || 'page' in this.#query.filters;
    return `SELECT session_id, min(at) AS started_at, maxIf(at, from_browser) AS seen_until, max(at) AS active_until,
        countIf(kind = 'pageview') AS pageviews, max(kind IN ('event', 'outcome')) AS engaged, max(is_bot) AS bot,
        argMinIf(url, (at, source, ordinal), kind = 'pageview') AS entry_url,
        argMinIf(referrer, (at, source, ordinal), kind = 'pageview') AS entry_referrer,
        argMaxIf(url, (at, source, ordinal), kind = 'pageview') AS exit_url,
        ${byPage ? `sumMapIf(map(${pageOf('url')}, toUInt64(1)), kind = 'pageview')` : 'map()'} AS views,
        argMax(visitor, collected) AS visitor_id, argMax(client, collected) AS latest_client,
        latest_client.1 AS country, latest_client.2 AS device, latest_client.3 AS browser, latest_client.4 AS os
      FROM (${this.#events}) WHERE session_id IN (${this.#scope}) GROUP BY session_id`;
  }

  /** All events and collects of the property in one list; columns that a table does not have are empty. */
  get #events(): string {
    // Nothing of a session that started in the period is older than it.
    const recent = this.#options.withOutcomes && this.hasFilters ? '' : `AND happened_at >= ${this.#from}`;
    const own = `${this.property} ${recent}`;
    const nothing = `'' AS url, '' AS referrer, '' AS visitor, ('', '', '', '') AS client,
      (toInt64(0), '', toUInt64(0)) AS collected`;
    const outcomes = (['conversions', 'feedback'] as const).map(
      (table) => `SELECT session_id, 'outcome' AS kind, false AS from_browser, toNullable(happened_at) AS at,
          toString(source) AS source, ordinal, false AS is_bot, ${nothing}
        FROM ${this.#tables.of(table)} WHERE ${own} AND has_session`,
    );
    return [
      ...outcomes,
      `SELECT session_id, 'exposure', true, happened_at, toString(source), ordinal, bot, ${nothing}
       FROM ${this.#tables.of('exposures')} WHERE ${own}`,
      `SELECT session_id, toString(type), true, happened_at, toString(source), ordinal, false,
         ifNull(url, ''), ifNull(referrer, ''), '', ('', '', '', ''), (0, '', 0)
       FROM ${this.#tables.of('session_events')} WHERE ${own}`,
      `SELECT session_id, 'collect', false, NULL, '', 0, device = '${BOT_DEVICE}', '', '', visitor_id,
         (toString(country), toString(device), toString(browser), toString(os)), ${ARRIVAL_TEXT}
       FROM ${this.#tables.of('collects')} WHERE ${own}`,
    ].join(' UNION ALL ');
  }
}

const ARRIVAL_TEXT = '(received_at, toString(source), seq)';

/** SELECT of the ids of bots' sessions. */
export const botSessions = (tables: TableNames, property: string) =>
  `SELECT session_id FROM ${tables.of('collects')} WHERE ${property} AND device = '${BOT_DEVICE}'
   UNION ALL SELECT session_id FROM ${tables.of('exposures')} WHERE ${property} AND bot`;
