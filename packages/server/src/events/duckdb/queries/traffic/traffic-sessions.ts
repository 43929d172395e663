import type { TrafficDimension } from '@switchyard/core/api/traffic';
import type { TrafficQuery } from '../../../store/traffic-queries.ts';
import { quoteName, rowsOf, SqlValues } from '../../connection/sql.ts';
import { SESSION_EVENT_TYPES } from '../../schema/duckdb-schema.ts';
import { botSessions, botTerm } from '../bot-sessions.ts';
import type { QueryContext } from '../query-context.ts';
import { isNone, isPage, nullIfNone, TRAFFIC_VALUES, type TrafficSource } from './traffic-values.ts';

const { pageview, event, heartbeat } = SESSION_EVENT_TYPES;
/** Kinds of events besides the types of session events; those up to `EXPOSURE` come from the browser. */
const EXPOSURE = heartbeat + 1;
const OUTCOME = heartbeat + 2;

/** If fewer of the scanned sessions are wanted, selecting their events first is faster than ignoring the others later. */
const NARROW_SHARE = 0.5;

interface Options {
  /** Dimension whose value each session has as `value`. */
  by?: TrafficDimension;
  /** Also select sessions with a conversion or feedback in the period, which may have started before it. */
  withOutcomes?: boolean;
}

/**
 * SQL for the sessions of a traffic query, as common table expressions: `matching` has the sessions that match the
 * filters, `visits` those of them that started in the period, with what happened in them, and `bots` the sessions of
 * bots among those and among the sessions with outcomes in the period.
 */
export class TrafficSessions {
  readonly values = new SqlValues();
  readonly property: number;
  readonly hasFilters: boolean;
  readonly #query: TrafficQuery;
  readonly #options: Options;
  readonly #context: QueryContext;
  readonly #bot: number;
  /** No event of a selected session is older. */
  #since = 0;
  /** No bot session that is looked for started earlier. */
  #botsSince = 0;
  #isNarrow = false;

  /** Undefined if nothing is stored for the property. */
  static async of(
    context: QueryContext,
    query: TrafficQuery,
    options: Options,
  ): Promise<TrafficSessions | undefined> {
    const { connection, terms } = context;
    const property = terms.find(query.propertyId);
    if (property === undefined) return undefined;
    const sessions = new TrafficSessions(context, query, options, property);
    const [row] = await rowsOf<[bigint | null, bigint | null, bigint, bigint | null]>(
      connection,
      `WITH scope AS (${sessions.#scope})
       SELECT any_value(since), any_value(selected), count(*), (${sessions.#firstWithOutcome})
       FROM sessions, (SELECT min(started_at) AS since, count(*) AS selected FROM scope)
       WHERE property = ${property} AND started_at >= since`,
    );
    const [since, selected, all, withOutcome] = row!;
    sessions.#since = Number(since ?? query.from);
    sessions.#botsSince = Math.min(sessions.#since, Number(withOutcome ?? sessions.#since));
    sessions.#isNarrow = Number(selected ?? 0) < NARROW_SHARE * Number(all);
    return sessions;
  }

  private constructor(context: QueryContext, query: TrafficQuery, options: Options, property: number) {
    this.#context = context;
    this.#query = query;
    this.#options = options;
    this.property = property;
    this.#bot = botTerm(context.terms);
    this.hasFilters = Object.keys(query.filters).length > 0;
  }

  /** Condition on a time. */
  inPeriod(column: string): string {
    return `${column} >= ${this.#query.from} AND ${column} < ${this.#query.to}`;
  }

  /** Condition on `session_events`: page views of selected sessions. */
  viewsOf(selection: 'scope' | 'matching'): string {
    return `${this.#recent} AND type = ${pageview} ${this.#only(selection)}`;
  }

  get tables(): string {
    const { by } = this.#options;
    const dimensions = Object.keys(this.#query.filters) as TrafficDimension[];
    if (by !== undefined) dimensions.push(by);
    const sources = [...new Set(dimensions.map((it) => TRAFFIC_VALUES[it].source))].filter(
      (source) => source !== 'views',
    );
    const value = by !== undefined && by !== 'page' ? `, ${quoteName(by)} AS value` : '';
    return [
      `scope AS MATERIALIZED (${this.#scope})`,
      ...sources.map((source) => `${source} AS MATERIALIZED (${this.#source(source, dimensions)})`),
      `matching AS MATERIALIZED (
         SELECT session_key, started_at${value} FROM scope
         ${sources.map((source) => `LEFT JOIN ${source} USING (session_key)`).join(' ')}
         WHERE ${this.#conditions.join(' AND ') || 'true'})`,
      `bots AS MATERIALIZED (${botSessions(this.property, this.#bot, this.#botsSince)})`,
      `visitors AS (${sessionVisitors(this.#context, `property = ${this.property} AND seen_until >= ${this.#since}`)})`,
      `activity AS (${this.#activity})`,
      `visits AS (
         SELECT session_key, started_at${value && `, ${nullIfNone('value')} AS value`},
                coalesce(visitor_key, session_key) AS unit, pageviews, pageviews = 1 AND NOT engaged AS bounced,
                coalesce(seen_until, active_until) - started_at AS duration,
                bots.session_key IS NOT NULL AS bot
         FROM matching JOIN activity USING (session_key)
         LEFT JOIN visitors USING (session_key) LEFT JOIN bots USING (session_key)
         WHERE ${this.inPeriod('started_at')})`,
    ].join(', ');
  }

  get #scope(): string {
    const { withOutcomes } = this.#options;
    const started = this.inPeriod('started_at');
    // Without filters, conversions and feedback are counted whatever their session is.
    if (!withOutcomes || !this.hasFilters) return this.#sessionsWhere(started);
    return this.#sessionsWhere(`((${started}) OR ${this.#hasOutcome})`);
  }

  /** When the first session started that has an outcome in the period, if such sessions are not in the scope. */
  get #firstWithOutcome(): string {
    if (!this.#options.withOutcomes || this.hasFilters) return 'NULL';
    return `SELECT min(started_at) FROM (${this.#sessionsWhere(this.#hasOutcome)})`;
  }

  /** Condition on `sessions`. */
  get #hasOutcome(): string {
    const outcomes = ['conversions', 'feedback'].map(
      (table) =>
        `SELECT session_key FROM ${table} WHERE property = ${this.property} AND ${this.inPeriod('happened_at')}`,
    );
    return `session_key IN (${outcomes.join(' UNION ALL ')})`;
  }

  #sessionsWhere(condition: string): string {
    return `SELECT session_key, started_at FROM sessions WHERE property = ${this.property} AND ${condition}`;
  }

  get #conditions(): string[] {
    return Object.entries(this.#query.filters).map(([dimension, filter]) => {
      const placeholder = filter === null ? '' : this.values.add(filter);
      if (dimension === 'page') {
        const matches = filter === null ? "coalesce(url, '') = ''" : isPage('url', filter, placeholder);
        return `session_key IN (SELECT session_key FROM session_events WHERE ${this.viewsOf('scope')} AND ${matches})`;
      }
      const value = quoteName(dimension);
      return filter === null ? isNone(value) : `${value} = ${placeholder}`;
    });
  }

  /** One row per session, with a column for each dimension that has this source. */
  #source(source: TrafficSource, dimensions: readonly TrafficDimension[]): string {
    const own = dimensions.filter((it) => TRAFFIC_VALUES[it].source === source);
    const values = own.map((it) => {
      const { value } = TRAFFIC_VALUES[it];
      return `${typeof value === 'string' ? value : value(this.#ownHosts)} AS ${quoteName(it)}`;
    });
    return `SELECT session_key, ${values.join(', ')}
      FROM (${source === 'clients' ? this.#clients : this.#view(source === 'entries' ? 'arg_min' : 'arg_max', own)})`;
  }

  /** With an empty one, because SQL has no empty lists; without a referrer its host is empty too. */
  get #ownHosts(): string {
    return ['', ...(this.#query.ownHosts ?? [])].map((host) => this.values.add(host)).join(', ');
  }

  #view(pick: 'arg_min' | 'arg_max', dimensions: readonly TrafficDimension[]): string {
    const columns = dimensions.flatMap((it) => Object.entries(TRAFFIC_VALUES[it].columns ?? {}));
    const computed = new Set(columns.map(([name, sql]) => `${sql} AS ${name}`));
    // Coalesced, because arg_min and arg_max ignore nulls.
    const picked = ['url', 'referrer'].map(
      (column) =>
        `${pick}(coalesce(${column}, ''), (happened_at, ${this.#context.sources.tieBreak})) AS ${column}`,
    );
    const view = `session_key, happened_at, url, referrer, seq, source, event_index`;
    return `SELECT ${['session_key', 'url', ...computed].join(', ')} FROM (
      SELECT session_key, ${picked.join(', ')} FROM (
        SELECT ${view} FROM session_events WHERE ${this.viewsOf('scope')}
        UNION ALL SELECT ${view} FROM expired_views WHERE ${this.#recent} ${this.#only('scope')})
      GROUP BY session_key)`;
  }

  get #clients(): string {
    const text = (column: string) =>
      `(SELECT nullif(text, 'unknown') FROM terms WHERE terms.id = latest.${column}) AS ${column}`;
    const columns = ['country', 'device', 'browser', 'os'];
    return `SELECT session_key, ${columns.map(text).join(', ')}
      FROM (SELECT session_key, ${columns.map((it) => `arg_max(${it}, ${this.#context.sources.collectOrder}) AS ${it}`).join(', ')} FROM collects
            WHERE property = ${this.property} AND seen_until >= ${this.#since} ${this.#only('scope')}
            GROUP BY session_key) AS latest`;
  }

  get #activity(): string {
    const events = (table: string, kind: string | number) =>
      `SELECT session_key, ${kind} AS kind, happened_at FROM ${table} WHERE ${this.#recent} ${this.#only('matching')}`;
    const tables = [
      events('session_events', 'type'),
      events('exposures', EXPOSURE),
      events('conversions', OUTCOME),
      events('feedback', OUTCOME),
    ];
    return `SELECT session_key, count(*) FILTER (kind = ${pageview}) AS pageviews,
                   bool_or(kind = ${event} OR kind = ${OUTCOME}) AS engaged,
                   max(happened_at) FILTER (kind <= ${EXPOSURE}) AS seen_until, max(happened_at) AS active_until
            FROM (${tables.join(' UNION ALL ')}) GROUP BY session_key`;
  }

  get #recent(): string {
    return `property = ${this.property} AND happened_at >= ${this.#since}`;
  }

  #only(selection: 'scope' | 'matching'): string {
    const isWorthwhile = this.#isNarrow || (selection === 'matching' && this.hasFilters);
    return isWorthwhile ? `AND session_key IN (SELECT session_key FROM ${selection})` : '';
  }
}

/** SQL: the visitor of each session; `where` filters `collects`. */
export const sessionVisitors = ({ sources, namingCollects }: QueryContext, where: string) =>
  `SELECT session_key, arg_max(visitor_key, ${sources.collectOrder}) AS visitor_key FROM collects
   WHERE ${namingCollects} AND ${where} GROUP BY session_key`;
