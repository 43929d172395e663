import type { AcceptedCollect, AcceptedRequest, ExpiredView, JournalEntry } from '../accepted-request.ts';
import type { StoredConversion } from '../conversion-queries.ts';
import type { Subject, SubjectContents } from '../erasure-subject.ts';
import { type FeedbackEntry, LOCAL_SOURCE, type SessionDetail, type TimelineEntry } from '../event-store.ts';
import { externalReferrer } from '../external-referrer.ts';
import type { SessionSummary } from '../session-summary.ts';
import type { NaiveFacts } from './naive-visitors.contract.ts';

/** A session with its whole timeline instead of a page. */
export type NaiveSession = Omit<SessionDetail, 'timeline'> & { timeline: TimelineEntry[] };

interface ModelEvent {
  propertyId: string;
  source: string;
  seq: number;
  sessionId: string | undefined;
  at: number;
  receivedAt: number;
  /** The timeline entry; undefined for a collect without events. */
  line: TimelineEntry | undefined;
  fromBrowser: boolean;
  /** An exposure that a bot sent. */
  bot: boolean;
  /** The exposure or request that it comes from. */
  origin: object;
}

/** What is left of the expired events of a session. */
interface NaiveRemains {
  startedAt: number;
  bot: boolean;
  /** All of them, by time. */
  views: ExpiredView[];
}

/** What is stored of a property; events in order of arrival, collects in order of receipt. */
export interface NaiveTraffic {
  sessions: NaiveSession[];
  events: ModelEvent[];
  collects: AcceptedCollect[];
}

/** A reference implementation on plain lists. */
export class NaiveEventStore {
  #events: ModelEvent[] = [];
  #collects: { source: string; seq: number; request: AcceptedCollect }[] = [];
  /** By property and session. */
  readonly #remains = new Map<string, NaiveRemains>();
  readonly #requests: AcceptedRequest[] = [];
  readonly #ids = new Set<string>();

  /** An event id of a conversion, or the id of feedback, is stored once. */
  append({ request, seq }: JournalEntry, source = LOCAL_SOURCE): void {
    const id = request.kind === 'feedback' ? `${request.propertyId} ${request.id}` : eventIdOf(request);
    if (id !== undefined && this.#ids.has(id)) return;
    if (id !== undefined) this.#ids.add(id);
    const { propertyId, receivedAt } = request;
    this.#requests.push(request);
    const push = (
      sessionId: string | undefined,
      line: TimelineEntry | undefined,
      fromBrowser: boolean,
      origin: object = request,
    ) => {
      const at = line?.at ?? receivedAt;
      const bot = 'bot' in origin && origin.bot === true;
      this.#events.push({
        propertyId,
        source,
        seq,
        sessionId,
        at,
        receivedAt,
        line,
        fromBrowser,
        bot,
        origin,
      });
    };
    if (request.kind === 'exposures') {
      for (const exposure of request.exposures) {
        const { sessionId, phase: _phase, bot: _bot, ...it } = exposure;
        push(sessionId, { type: 'exposure', ...it }, true, exposure);
      }
    } else if (request.kind === 'conversion') {
      const { goalId, direction: count, amountMicros, sessionId, metadata } = request;
      const line = { goalId, count, amountMicros, ...(metadata && { metadata }) };
      push(sessionId, { at: receivedAt, type: 'goal', ...line }, false);
    } else if (request.kind === 'feedback') {
      const { id, feedbackTypeId, option, message, sessionId } = request;
      const line = { id, feedbackTypeId, ...(option && { option }), ...(message && { message }) };
      push(sessionId, { at: receivedAt, type: 'feedback', ...line }, false);
    } else {
      this.#collects.push({ source, seq, request });
      for (const it of request.events) push(request.sessionId, it, true);
      if (request.events.length === 0) push(request.sessionId, undefined, true);
    }
  }

  sessions(propertyId: string): SessionSummary[] {
    const ids = new Set(this.#of(propertyId).flatMap(({ sessionId }) => sessionId ?? []));
    const all = [...ids].map((id) => this.session(propertyId, id) as NaiveSession);
    return all
      .map(({ attributes, timeline, ...summary }) => summary)
      .sort(
        (a, b) =>
          b.startedAt - a.startedAt || Buffer.compare(Buffer.from(b.sessionId), Buffer.from(a.sessionId)),
      );
  }

  session(propertyId: string, sessionId: string): NaiveSession | undefined {
    const events = this.#of(propertyId).filter((it) => it.sessionId === sessionId);
    if (events.length === 0) return undefined;
    const byTime = events.toSorted((a, b) => a.at - b.at || byArrival(a, b));
    const lines = byTime.flatMap(({ line }) => line ?? []);
    const browserEvents = byTime.filter(({ fromBrowser }) => fromBrowser);
    const pages = lines.flatMap((line) => (line.type === 'pageview' ? [line] : []));
    const remains = this.#remains.get(keyOf(propertyId, sessionId));
    const views = this.views(propertyId, sessionId);
    const entry = { url: views[0]?.url || null, referrer: views[0]?.referrer || null };
    const collects = this.#collectsOf(propertyId).filter((it) => it.sessionId === sessionId);
    const latest = collects.at(-1);
    return {
      sessionId,
      visitorId: latest?.visitorId ?? null,
      userId: collects.findLast(({ userId }) => userId !== undefined)?.userId ?? null,
      startedAt: Math.min((byTime[0] as ModelEvent).at, remains?.startedAt ?? Number.POSITIVE_INFINITY),
      lastSeenAt: (browserEvents.at(-1) ?? (byTime.at(-1) as ModelEvent)).at,
      entryUrl: entry.url,
      exitUrl: views.at(-1)?.url || null,
      referrer: externalReferrer(entry),
      pageviews: pages.length,
      events: lines.filter((line) => line.type === 'event').length,
      country: latest?.country ?? null,
      device: latest?.device ?? null,
      browser: latest?.browser ?? null,
      os: latest?.os ?? null,
      bot:
        remains?.bot === true ||
        events.some(({ bot }) => bot) ||
        collects.some(({ device }) => device === 'bot'),
      exposures: firstExposures(lines),
      goals: netGoals(lines),
      feedback: lines.filter((line) => line.type === 'feedback').length,
      attributes: collects.findLast((it) => it.attributes !== undefined)?.attributes ?? null,
      timeline: lines,
    };
  }

  /** What is known of the visit of a session. */
  visit(propertyId: string, { sessionId, visitorId, startedAt }: SessionSummary) {
    const [entry] = this.views(propertyId, sessionId);
    const own = this.#collectsOf(propertyId).filter((it) => it.visitorId === visitorId);
    const starts = own.map((it) => this.session(propertyId, it.sessionId)!.startedAt);
    return {
      startedAt,
      returning: starts.some((at) => at < startedAt),
      entryUrl: entry?.url || null,
      referrer: entry?.referrer || null,
    };
  }

  /** All page views of a session by time, also those that have expired. */
  views(propertyId: string, sessionId: string): ExpiredView[] {
    const events = this.#of(propertyId).filter((it) => it.sessionId === sessionId);
    const pages = events
      .sort((a, b) => a.at - b.at || byArrival(a, b))
      .flatMap(({ line }) => (line?.type === 'pageview' ? [line] : []));
    const expired = this.#remains.get(keyOf(propertyId, sessionId))?.views ?? [];
    return [...expired, ...pages].sort((a, b) => a.at - b.at);
  }

  /** With the mark of crawlers. */
  goals(
    propertyId: string,
    goalId: string,
  ): { at: number; count: 1 | -1; amountMicros: number; bot: boolean }[] {
    return this.#of(propertyId).flatMap(({ line, sessionId }) =>
      line?.type === 'goal' && line.goalId === goalId
        ? [{ ...line, bot: this.#isBot(propertyId, sessionId) }]
        : [],
    );
  }

  #isBot(propertyId: string, sessionId: string | undefined): boolean {
    return sessionId !== undefined && this.session(propertyId, sessionId)?.bot === true;
  }

  /** Newest first. */
  conversions(propertyId: string): Omit<StoredConversion, 'source' | 'ordinal'>[] {
    return this.#of(propertyId)
      .toSorted((a, b) => b.at - a.at || byArrival(b, a))
      .flatMap(({ line, sessionId }) => (line?.type === 'goal' ? [{ line, sessionId }] : []))
      .map(({ line, sessionId }) => {
        const { at, goalId, count: direction, amountMicros, metadata = null } = line;
        const { visitorId = null, userId = null } =
          (sessionId !== undefined && this.session(propertyId, sessionId)) || {};
        const bot = this.#isBot(propertyId, sessionId);
        const session = { sessionId: sessionId ?? null, visitorId, userId, bot };
        return { at, goalId, direction, amountMicros, metadata, ...session };
      });
  }

  /** Newest first. */
  feedback(propertyId: string): FeedbackEntry[] {
    return this.arrivedFeedback(propertyId)
      .map(({ entry }) => entry)
      .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
  }

  /** By source, then in order of arrival. */
  arrivedFeedback(propertyId: string): { entry: FeedbackEntry; seq: number }[] {
    return this.#of(propertyId)
      .toSorted(byArrival)
      .flatMap(({ line, sessionId, seq }) => (line?.type === 'feedback' ? [{ line, sessionId, seq }] : []))
      .map(({ line, sessionId, seq }) => {
        const session = sessionId === undefined ? undefined : this.session(propertyId, sessionId);
        const { id, feedbackTypeId, option = null, message = null, at } = line;
        const identity = { visitorId: session?.visitorId ?? null, userId: session?.userId ?? null };
        const texts = { option, message, metadata: null };
        const entry = { id, feedbackTypeId, sessionId: sessionId ?? null, ...identity, ...texts };
        return { entry: { ...entry, createdAt: at, bot: this.#isBot(propertyId, sessionId) }, seq };
      });
  }

  facts(propertyId: string): NaiveFacts {
    const stored = new Set(this.#of(propertyId).map(({ origin }) => origin));
    const sessions = this.sessions(propertyId);
    const byId = new Map(sessions.map((it) => [it.sessionId, it]));
    const collects = this.#collectsOf(propertyId).filter(({ userId }) => userId !== undefined);
    return {
      sessions,
      requests: this.#requests.flatMap((it): AcceptedRequest[] => {
        if (it.kind !== 'exposures') return stored.has(it) ? [it] : [];
        return [{ ...it, exposures: it.exposures.filter((exposure) => stored.has(exposure)) }];
      }),
      visitorOf: (sessionId) => byId.get(sessionId)?.visitorId ?? null,
      countryOf: (sessionId) => byId.get(sessionId)?.country ?? null,
      userOf: (visitorId) => collects.findLast((it) => it.visitorId === visitorId)?.userId ?? null,
    };
  }

  traffic(propertyId: string): NaiveTraffic {
    return {
      sessions: this.sessions(propertyId).map(({ sessionId }) => this.session(propertyId, sessionId)!),
      events: this.#of(propertyId),
      collects: this.#collectsOf(propertyId),
    };
  }

  eventCount(propertyId: string): number {
    return this.#of(propertyId).length;
  }

  forget(subject: Subject): number {
    return this.#delete(this.#belongsTo(subject));
  }

  subjectContents(subject: Subject): SubjectContents {
    const own = this.#events.filter(this.#belongsTo(subject));
    const sessionIds = this.subjectSessions(subject);
    const ofTypes = (...types: string[]) => own.filter(({ line }) => types.includes(line?.type ?? '')).length;
    const collects = this.#collectsOf(subject.propertyId).filter((it) => sessionIds.includes(it.sessionId));
    return {
      visitors: new Set(collects.map(({ visitorId }) => visitorId)).size,
      sessions: sessionIds.length,
      events: ofTypes('pageview', 'event', 'identify'),
      exposures: ofTypes('exposure'),
      conversions: ofTypes('goal'),
      feedback: ofTypes('feedback'),
    };
  }

  subjectSessions(subject: Subject): string[] {
    if ('feedbackId' in subject || 'metadata' in subject) return [];
    const own = this.#events.filter(this.#belongsTo(subject)).flatMap(({ sessionId }) => sessionId ?? []);
    return [...new Set(own)].sort();
  }

  /** Visitors of a user who were no other user. */
  subjectVisitors(subject: Subject): string[] {
    if ('visitorId' in subject) return [subject.visitorId];
    if (!('userId' in subject)) return [];
    const collects = this.#collectsOf(subject.propertyId);
    const usersOf = (visitorId: string) =>
      new Set(collects.flatMap((it) => (it.visitorId === visitorId ? (it.userId ?? []) : [])));
    const visitors = new Set(collects.map(({ visitorId }) => visitorId));
    return [...visitors]
      .filter((visitorId) => usersOf(visitorId).size === 1 && usersOf(visitorId).has(subject.userId))
      .sort();
  }

  #belongsTo(subject: Subject): (event: ModelEvent) => boolean {
    const isOfProperty = (it: ModelEvent) => it.propertyId === subject.propertyId;
    if ('everything' in subject) return isOfProperty;
    if ('feedbackId' in subject) {
      return (it) => isOfProperty(it) && it.line?.type === 'feedback' && it.line.id === subject.feedbackId;
    }
    if ('metadata' in subject) {
      const { key, value } = subject.metadata;
      return (it) => {
        const { metadata = '{}' } = it.origin as { metadata?: string };
        return isOfProperty(it) && JSON.parse(metadata)[key] === value;
      };
    }
    const visitorIds = this.subjectVisitors(subject);
    const collects = this.#collectsOf(subject.propertyId).filter(
      (it) => visitorIds.includes(it.visitorId) || ('userId' in subject && it.userId === subject.userId),
    );
    const sessionIds = new Set<string | undefined>(collects.map(({ sessionId }) => sessionId));
    if ('sessionId' in subject) sessionIds.add(subject.sessionId);
    return (it) => isOfProperty(it) && sessionIds.has(it.sessionId);
  }

  expire(propertyId: string, before: number): number {
    const isOld = (it: ModelEvent) => it.propertyId === propertyId && it.at < before;
    for (const event of this.#events.filter(isOld).sort((a, b) => a.at - b.at || byArrival(a, b))) {
      if (event.sessionId !== undefined) this.#keepRemains(event, keyOf(propertyId, event.sessionId));
    }
    return this.#delete(isOld);
  }

  #keepRemains({ at, bot, line }: ModelEvent, key: string): void {
    const before = this.#remains.get(key);
    const views = [...(before?.views ?? []), ...(line?.type === 'pageview' ? [line] : [])];
    this.#remains.set(key, {
      startedAt: Math.min(at, before?.startedAt ?? at),
      bot: bot || before?.bot === true,
      views: views.sort((a, b) => a.at - b.at),
    });
  }

  /** Collects are kept as long as their session has events. */
  #delete(isDeleted: (event: ModelEvent) => boolean): number {
    const all = this.#events.length;
    this.#events = this.#events.filter((it) => !isDeleted(it));
    this.#collects = this.#collects.filter(
      ({ request }) => this.session(request.propertyId, request.sessionId) !== undefined,
    );
    const stored = new Set(this.#events.map((it) => keyOf(it.propertyId, it.sessionId ?? '')));
    for (const key of this.#remains.keys()) if (!stored.has(key)) this.#remains.delete(key);
    return all - this.#events.length;
  }

  #collectsOf(propertyId: string): AcceptedCollect[] {
    return this.#collects
      .filter(({ request }) => request.propertyId === propertyId)
      .sort((a, b) => a.request.receivedAt - b.request.receivedAt || byArrival(a, b))
      .map(({ request }) => request);
  }

  #of(propertyId: string): ModelEvent[] {
    return this.#events.filter((it) => it.propertyId === propertyId);
  }
}

/** By source, then position; the events of a request keep their order. */
const byArrival = (a: { source: string; seq: number }, b: { source: string; seq: number }) =>
  a.source === b.source ? a.seq - b.seq : a.source < b.source ? -1 : 1;

const keyOf = (propertyId: string, sessionId: string) => JSON.stringify([propertyId, sessionId]);

const eventIdOf = (request: AcceptedRequest) => (request.kind === 'conversion' ? request.eventId : undefined);

function firstExposures(lines: TimelineEntry[]): SessionSummary['exposures'] {
  const first = new Map<string, SessionSummary['exposures'][number]>();
  for (const line of lines) {
    if (line.type !== 'exposure') continue;
    const { splitTestKey, variationKey, at } = line;
    const key = JSON.stringify([splitTestKey, variationKey]);
    if (!first.has(key)) first.set(key, { splitTestKey, variationKey, at });
  }
  return [...first.values()];
}

function netGoals(lines: TimelineEntry[]): SessionSummary['goals'] {
  const net = new Map<string, SessionSummary['goals'][number]>();
  for (const line of lines) {
    if (line.type !== 'goal') continue;
    const it = net.get(line.goalId) ?? { goalId: line.goalId, count: 0, amountMicros: 0 };
    net.set(line.goalId, {
      ...it,
      count: it.count + line.count,
      amountMicros: it.amountMicros + line.amountMicros,
    });
  }
  return [...net.values()];
}
