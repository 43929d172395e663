import type {
  TrafficBreakdown,
  TrafficBucket,
  TrafficLive,
  TrafficReceived,
  TrafficRow,
  TrafficSeries,
  TrafficSummary,
  TrafficTotals,
} from '@switchyard/core/api/traffic';
import { toDollars } from '@switchyard/core/money';
import { previousPeriod } from '@switchyard/core/previous-period';
import { timeZone } from '@switchyard/core/time-zone';
import type { TrafficCounts, VisitCounts } from '../../events/store/traffic-queries.ts';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';
import { timeBuckets } from '../../http/contract/time-buckets.ts';
import type { TrafficRequest, TrafficScope } from './traffic-request.ts';

type TrafficQueries = Pick<
  EventStoreClient,
  'trafficCounts' | 'trafficBreakdown' | 'liveVisitors' | 'receivedTimes'
>;

type RequestOf<Question extends TrafficRequest['question']> = TrafficRequest & { question: Question };

const LIVE_MS = 5 * 60 * 1000;
const MAX_LIVE_ROWS = 10;

/** The response to a question about traffic. Runs on the report thread. */
export async function trafficReport(
  eventStore: TrafficQueries,
  request: TrafficRequest,
): Promise<{ contentType: string; text: string }> {
  const text = JSON.stringify(await responseTo(eventStore, request));
  return { contentType: 'application/json; charset=utf-8', text };
}

function responseTo(eventStore: TrafficQueries, request: TrafficRequest): Promise<object> {
  switch (request.question) {
    case 'summary':
      return summary(eventStore, request);
    case 'series':
      return series(eventStore, request);
    case 'breakdown':
      return breakdown(eventStore, request);
    case 'live':
      return live(eventStore, request);
    case 'received':
      return eventStore.receivedTimes(request.propertyId) satisfies Promise<TrafficReceived>;
  }
}

async function summary(eventStore: TrafficQueries, { scope }: RequestOf<'summary'>): Promise<TrafficSummary> {
  const { from } = scope.query;
  const before = previousPeriod(timeZone(scope.timeZone), scope.query, scope.asOf, scope.compare);
  // Between them can be time that neither has.
  const starts = [...new Set([before.from, before.to, from])];
  const counts = await eventStore.trafficCounts({ ...scope.query, from: before.from, starts });
  const find = (at: number, bot: boolean) => counts.find((it) => it.at === at && it.bot === bot);
  const bots = find(from, true);
  return {
    ...periodOf(scope),
    current: totals(find(from, scope.bot)),
    previous: totals(find(before.from, scope.bot)),
    previousPeriod: { from: before.from, to: before.to },
    bots: { sessions: bots?.sessions ?? 0, visitors: bots?.visitors ?? 0 },
  };
}

async function series(
  eventStore: TrafficQueries,
  { scope, interval }: RequestOf<'series'>,
): Promise<TrafficSeries> {
  const zone = timeZone(scope.timeZone);
  const listed = timeBuckets(zone, interval, { ...scope.query, now: scope.asOf });
  const starts = listed.map(({ at }) => at);
  const counts = await eventStore.trafficCounts({ ...scope.query, starts });
  const byStart = new Map(counts.filter(({ bot }) => bot === scope.bot).map((it) => [it.at, it]));
  const buckets = listed.map(({ at, partial }): TrafficBucket => {
    const { feedback: _feedback, ...bucket } = totals(byStart.get(at));
    return { at, ...bucket, ...(partial && { partial }) };
  });
  return { ...periodOf(scope), interval, buckets };
}

async function breakdown(
  eventStore: TrafficQueries,
  { scope, by, limit }: RequestOf<'breakdown'>,
): Promise<TrafficBreakdown> {
  const { rows, values } = await eventStore.trafficBreakdown({ ...scope.query, by, bot: scope.bot, limit });
  return {
    ...periodOf(scope),
    by,
    rows: rows.map(({ value, ...counts }): TrafficRow => ({ value, ...visits(counts) })),
    rest: { rows: values - rows.length },
  };
}

async function live(eventStore: TrafficQueries, { propertyId, at }: RequestOf<'live'>): Promise<TrafficLive> {
  const found = await eventStore.liveVisitors({ propertyId, since: at - LIVE_MS, limit: MAX_LIVE_ROWS });
  return {
    at,
    visitors: found.visitors,
    pages: found.pages.map(({ value, visitors }) => ({ page: value, visitors })),
    countries: found.countries.map(({ value, visitors }) => ({ country: value, visitors })),
  };
}

const periodOf = ({ query: { from, to }, asOf, timeZone: zone }: TrafficScope) => ({
  from,
  to,
  asOf,
  timeZone: timeZone(zone).name,
});

const EMPTY: Omit<TrafficCounts, 'at' | 'bot'> = {
  visitors: 0,
  sessions: 0,
  pageviews: 0,
  bounces: 0,
  durationMs: 0,
  conversions: 0,
  amountMicros: 0n,
  feedback: 0,
};

function totals(counts: Omit<TrafficCounts, 'at' | 'bot'> = EMPTY): TrafficTotals {
  const { sessions, durationMs, conversions, amountMicros, feedback } = counts;
  return {
    ...visits(counts),
    averageDurationSeconds: sessions === 0 ? null : Math.round(durationMs / sessions) / 1000,
    conversions,
    revenue: toDollars(amountMicros),
    feedback,
  };
}

function visits({ visitors, sessions, pageviews, bounces }: VisitCounts): Omit<TrafficRow, 'value'> {
  return { visitors, sessions, pageviews, bounceRate: sessions === 0 ? null : bounces / sessions };
}
