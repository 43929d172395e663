import { BOT_DEVICE, isUnitSession } from '../../../store/accepted-request.ts';
import { externalReferrer } from '../../../store/external-referrer.ts';
import { MAX_LISTED, type SessionSummary } from '../../../store/session-summary.ts';
import { SqlValues } from '../../connection/sql-values.ts';
import type { TableNames } from '../../schema/table-names.ts';
import type { QueryContext } from '../query-context.ts';
import { countsOnce } from '../repeated-events.ts';
import { latest } from './latest-identity.ts';

/** A summary, with the attributes of the latest collect that has some. */
export type DetailedSummary = SessionSummary & { attributes: string | null };

/** The order of events; the first element is the time. */
const TIME = '(happened_at, toString(source), ordinal)';
const ENTRY = '(entry_at, toString(source), entry_ordinal)';
const EXIT = '(exit_at, toString(source), exit_ordinal)';

/** The values of each table, as they are in JSON; 64-bit integers are text. */
interface SummaryRows {
  starts: [startedAt: string, bot: boolean | number, entryUrl: string, referrer: string, exitUrl: string];
  session_events: [lastAt: string, pageviews: string, events: string];
  exposures: [
    lastAt: string,
    first: [time: [at: string, source: string, ordinal: string], test: string, variation: string][],
  ];
  conversions: [
    lastAt: string,
    first: [time: [at: string, source: string, ordinal: string], goal: string, net: string, micros: string][],
  ];
  feedback: [lastAt: string, entries: string];
  collects: [
    visitorId: string,
    userId: string | null,
    attributes: string | null,
    ...client: [country: string, device: string, browser: string, os: string],
    bot: boolean | number,
  ];
}

/**
 * One statement with a row per session and table; the values are JSON, because they differ by table. `where` filters each
 * table.
 */
function summaryStatement(tables: TableNames, where: string, property: string): string {
  const part = (name: keyof SummaryRows, values: string[], from: string) =>
    `SELECT '${name}' AS part, session_id, toJSONString(tuple(${values.join(', ')})) AS data FROM ${from} GROUP BY session_id`;
  const list = (columns: string) =>
    `arraySlice(arraySort(groupArray((first_time, ${columns}))), 1, ${MAX_LISTED})`;
  const once = (table: 'conversions' | 'feedback') =>
    `${tables.of(table)} AS ${table} WHERE ${where} AND has_session AND ${countsOnce(tables, property)}`;
  return [
    part(
      'starts',
      [
        'min(happened_at)',
        'max(bot)',
        `argMinIf(entry_url, ${ENTRY}, has_view)`,
        `argMinIf(entry_referrer, ${ENTRY}, has_view)`,
        `argMaxIf(exit_url, ${EXIT}, has_view)`,
      ],
      `${tables.of('session_starts')} WHERE ${where}`,
    ),
    part(
      'session_events',
      ['max(happened_at)', "countIf(type = 'pageview')", "countIf(type = 'event')"],
      `${tables.of('session_events')} WHERE ${where}`,
    ),
    part(
      'exposures',
      ['max(last_at)', list('split_test, variation')],
      `(SELECT session_id, toString(exposures.split_test) AS split_test, toString(exposures.variation) AS variation,
          max(happened_at) AS last_at, min(${TIME}) AS first_time
        FROM ${tables.of('exposures')} AS exposures WHERE ${where} GROUP BY session_id, split_test, variation)`,
    ),
    part(
      'conversions',
      ['max(last_at)', list('goal, net, micros')],
      `(SELECT session_id, toString(conversions.goal) AS goal, max(happened_at) AS last_at, sum(direction) AS net,
          toString(sum(toInt128(amount_micros))) AS micros, min(${TIME}) AS first_time
        FROM ${once('conversions')} GROUP BY session_id, goal)`,
    ),
    part('feedback', ['max(happened_at)', 'count()'], once('feedback')),
    part(
      'collects',
      [
        ...['visitor_id', 'user_id', 'attributes'].map(latest),
        ...['country', 'device', 'browser', 'os'].map((column) => latest(`toString(${column})`)),
        `max(device = '${BOT_DEVICE}')`,
      ],
      `${tables.of('collects')} WHERE ${where}`,
    ),
  ].join('\nUNION ALL\n');
}

/** The summaries of sessions, from their events; by id. A session that was deleted has none. */
export async function summariesOf(
  { clickhouse }: QueryContext,
  propertyId: string,
  sessionIds: readonly string[],
  ownHosts?: readonly string[],
): Promise<Map<string, DetailedSummary>> {
  if (sessionIds.length === 0) return new Map();
  const values = new SqlValues();
  const property = values.text(propertyId);
  const where = `property = ${property} AND session_id IN ${values.texts(sessionIds)}`;
  const rows = await clickhouse.rows<[part: keyof SummaryRows, sessionId: string, data: string]>(
    summaryStatement(clickhouse.tables, where, property),
    values.parameters,
  );
  const bySession = new Map<string, Partial<SummaryRows>>();
  for (const [part, sessionId, data] of rows) {
    bySession.set(sessionId, { ...bySession.get(sessionId), [part]: JSON.parse(data) });
  }
  const summaries = new Map<string, DetailedSummary>();
  for (const [sessionId, { starts, ...rest }] of bySession) {
    const start = starts ?? unitStart(sessionId, rest.exposures);
    if (start) summaries.set(sessionId, summaryOf(sessionId, start, rest, ownHosts));
  }
  return summaries;
}

/** A unit session has no start of its own. */
function unitStart(sessionId: string, exposures: SummaryRows['exposures'] | undefined) {
  const [first] = exposures?.[1] ?? [];
  if (first === undefined || !isUnitSession(sessionId)) return undefined;
  const [[at]] = first;
  return [at, false, '', '', ''] satisfies SummaryRows['starts'];
}

function summaryOf(
  sessionId: string,
  [start, startedByBot, entryUrl, referrer, exitUrl]: SummaryRows['starts'],
  { session_events, exposures, conversions, feedback, collects }: Partial<Omit<SummaryRows, 'starts'>>,
  ownHosts: readonly string[] | undefined,
): DetailedSummary {
  const startedAt = Number(start);
  const [visitorId, userId, attributes, country, device, browser, os] = collects ?? [null, null, null];
  // Collected events and exposures come from the browser; goals and feedback may come from a server.
  const fromBrowser = [session_events, exposures].flatMap((part) => (part ? [Number(part[0])] : []));
  const fromServer = [conversions, feedback].flatMap((part) => (part ? [Number(part[0])] : []));
  const lastSeenAt = Math.max(...(fromBrowser.length > 0 ? fromBrowser : [startedAt, ...fromServer]));
  return {
    sessionId,
    visitorId,
    userId,
    startedAt,
    lastSeenAt,
    entryUrl: entryUrl || null,
    exitUrl: exitUrl || null,
    referrer: externalReferrer({ url: entryUrl, referrer }, ownHosts),
    pageviews: Number(session_events?.[1] ?? 0),
    events: Number(session_events?.[2] ?? 0),
    country: country || null,
    device: device || null,
    browser: browser || null,
    os: os || null,
    bot: Boolean(startedByBot) || Boolean(collects?.[7]),
    exposures: (exposures?.[1] ?? []).map(([[at], splitTestKey, variationKey]) => ({
      splitTestKey,
      variationKey,
      at: Number(at),
    })),
    goals: (conversions?.[1] ?? []).map(([, goalId, net, micros]) => ({
      goalId,
      count: Number(net),
      amountMicros: Number(micros),
    })),
    feedback: Number(feedback?.[1] ?? 0),
    attributes,
  };
}
