import type { TrafficCounts, TrafficCountsQuery } from '../../../store/traffic-queries.ts';
import { keyList, recordsOf } from '../../connection/sql.ts';
import type { QueryContext } from '../query-context.ts';
import { TrafficSessions } from './traffic-sessions.ts';

type CountsRow = { start: bigint; bot: boolean } & Record<
  'visitors' | 'sessions' | 'pageviews' | 'bounces' | 'duration' | 'conversions' | 'micros' | 'feedback',
  bigint | null
>;

/** Counts of a period by bucket. The caller holds a snapshot. */
export async function trafficCounts(
  context: QueryContext,
  query: TrafficCountsQuery,
): Promise<TrafficCounts[]> {
  const sessions = await TrafficSessions.of(context, query, { withOutcomes: true });
  if (!sessions) return [];
  const happened = `property = ${sessions.property} AND ${sessions.inPeriod('happened_at')}`;
  const starts = keyList(sessions.values.add(query.starts.join(',')));
  const rows = await recordsOf<CountsRow>(
    context.connection,
    `WITH ${sessions.tables},
     starts AS MATERIALIZED (SELECT start FROM ${starts} AS listed(start)),
     outcomes AS (
       SELECT session_key, happened_at, direction, ${revenue(context, query)} AS amount_micros, 0 AS entries
       FROM conversions WHERE ${happened}
       UNION ALL SELECT session_key, happened_at, 0, 0, 1 FROM feedback WHERE ${happened})
     SELECT start, bot, count(DISTINCT unit) AS visitors, count(*) AS sessions, sum(pageviews) AS pageviews,
            count(*) FILTER (bounced) AS bounces, sum(duration) AS duration,
            NULL AS conversions, NULL AS micros, NULL AS feedback
     FROM visits ASOF JOIN starts ON started_at >= start GROUP BY start, bot
     UNION ALL
     SELECT start, bot, NULL, NULL, NULL, NULL, NULL, sum(direction), sum(amount_micros), sum(entries)
     FROM (SELECT outcomes.*, bots.session_key IS NOT NULL AS bot FROM outcomes
           ${sessions.hasFilters ? 'SEMI JOIN matching USING (session_key)' : ''}
           LEFT JOIN bots USING (session_key))
     ASOF JOIN starts ON happened_at >= start GROUP BY start, bot`,
    sessions.values.list,
  );
  const buckets = new Map<string, TrafficCounts>();
  for (const row of rows) {
    const key = `${row.start} ${row.bot}`;
    buckets.set(key, add(buckets.get(key) ?? emptyCounts(row), row));
  }
  return [...buckets.values()];
}

/** SQL for the revenue of a conversion. */
function revenue({ terms }: QueryContext, { revenueGoalIds }: TrafficCountsQuery): string {
  if (revenueGoalIds === undefined) return 'amount_micros';
  // No goal has the term 0.
  const goals = [0, ...revenueGoalIds.flatMap((goalId) => terms.find(goalId) ?? [])];
  return `CASE WHEN goal IN (${goals.join(', ')}) THEN amount_micros ELSE 0 END`;
}

const emptyCounts = ({ start, bot }: CountsRow): TrafficCounts => ({
  at: Number(start),
  bot,
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
  return {
    ...counts,
    visitors: counts.visitors + Number(row.visitors),
    sessions: counts.sessions + Number(row.sessions),
    pageviews: counts.pageviews + Number(row.pageviews),
    bounces: counts.bounces + Number(row.bounces),
    durationMs: counts.durationMs + Number(row.duration),
    conversions: counts.conversions + Number(row.conversions),
    amountMicros: counts.amountMicros + (row.micros ?? 0n),
    feedback: counts.feedback + Number(row.feedback),
  };
}
