import type { DuckDBConnection } from '@duckdb/node-api';
import type { SessionIdentity, SessionSummary } from '../event-store.ts';
import { SESSION_EVENT_TYPES } from './duckdb-schema.ts';
import { sessionKeyOf } from './key-hasher.ts';
import type { QuestionContext } from './question.ts';
import type { ListedSession } from './session-page.ts';
import type { SessionRegistry } from './session-registry.ts';
import { keyList, rowsOf, type SqlValue } from './sql.ts';
import type { TermDictionary } from './term-dictionary.ts';

const { pageview, event } = SESSION_EVENT_TYPES;

/** Adds to each session what its events tell. The caller holds a snapshot. */
export async function summariesOf(
  { connection, terms }: QuestionContext,
  property: number,
  sessions: readonly ListedSession[],
): Promise<SessionSummary[]> {
  if (sessions.length === 0) return [];
  const drafts = new Map(sessions.map((session) => [session.key, new SummaryDraft(session)]));
  // No event of a session is older than its start, so the scans begin at the oldest one of the page.
  const since = sessions.reduce(
    (least, { startedAt }) => Math.min(least, startedAt),
    Number.MAX_SAFE_INTEGER,
  );
  const values: SqlValue[] = [property, sessions.map(({ key }) => key).join(','), since];
  await readSigns(connection, values, drafts);
  await readExposures(connection, values, drafts, terms);
  await readGoals(connection, values, drafts, terms);
  await readFeedback(connection, values, drafts);
  await readCollects(connection, values, drafts, terms);
  return sessions.map(({ key }) => (drafts.get(key) as SummaryDraft).finish());
}

/** Who the sessions belong to; a session that no collect named is left out. */
export async function identitiesOf(
  { connection, registry }: QuestionContext,
  property: number,
  keys: readonly bigint[],
): Promise<Map<bigint, SessionIdentity>> {
  if (keys.length === 0) return new Map();
  const rows = await rowsOf<[bigint, string, string | null]>(
    connection,
    `SELECT session_key, arg_max(visitor_id, seq), arg_max(user_id, seq) FROM collects
     WHERE ${WHERE_SESSION} AND seen_until >= $3 GROUP BY session_key`,
    [property, keys.join(','), earliestStart(registry, keys)],
  );
  return new Map(rows.map(([key, visitorId, userId]) => [key, { visitorId, userId }]));
}

/** With all the starts at hand, a scan reads the latest blocks only. */
export function earliestStart(registry: SessionRegistry, keys: readonly bigint[]): number {
  let earliest = Number.MAX_SAFE_INTEGER;
  for (const key of keys) {
    earliest = Math.min(earliest, registry.startOf(sessionKeyOf(key)) ?? Number.MIN_SAFE_INTEGER);
  }
  return earliest;
}

const WHERE_SESSION = `property = $1 AND session_key IN ${keyList('$2')}`;

type Drafts = ReadonlyMap<bigint, SummaryDraft>;

class SummaryDraft {
  readonly summary: SessionSummary;
  #lastSign = Number.NEGATIVE_INFINITY;
  #lastEvent: number;

  constructor({ sessionId, startedAt }: ListedSession) {
    this.#lastEvent = startedAt;
    this.summary = {
      sessionId,
      visitorId: null,
      userId: null,
      startedAt,
      lastSeenAt: startedAt,
      entryUrl: null,
      exitUrl: null,
      referrer: null,
      pageviews: 0,
      events: 0,
      country: null,
      device: null,
      browser: null,
      os: null,
      exposures: [],
      goals: [],
      feedback: 0,
    };
  }

  /** The browser was heard. */
  signAt(at: bigint): void {
    this.#lastSign = Math.max(this.#lastSign, Number(at));
  }

  /** A server spoke of the session. */
  eventAt(at: bigint): void {
    this.#lastEvent = Math.max(this.#lastEvent, Number(at));
  }

  finish(): SessionSummary {
    const heard = this.#lastSign > Number.NEGATIVE_INFINITY;
    this.summary.lastSeenAt = heard ? this.#lastSign : this.#lastEvent;
    return this.summary;
  }
}

async function readSigns(connection: DuckDBConnection, values: SqlValue[], drafts: Drafts): Promise<void> {
  type Row = [bigint, bigint, bigint, bigint, string | null, string | null, string | null];
  const rows = await rowsOf<Row>(
    connection,
    `SELECT session_key, max(happened_at), count(*) FILTER (type = ${pageview}), count(*) FILTER (type = ${event}),
            arg_min(url, (happened_at, rowid)) FILTER (type = ${pageview}),
            arg_max(url, (happened_at, rowid)) FILTER (type = ${pageview}),
            arg_min(referrer, (happened_at, rowid)) FILTER (referrer <> '')
     FROM session_events WHERE ${WHERE_SESSION} AND happened_at >= $3 GROUP BY session_key`,
    values,
  );
  for (const [key, lastAt, pageviews, events, entryUrl, exitUrl, referrer] of rows) {
    const draft = drafts.get(key);
    draft?.signAt(lastAt);
    Object.assign(draft?.summary ?? {}, {
      pageviews: Number(pageviews),
      events: Number(events),
      entryUrl,
      exitUrl,
      referrer,
    });
  }
}

async function readExposures(
  connection: DuckDBConnection,
  values: SqlValue[],
  drafts: Drafts,
  terms: TermDictionary,
): Promise<void> {
  const rows = await rowsOf<[bigint, number, number, bigint, bigint]>(
    connection,
    `SELECT session_key, split_test, variation, min(happened_at) AS first_at, max(happened_at)
     FROM exposures WHERE ${WHERE_SESSION} AND happened_at >= $3
     GROUP BY session_key, split_test, variation ORDER BY first_at, min(rowid)`,
    values,
  );
  for (const [key, splitTest, variation, firstAt, lastAt] of rows) {
    const draft = drafts.get(key);
    draft?.signAt(lastAt);
    draft?.summary.exposures.push({
      splitTestKey: terms.textOf(splitTest) ?? '',
      variationKey: terms.textOf(variation) ?? '',
      at: Number(firstAt),
    });
  }
}

async function readGoals(
  connection: DuckDBConnection,
  values: SqlValue[],
  drafts: Drafts,
  terms: TermDictionary,
): Promise<void> {
  const rows = await rowsOf<[bigint, number, bigint, bigint, bigint]>(
    connection,
    `SELECT session_key, goal, sum(direction), sum(amount_micros), max(happened_at)
     FROM conversions WHERE ${WHERE_SESSION} AND happened_at >= $3
     GROUP BY session_key, goal ORDER BY min(happened_at), min(rowid)`,
    values,
  );
  for (const [key, goal, count, amountMicros, lastAt] of rows) {
    const draft = drafts.get(key);
    draft?.eventAt(lastAt);
    draft?.summary.goals.push({
      goalId: terms.textOf(goal) ?? '',
      count: Number(count),
      amountMicros: Number(amountMicros),
    });
  }
}

async function readFeedback(connection: DuckDBConnection, values: SqlValue[], drafts: Drafts): Promise<void> {
  const rows = await rowsOf<[bigint, bigint, bigint]>(
    connection,
    `SELECT session_key, count(*), max(happened_at) FROM feedback
     WHERE ${WHERE_SESSION} AND happened_at >= $3 GROUP BY session_key`,
    values,
  );
  for (const [key, count, lastAt] of rows) {
    const draft = drafts.get(key);
    draft?.eventAt(lastAt);
    if (draft) draft.summary.feedback = Number(count);
  }
}

async function readCollects(
  connection: DuckDBConnection,
  values: SqlValue[],
  drafts: Drafts,
  terms: TermDictionary,
): Promise<void> {
  const rows = await rowsOf<[bigint, string, string | null, number, number, number, number]>(
    connection,
    `SELECT session_key, arg_max(visitor_id, seq), arg_max(user_id, seq), arg_max(country, seq),
            arg_max(device, seq), arg_max(browser, seq), arg_max(os, seq)
     FROM collects WHERE ${WHERE_SESSION} AND seen_until >= $3 GROUP BY session_key`,
    values,
  );
  for (const [key, visitorId, userId, country, device, browser, os] of rows) {
    Object.assign(drafts.get(key)?.summary ?? {}, {
      visitorId,
      userId,
      country: terms.textOf(country),
      device: terms.textOf(device),
      browser: terms.textOf(browser),
      os: terms.textOf(os),
    });
  }
}
