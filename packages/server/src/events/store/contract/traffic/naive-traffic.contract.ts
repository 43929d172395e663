import type { TrafficDimension } from '@switchyard/core/api/traffic';
import type {
  LiveCount,
  LiveQuery,
  LiveVisitors,
  ParameterQuery,
  ReceivedTimes,
  TrafficBreakdown,
  TrafficBreakdownQuery,
  TrafficCounts,
  TrafficCountsQuery,
  TrafficFilters,
  VisitCounts,
} from '../../traffic-queries.ts';
import type { NaiveSession, NaiveTraffic } from '../naive-event-store.contract.ts';

type Url = string | null | undefined;

export function pageOf(url: Url): string | null {
  if (!url) return null;
  const path = url.split(/[?#]/, 1)[0]!.replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/]*/i, '');
  return [...(path.startsWith('/') ? path : `/${path}`)].slice(0, 500).join('');
}

const hostOf = (url: Url) => /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url ?? '')?.[1]?.toLowerCase();

function utmOf(url: Url, name: string): string | null {
  const parameters = (url ?? '').split('#', 1)[0]!.split(/[?&]/).slice(1);
  const encoded = parameters.find((it) => it.startsWith(`${name}=`))?.slice(name.length + 1);
  const value = decoded((encoded ?? '').replaceAll('+', ' '));
  return value === '' || value === '(none)' ? null : value;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const viewsOf = ({ timeline }: NaiveSession) =>
  timeline.flatMap((line) => (line.type === 'pageview' ? [line] : []));
const known = (text: string | null) => (text === 'unknown' ? null : text);

/** The values of a session: one, except for pages. */
function valuesOf(session: NaiveSession, dimension: TrafficDimension): (string | null)[] {
  switch (dimension) {
    case 'page':
      return [...new Set(viewsOf(session).map(({ url }) => pageOf(url)))];
    case 'entryPage':
      return [pageOf(session.entryUrl)];
    case 'exitPage':
      return [pageOf(session.exitUrl)];
    case 'referrer':
      return [hostOf(session.referrer) || null];
    case 'country':
    case 'device':
    case 'browser':
    case 'os':
      return [known(session[dimension])];
    default:
      return [
        utmOf(
          session.entryUrl,
          dimension.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`),
        ),
      ];
  }
}

const matches = (session: NaiveSession, filters: TrafficFilters) =>
  Object.entries(filters).every(([dimension, value]) =>
    valuesOf(session, dimension as TrafficDimension).includes(value),
  );

const isBot = ({ sessions }: NaiveTraffic, sessionId: string | undefined) =>
  sessions.some((it) => it.sessionId === sessionId && it.bot);

const unitOf = ({ visitorId, sessionId }: NaiveSession) => JSON.stringify(visitorId ?? [sessionId]);

function visitCounts(sessions: readonly NaiveSession[], page?: string | null): VisitCounts {
  const isEngagement = (type: string) => ['event', 'goal', 'feedback'].includes(type);
  const views = sessions.flatMap(viewsOf);
  return {
    visitors: new Set(sessions.map(unitOf)).size,
    sessions: sessions.length,
    pageviews: views.filter(({ url }) => page === undefined || pageOf(url) === page).length,
    bounces: sessions.filter(
      (it) => it.pageviews === 1 && !it.timeline.some(({ type }) => isEngagement(type)),
    ).length,
  };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, it) => total + it, 0);

/** With empty buckets. */
export function naiveCounts(
  traffic: NaiveTraffic,
  { from, to, starts, filters }: TrafficCountsQuery,
): TrafficCounts[] {
  const hasFilters = Object.keys(filters).length > 0;
  const matching = traffic.sessions.filter((it) => matches(it, filters));
  return starts.flatMap((at, index) =>
    [false, true].map((bot) => {
      const end = starts[index + 1] ?? Number.POSITIVE_INFINITY;
      const isInside = (time: number) => time >= Math.max(from, at) && time < Math.min(to, end);
      const sessions = matching.filter(
        ({ startedAt, sessionId }) => isInside(startedAt) && isBot(traffic, sessionId) === bot,
      );
      const lines = traffic.events
        .filter((it) => isInside(it.at) && isBot(traffic, it.sessionId) === bot)
        .filter((it) => !hasFilters || matching.some(({ sessionId }) => sessionId === it.sessionId))
        .flatMap(({ line }) => line ?? []);
      const goals = lines.filter((line) => line.type === 'goal');
      return {
        at,
        bot,
        ...visitCounts(sessions),
        durationMs: sum(sessions.map(({ lastSeenAt, startedAt }) => lastSeenAt - startedAt)),
        conversions: sum(goals.map(({ count }) => count)),
        amountMicros: BigInt(sum(goals.map(({ amountMicros }) => amountMicros))),
        feedback: lines.filter((line) => line.type === 'feedback').length,
      };
    }),
  );
}

function byValue(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

export function naiveBreakdown(
  traffic: NaiveTraffic,
  { from, to, filters, by, bot, limit }: TrafficBreakdownQuery,
): TrafficBreakdown {
  const sessions = traffic.sessions.filter(
    (it) =>
      it.startedAt >= from &&
      it.startedAt < to &&
      matches(it, filters) &&
      isBot(traffic, it.sessionId) === bot,
  );
  const values = [...new Set(sessions.flatMap((it) => valuesOf(it, by)))];
  const rows = values.map((value) => {
    const own = sessions.filter((it) => valuesOf(it, by).includes(value));
    return { value, ...visitCounts(own, by === 'page' ? value : undefined) };
  });
  rows.sort((a, b) => b.visitors - a.visitors || b.sessions - a.sessions || byValue(a.value, b.value));
  return { rows: rows.slice(0, limit), values: values.length };
}

export function naiveParameterValues(
  traffic: NaiveTraffic,
  { name, values, from }: ParameterQuery,
): string[] {
  const urls = traffic.events
    .filter(({ at, sessionId }) => at >= from && !isBot(traffic, sessionId))
    .flatMap(({ line }) => (line?.type === 'pageview' && line.url ? [line.url] : []));
  const found = urls.map((url) => {
    const [page = ''] = url.split('#', 1);
    const parameters = page.includes('?') ? page.slice(page.indexOf('?') + 1).split('&') : [];
    return parameters.find((it) => values.some((value) => it === `${name}=${value}`));
  });
  return values.filter((value) => found.includes(`${name}=${value}`));
}

export function naiveLive(traffic: NaiveTraffic, { since, limit }: LiveQuery): LiveVisitors {
  const isActive = (sessionId: string) =>
    traffic.collects.some((it) => it.sessionId === sessionId && it.receivedAt >= since) ||
    traffic.events.some(
      (it) => it.sessionId === sessionId && it.line?.type === 'exposure' && it.receivedAt >= since,
    );
  const active = traffic.sessions.filter(
    ({ sessionId }) => isActive(sessionId) && !isBot(traffic, sessionId),
  );
  const units = new Map<string, { page: string | null; country: string | null }>();
  for (const unit of new Set(active.map(unitOf))) {
    const own = new Set(active.filter((it) => unitOf(it) === unit).map(({ sessionId }) => sessionId));
    const views = traffic.events
      .filter(({ sessionId = '' }) => own.has(sessionId))
      .toSorted((a, b) => a.at - b.at)
      .flatMap(({ line }) => (line?.type === 'pageview' ? [line] : []));
    const collect = traffic.collects.findLast(({ sessionId }) => own.has(sessionId));
    units.set(unit, { page: pageOf(views.at(-1)?.url), country: collect?.country ?? null });
  }
  const largest = (values: (string | null)[]): LiveCount[] =>
    [...new Set(values)]
      .map((value) => ({ value, visitors: values.filter((it) => it === value).length }))
      .sort((a, b) => b.visitors - a.visitors || byValue(a.value, b.value))
      .slice(0, limit);
  const live = [...units.values()];
  return {
    visitors: live.length,
    pages: largest(live.map(({ page }) => page)),
    countries: largest(live.map(({ country }) => country)),
  };
}

export function naiveReceived({ events, collects }: NaiveTraffic): ReceivedTimes {
  const range = (times: readonly number[]) =>
    times.length === 0 ? null : { first: Math.min(...times), last: Math.max(...times) };
  const of = (type: string) =>
    range(events.filter(({ line }) => line?.type === type).map(({ receivedAt }) => receivedAt));
  return {
    session: range(collects.map(({ receivedAt }) => receivedAt)),
    exposure: of('exposure'),
    goal: of('goal'),
    feedback: of('feedback'),
  };
}
