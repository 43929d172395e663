import { externalReferrer } from '../../../store/external-referrer.ts';
import { MAX_LISTED, type SessionIdentity, type SessionSummary } from '../../../store/session-summary.ts';
import { keyList, recordsOf, rowsOf } from '../../connection/sql.ts';
import type { SessionRegistry } from '../../ingest/lookup/session-registry.ts';
import type { SourceList } from '../../ingest/lookup/source-list.ts';
import type { TermDictionary } from '../../ingest/lookup/term-dictionary.ts';
import { SESSION_EVENT_TYPES } from '../../schema/duckdb-schema.ts';
import { botTerm } from '../bot-sessions.ts';
import type { QueryContext } from '../query-context.ts';

/** A row of `sessions`. */
export interface StoredSession {
  key: bigint;
  sessionId: string;
  startedAt: number;
}

const { pageview, event } = SESSION_EVENT_TYPES;
/** Stands for the type of views in `expired_views`. */
const EXPIRED = -1;

const WHERE_SESSION = `property = $1 AND session_key IN ${keyList('$2')}`;

/**
 * The first groups of each session, at most MAX_LISTED, and the last event and the flags of all its groups. With lists
 * instead of window functions, which take a third longer.
 */
function firstGroups(
  sources: SourceList,
  source: string,
  table: string,
  keys: string[],
  sums: Record<string, string>,
  flags: string[] = [],
): string {
  const ordinal = sources.hasSeveral
    ? `arg_min(${sources.tieBreakNumber}, (happened_at, ${sources.tieBreak}))`
    : `min(${sources.tieBreakNumber})`;
  const columns = ['first_at', 'ordinal', ...keys, ...Object.keys(sums)];
  const anyFlag = flags.map((flag) => `bool_or(${flag}) AS ${flag}`);
  const aggregates = [...Object.entries(sums).map(([name, sum]) => `${sum} AS ${name}`), ...anyFlag];
  return `
    SELECT ${[`'${source}' AS source`, 'session_key', 'last_at', ...flags].join(', ')},
           unnest(list_slice(list_sort(groups), 1, ${MAX_LISTED}), recursive := true)
    FROM (
      SELECT ${['session_key', 'max(last_at) AS last_at', ...anyFlag].join(', ')},
             list(struct_pack(${columns.map((column) => `${column} := ${column}`).join(', ')})) AS groups
      FROM (
        SELECT ${['session_key', ...keys, ...aggregates].join(', ')},
               max(happened_at) AS last_at, min(happened_at) AS first_at, ${ordinal} AS ordinal
        FROM ${table} WHERE ${WHERE_SESSION} AND happened_at >= $3
        GROUP BY ${['session_key', ...keys].join(', ')}
      )
      GROUP BY session_key
    )`;
}

const VIEW_COLUMNS = 'session_key, happened_at, url, referrer, seq, source, event_index';

/** Coalesced, because arg_min and arg_max ignore nulls. */
const viewed = (pick: 'arg_min' | 'arg_max', column: string, { tieBreak }: SourceList) =>
  `nullif(${pick}(coalesce(${column}, ''), (happened_at, ${tieBreak})) FILTER (type IN (${pageview}, ${EXPIRED})), '')`;

/** Separate statements: a single UNION is hardly faster and takes 60 MB more memory. */
const summaryParts = (sources: SourceList) => [
  `SELECT 'session_events' AS source, session_key, max(happened_at) FILTER (type <> ${EXPIRED}) AS last_at,
          count(*) FILTER (type = ${pageview}) AS pageviews, count(*) FILTER (type = ${event}) AS events,
          ${viewed('arg_min', 'url', sources)} AS entry_url, ${viewed('arg_max', 'url', sources)} AS exit_url,
          ${viewed('arg_min', 'referrer', sources)} AS referrer
   FROM (SELECT type, ${VIEW_COLUMNS} FROM session_events WHERE ${WHERE_SESSION} AND happened_at >= $3
         UNION ALL SELECT ${EXPIRED}, ${VIEW_COLUMNS} FROM expired_views WHERE ${WHERE_SESSION})
   GROUP BY session_key`,
  firstGroups(sources, 'exposures', 'exposures', ['split_test', 'variation'], {}, ['bot']),
  firstGroups(sources, 'goals', 'conversions', ['goal'], {
    net: 'sum(direction)',
    amount_micros: 'sum(amount_micros)',
  }),
  `SELECT 'feedback' AS source, session_key, max(happened_at) AS last_at, count(*) AS entries
   FROM feedback WHERE ${WHERE_SESSION} AND happened_at >= $3 GROUP BY session_key`,
];

const collectPart = (botDevice: number, order: string) =>
  `SELECT 'collects' AS source, session_key, arg_max(visitor_id, ${order}) AS visitor_id,
          arg_max(user_id, ${order}) AS user_id, arg_max(country, ${order}) AS country, arg_max(device, ${order}) AS device,
          arg_max(browser, ${order}) AS browser, arg_max(os, ${order}) AS os, bool_or(device = ${botDevice}) AS bot
   FROM collects WHERE ${WHERE_SESSION} AND seen_until >= $3 GROUP BY session_key`;

const EXPIRED_BOTS = `SELECT 'sessions' AS source, session_key FROM sessions
   WHERE ${WHERE_SESSION} AND started_at >= $3 AND expired_bot`;

type SummaryRow = { session_key: bigint } & (
  | {
      source: 'session_events';
      last_at: bigint | null;
      pageviews: bigint;
      events: bigint;
      entry_url: string | null;
      exit_url: string | null;
      referrer: string | null;
    }
  | {
      source: 'exposures';
      last_at: bigint;
      split_test: number;
      variation: number;
      first_at: bigint;
      bot: boolean | null;
    }
  | { source: 'goals'; last_at: bigint; goal: number; net: bigint; amount_micros: bigint }
  | { source: 'feedback'; last_at: bigint; entries: bigint }
  | {
      source: 'collects';
      visitor_id: string;
      user_id: string | null;
      country: number;
      device: number;
      browser: number;
      os: number;
      bot: boolean;
    }
  | { source: 'sessions' }
);

/** Builds the summaries of sessions from their events. The caller holds a snapshot. */
export async function summariesOf(
  { connection, terms, sources }: QueryContext,
  property: number,
  sessions: readonly StoredSession[],
  ownHosts?: readonly string[],
): Promise<SessionSummary[]> {
  if (sessions.length === 0) return [];
  const builders = new Map(
    sessions.map((session) => [session.key, new SummaryBuilder(session, terms, ownHosts)]),
  );
  // No event is older than the start of its session, so the scans begin at the oldest start.
  const since = sessions.reduce((min, { startedAt }) => Math.min(min, startedAt), Number.MAX_SAFE_INTEGER);
  const keys = sessions.map(({ key }) => key).join(',');
  for (const part of [
    ...summaryParts(sources),
    collectPart(botTerm(terms), sources.collectOrder),
    EXPIRED_BOTS,
  ]) {
    for (const row of await recordsOf<SummaryRow>(connection, part, [property, keys, since])) {
      builders.get(row.session_key)?.add(row);
    }
  }
  return sessions.map(({ key }) => (builders.get(key) as SummaryBuilder).finish());
}

class SummaryBuilder {
  readonly #terms: TermDictionary;
  readonly #ownHosts: readonly string[] | undefined;
  readonly #summary: SessionSummary;
  #lastBrowserEvent = Number.NEGATIVE_INFINITY;
  #lastServerEvent: number;

  constructor(
    { sessionId, startedAt }: StoredSession,
    terms: TermDictionary,
    ownHosts: readonly string[] | undefined,
  ) {
    this.#terms = terms;
    this.#ownHosts = ownHosts;
    this.#lastServerEvent = startedAt;
    const identity = { visitorId: null, userId: null };
    const client = { country: null, device: null, browser: null, os: null, bot: false };
    const visit = { entryUrl: null, exitUrl: null, referrer: null, pageviews: 0, events: 0 };
    const outcome = { exposures: [], goals: [], feedback: 0 };
    const times = { startedAt, lastSeenAt: startedAt };
    this.#summary = { sessionId, ...identity, ...times, ...visit, ...client, ...outcome };
  }

  add(row: SummaryRow): void {
    // Collected events and exposures come from the browser; goals and feedback may come from a server.
    if (row.source === 'session_events' || row.source === 'exposures') {
      const lastAt = row.last_at === null ? Number.NEGATIVE_INFINITY : Number(row.last_at);
      this.#lastBrowserEvent = Math.max(this.#lastBrowserEvent, lastAt);
    } else if (row.source === 'goals' || row.source === 'feedback') {
      this.#lastServerEvent = Math.max(this.#lastServerEvent, Number(row.last_at));
    }
    Object.assign(this.#summary, this.#fieldsOf(row));
  }

  finish(): SessionSummary {
    const hasBrowserEvent = this.#lastBrowserEvent > Number.NEGATIVE_INFINITY;
    return { ...this.#summary, lastSeenAt: hasBrowserEvent ? this.#lastBrowserEvent : this.#lastServerEvent };
  }

  #fieldsOf(row: SummaryRow): Partial<SessionSummary> {
    const { exposures, goals, bot } = this.#summary;
    switch (row.source) {
      case 'session_events': {
        const { entry_url: entryUrl, exit_url: exitUrl } = row;
        const referrer = externalReferrer({ url: entryUrl, referrer: row.referrer }, this.#ownHosts);
        return { entryUrl, exitUrl, referrer, pageviews: Number(row.pageviews), events: Number(row.events) };
      }
      case 'exposures': {
        const [splitTestKey, variationKey] = [this.#text(row.split_test), this.#text(row.variation)];
        const shown = { splitTestKey, variationKey, at: Number(row.first_at) };
        return { exposures: [...exposures, shown], bot: bot || row.bot === true };
      }
      case 'goals': {
        const [count, amountMicros] = [Number(row.net), Number(row.amount_micros)];
        return { goals: [...goals, { goalId: this.#text(row.goal), count, amountMicros }] };
      }
      case 'feedback':
        return { feedback: Number(row.entries) };
      case 'collects':
        return {
          visitorId: row.visitor_id,
          userId: row.user_id,
          country: this.#terms.textOf(row.country),
          device: this.#terms.textOf(row.device),
          browser: this.#terms.textOf(row.browser),
          os: this.#terms.textOf(row.os),
          bot: bot || row.bot,
        };
      case 'sessions':
        return { bot: true };
    }
  }

  #text(term: number): string {
    return this.#terms.textOf(term) ?? '';
  }
}

/** Visitors and users of the sessions; sessions without a collect are omitted. */
export async function identitiesOf(
  { connection, registry, sources }: QueryContext,
  property: number,
  keys: readonly bigint[],
): Promise<Map<bigint, SessionIdentity>> {
  if (keys.length === 0) return new Map();
  const order = sources.collectOrder;
  const rows = await rowsOf<[bigint, string, string | null]>(
    connection,
    `SELECT session_key, arg_max(visitor_id, ${order}), arg_max(user_id, ${order}) FROM collects
     WHERE ${WHERE_SESSION} AND seen_until >= $3 GROUP BY session_key`,
    [property, keys.join(','), earliestStart(registry, keys)],
  );
  return new Map(rows.map(([key, visitorId, userId]) => [key, { visitorId, userId }]));
}

/** If all starts are cached, a scan reads only the latest blocks. */
export function earliestStart(registry: SessionRegistry, keys: readonly bigint[]): number {
  let earliest = Number.MAX_SAFE_INTEGER;
  for (const key of keys) {
    earliest = Math.min(earliest, registry.startOf(key) ?? Number.MIN_SAFE_INTEGER);
  }
  return earliest;
}
