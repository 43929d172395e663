import type { TrafficCounts, TrafficCountsQuery } from '../../../store/traffic-queries.ts';
import type { SqlValues } from '../../connection/sql-values.ts';
import { botSessions } from '../bot-sessions.ts';
import type { QueryContext } from '../query-context.ts';
import { countsOnce } from '../repeated-events.ts';
import { SESSION_KEY } from '../units.ts';
import { TrafficSessions } from './traffic-sessions.ts';

type CountsRow = [
  start: string,
  bot: boolean,
  visitors: string,
  sessions: string,
  pageviews: string,
  bounces: string,
  duration: string,
  conversions: string,
  micros: string,
  feedback: string,
];

/** Counts of a period by bucket. */
export async function trafficCounts(
  { clickhouse, signal }: QueryContext,
  query: TrafficCountsQuery,
): Promise<TrafficCounts[]> {
  const { tables } = clickhouse;
  const sessions = new TrafficSessions(tables, query, { withOutcomes: true });
  const { property, values } = sessions;
  const starts = values.integers(query.starts);
  const outcomes = (table: 'conversions' | 'feedback', counts: string) =>
    `SELECT session_id, has_session, happened_at, ${counts} FROM ${tables.of(table)}
     WHERE ${property} AND ${sessions.inPeriod('happened_at')}
       AND ${countsOnce(tables, sessions.propertyId)}`;
  const ofMatching = sessions.hasFilters
    ? `WHERE has_session AND ${SESSION_KEY} IN (SELECT session FROM (${sessions.matching}))`
    : '';
  const rows = await clickhouse.rows<CountsRow>(
    `SELECT roundDown(started_at, ${starts}) AS start, bot, uniqExact(unit), count(), sum(pageviews),
       countIf(bounced), sum(duration), toInt64(0), '0', toUInt64(0)
     FROM (${sessions.visits}) GROUP BY start, bot
     UNION ALL
     SELECT roundDown(happened_at, ${starts}) AS start, has_session AND session_id IN (${botSessions(tables, property)}) AS bot,
       0, 0, 0, 0, 0, sum(direction), toString(sum(toInt128(revenue))), sum(entries)
     FROM (${outcomes('conversions', `toInt64(direction) AS direction, ${revenue(query, values)} AS revenue, toUInt64(0) AS entries`)}
           UNION ALL ${outcomes('feedback', '0, 0, 1')})
     ${ofMatching} GROUP BY start, bot`,
    values.parameters,
    signal,
  );
  const buckets = new Map<string, TrafficCounts>();
  for (const row of rows) {
    const key = `${row[0]} ${row[1]}`;
    buckets.set(key, add(buckets.get(key) ?? emptyCounts(row), row));
  }
  return [...buckets.values()];
}

/** SQL for the revenue of a conversion. No goal has an empty id. */
const revenue = ({ revenueGoalIds }: TrafficCountsQuery, values: SqlValues) =>
  revenueGoalIds === undefined
    ? 'amount_micros'
    : `if(goal IN ${values.texts(['', ...revenueGoalIds])}, amount_micros, 0)`;

const emptyCounts = ([start, bot]: CountsRow): TrafficCounts => ({
  at: Number(start),
  bot: Boolean(bot),
  visitors: 0,
  sessions: 0,
  pageviews: 0,
  bounces: 0,
  durationMs: 0,
  conversions: 0,
  amountMicros: 0n,
  feedback: 0,
});

/** A row has either the counts of sessions or those of conversions and feedback. */
function add(counts: TrafficCounts, row: CountsRow): TrafficCounts {
  const [, , visitors, sessions, pageviews, bounces, duration, conversions, micros, feedback] = row;
  return {
    ...counts,
    visitors: counts.visitors + Number(visitors),
    sessions: counts.sessions + Number(sessions),
    pageviews: counts.pageviews + Number(pageviews),
    bounces: counts.bounces + Number(bounces),
    durationMs: counts.durationMs + Number(duration),
    conversions: counts.conversions + Number(conversions),
    amountMicros: counts.amountMicros + BigInt(micros),
    feedback: counts.feedback + Number(feedback),
  };
}
