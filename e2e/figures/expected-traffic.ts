import type { LocalDays } from './local-days.ts';
import type { Session, VisitLog } from './visit-log.ts';
import type { PageEvent } from './visits.ts';

const MICROS = 1_000_000;

export const DIMENSIONS = [
  'page',
  'entryPage',
  'exitPage',
  'referrer',
  'utmSource',
  'utmMedium',
  'utmCampaign',
  'country',
  'device',
  'browser',
  'os',
] as const;
export type Dimension = (typeof DIMENSIONS)[number];
export type Filters = Partial<Record<Dimension, string>>;

/** The filter for sessions without a value. */
const NONE = '(none)';

export interface Scope {
  from: number;
  to: number;
  bots: 'exclude' | 'only';
  filters: Filters;
}

export function expectedTotals(log: VisitLog, scope: Scope) {
  const { sessions, events } = countedIn(log, scope);
  const goals = events.flatMap(({ moment: { request } }) => (request.kind === 'conversion' ? [request] : []));
  const revenue = goals
    .filter(({ goalId }) => goalId === 'order')
    .reduce((sum, { direction, micros }) => sum + direction * micros, 0);
  const durations = sessions.map(({ lastSeenAt, startedAt }) => Math.max(0, lastSeenAt - startedAt));
  return {
    ...visitCounts(sessions, sessions.flatMap(({ views }) => views).length),
    averageDurationSeconds:
      sessions.length === 0 ? null : Math.round(sum(durations) / sessions.length) / 1000,
    conversions: sum(goals.map(({ direction }) => direction)),
    revenue: revenue / MICROS,
    feedback: events.filter(({ type }) => type === 'feedback').length,
  };
}

/** One entry per day of the property. */
export const expectedDays = (log: VisitLog, scope: Scope, days: LocalDays) =>
  days.between(scope.from, scope.to).map(({ at, from, to }) => {
    const { feedback: _, ...counts } = expectedTotals(log, { ...scope, from, to });
    return { at, ...counts };
  });

/** By value, because the order of equal rows is not of interest. */
export function expectedBreakdown(log: VisitLog, scope: Scope, by: Dimension) {
  const { sessions } = countedIn(log, scope);
  const values = new Set(sessions.flatMap((it) => valuesOf(it, by)));
  return Object.fromEntries(
    [...values].map((value) => {
      const own = sessions.filter((it) => valuesOf(it, by).includes(value));
      const views = own.flatMap((it) => it.views);
      const counted = by === 'page' ? views.filter((view) => pageOf(view) === value) : views;
      return [value ?? NONE, visitCounts(own, counted.length)];
    }),
  );
}

export const matches = (session: Session, filters: Filters) =>
  Object.entries(filters).every(([dimension, value]) =>
    valuesOf(session, dimension as Dimension).includes(value === NONE ? null : value),
  );

/** Sessions that started in the period, and conversions and feedback that happened in it. */
function countedIn(log: VisitLog, { from, to, bots, filters }: Scope) {
  const isInside = (time: number) => time >= from && time < to;
  const ofKind = log.sessions().filter(({ bot }) => bot === (bots === 'only'));
  const matching = ofKind.filter((it) => matches(it, filters));
  const known = new Map(matching.map((it) => [it.sessionId, it]));
  const countsAlone = bots === 'exclude' && Object.keys(filters).length === 0;
  return {
    sessions: matching.filter(({ startedAt }) => isInside(startedAt)),
    events: log
      .facts()
      .filter(({ at }) => isInside(at))
      .filter(({ sessionId }) => (sessionId === undefined ? countsAlone : known.has(sessionId))),
  };
}

function visitCounts(sessions: Session[], pageviews: number) {
  const bounces = sessions.filter(
    ({ views, facts }) =>
      views.length === 1 && !facts.some(({ type }) => ['event', 'goal', 'feedback'].includes(type)),
  );
  return {
    visitors: new Set(sessions.map(({ visitorId, sessionId }) => visitorId ?? `session ${sessionId}`)).size,
    sessions: sessions.length,
    pageviews,
    bounceRate: sessions.length === 0 ? null : bounces.length / sessions.length,
  };
}

/** The values of a session: one, except for pages. */
function valuesOf(session: Session, dimension: Dimension): (string | null)[] {
  const { views, client, country } = session;
  const [entry, exit] = [views[0], views.at(-1)];
  switch (dimension) {
    case 'page':
      return [...new Set(storedViews(session).map(pageOf))];
    case 'entryPage':
      return [pageOf(entry)];
    case 'exitPage':
      return [pageOf(exit)];
    case 'referrer':
      return [externalReferrer(entry)?.host ?? null];
    case 'country':
      return [country];
    case 'device':
    case 'browser':
    case 'os':
      return [client[dimension] === 'unknown' ? null : client[dimension]];
    default:
      return [campaignOf(entry, dimension)];
  }
}

/** Of the views that have expired, a session keeps only the first and the last one, for its entry and exit. */
const storedViews = ({ facts }: Session) =>
  facts.flatMap(({ type, page }) => (type === 'pageview' ? [page!] : []));

const pageOf = (view: PageEvent | undefined) =>
  view?.url === undefined ? null : decodeURI(new URL(view.url).pathname);

/** Own pages count as none. */
export function externalReferrer(view: PageEvent | undefined): URL | undefined {
  if (view?.referrer === undefined) return undefined;
  const referrer = new URL(view.referrer);
  return referrer.host === 'shop.example' ? undefined : referrer;
}

function campaignOf(view: PageEvent | undefined, dimension: string): string | null {
  if (view?.url === undefined) return null;
  const name = dimension.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`);
  return new URL(view.url).searchParams.get(name);
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, it) => total + it, 0);
