import { externalReferrer } from './expected-traffic.ts';
import type { LocalDays } from './local-days.ts';
import type { Fact, Session, VisitLog } from './visit-log.ts';
import { FEEDBACK_TYPE, GOALS, type GoalId, OPTIONS, SPLIT_TEST } from './visits.ts';

const MICROS = 1_000_000;

/** A session as in the list; members that would depend on expired events are left out. */
export function expectedSession(session: Session) {
  const { sessionId, visitorId, userId, startedAt, lastSeenAt, bot, views, country } = session;
  const kept = {
    sessionId,
    visitorId,
    userId,
    startedAt,
    bot,
    entryUrl: views[0]?.url ?? null,
    referrer: externalReferrer(views[0])?.href ?? null,
    ...session.client,
    ...(country !== null && { country }),
  };
  if (!session.isComplete) return kept;
  return {
    ...kept,
    lastSeenAt,
    exitUrl: views.at(-1)?.url ?? null,
    pageviews: views.length,
    events: session.facts.filter(({ type }) => type === 'event').length,
    feedback: session.facts.filter(({ type }) => type === 'feedback').length,
  };
}

/** The entries of a timeline, oldest first. */
export const expectedTimeline = ({ facts }: Session) =>
  facts.filter(({ type }) => type !== 'collect').map(timelineEntry);

function timelineEntry({ at, type, page, moment: { request } }: Fact): object {
  switch (request.kind) {
    case 'collect':
      return { at, type, ...(page!.url !== undefined && { url: page!.url }) };
    case 'exposure':
      return { at, type, splitTestKey: SPLIT_TEST, variationKey: request.variationKey };
    case 'conversion': {
      const { goalId, direction, micros } = request;
      return { at, type, goalId, count: direction, amount: (direction * micros) / MICROS };
    }
    case 'answer':
      return { at, type, feedbackTypeId: FEEDBACK_TYPE, option: request.option };
  }
}

/** Who sent a conversion or an answer, as far as it is known. */
function personOf(sessions: ReadonlyMap<string, Session>, { sessionId }: Fact) {
  const session = sessionId === undefined ? undefined : sessions.get(sessionId);
  return {
    sessionId: sessionId ?? null,
    visitorId: session?.visitorId ?? null,
    userId: session?.userId ?? null,
  };
}

const byId = (log: VisitLog) => new Map(log.sessions().map((it) => [it.sessionId, it]));

/** Newest first. */
export function expectedConversions(log: VisitLog) {
  const sessions = byId(log);
  return newestFirst(log, 'goal').map((fact) => {
    const { request } = fact.moment;
    if (request.kind !== 'conversion') throw new Error('not a conversion');
    const { goalId, direction, micros, metadata = {} } = request;
    return {
      goalId,
      type: direction > 0 ? 'increment' : 'decrement',
      amount: (direction * micros) / MICROS,
      ...personOf(sessions, fact),
      metadata,
      createdAt: fact.at,
    };
  });
}

/** Newest first. */
export function expectedFeedback(log: VisitLog) {
  const sessions = byId(log);
  return newestFirst(log, 'feedback').map((fact) => {
    const { request } = fact.moment;
    if (request.kind !== 'answer') throw new Error('not an answer');
    const { option, message = null, metadata = {} } = request;
    return {
      feedbackTypeId: FEEDBACK_TYPE,
      ...personOf(sessions, fact),
      option,
      message,
      metadata,
      createdAt: fact.at,
    };
  });
}

const newestFirst = (log: VisitLog, type: Fact['type']) =>
  log
    .facts()
    .filter((fact) => fact.type === type)
    .sort((a, b) => b.at - a.at);

/** Conversions and answers of people, or of everybody; those without a session count as people's. */
function counted(log: VisitLog, type: Fact['type'], period: Period) {
  const sessions = byId(log);
  return log
    .facts()
    .filter((fact) => fact.type === type && fact.at >= period.from && fact.at < period.to)
    .filter(
      ({ sessionId }) =>
        period.bots === 'include' || sessionId === undefined || !sessions.get(sessionId)!.bot,
    );
}

export interface Period {
  from: number;
  to: number;
  bots: 'exclude' | 'include';
  days: LocalDays;
}

export function expectedProgress(log: VisitLog, goalId: GoalId, period: Period) {
  const { kind } = GOALS.find(({ id }) => id === goalId)!;
  const between = (from: number, to: number) => {
    const own = counted(log, 'goal', { ...period, from, to }).flatMap(({ moment: { request } }) =>
      request.kind === 'conversion' && request.goalId === goalId ? [request] : [],
    );
    const of = (direction: number) => own.filter((it) => it.direction === direction);
    const total = (list: typeof own) =>
      kind === 'count' ? list.length : list.reduce((sum, { micros }) => sum + micros, 0) / MICROS;
    const [more, less] = [of(1), of(-1)];
    return {
      total: total(more) - total(less),
      count: more.length - less.length,
      gross: total(more),
      reversed: total(less),
      increments: more.length,
      decrements: less.length,
    };
  };
  return { goalId, kind, current: between(period.from, period.to), series: daysOf(period, between) };
}

export function expectedSummary(log: VisitLog, period: Period) {
  const answers = (from: number, to: number) =>
    counted(log, 'feedback', { ...period, from, to }).flatMap(({ moment: { request } }) =>
      request.kind === 'answer' ? [request] : [],
    );
  const all = answers(period.from, period.to);
  return {
    total: all.length,
    withMessage: all.filter(({ message }) => message !== undefined).length,
    options: Object.fromEntries(
      OPTIONS.map((option) => [option, all.filter((it) => it.option === option).length]).filter(
        ([, count]) => count !== 0,
      ),
    ),
    series: daysOf(period, (from, to) => ({ total: answers(from, to).length })),
  };
}

/** One entry per day of the property. */
const daysOf = <T extends object>(
  { from, to, days }: Period,
  countBetween: (from: number, to: number) => T,
) => days.between(from, to).map((day) => ({ at: day.at, ...countBetween(day.from, day.to) }));
