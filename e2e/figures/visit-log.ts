import {
  AGENTS,
  type Collect,
  HOUR_MS,
  MINUTE_MS,
  type Moment,
  type PageEvent,
  type Subject,
} from './visits.ts';

const MAX_AGE_MS = 72 * HOUR_MS;
const MAX_AHEAD_MS = 5 * MINUTE_MS;

/** One event that the service accepted. */
export interface Fact {
  at: number;
  sessionId: string | undefined;
  type: PageEvent['type'] | 'collect' | 'exposure' | 'goal' | 'feedback';
  /** Sent by a browser, in contrast to a backend. */
  fromBrowser: boolean;
  bot: boolean;
  moment: Moment;
  page?: PageEvent;
  expired: boolean;
}

/** A session as the list of events says. Start, entry and crawler mark are those of all its events, also expired ones. */
export interface Session {
  sessionId: string;
  visitorId: string | null;
  userId: string | null;
  startedAt: number;
  lastSeenAt: number;
  bot: boolean;
  client: { device: string | null; browser: string | null; os: string | null };
  country: string | null;
  /** All page views in order of time, expired ones too. */
  views: PageEvent[];
  /** Not expired, in order of time. */
  facts: Fact[];
  /** Whether nothing of it has expired. */
  isComplete: boolean;
}

/** Everything that was sent, as a list. */
export class VisitLog {
  #facts: Fact[] = [];
  /** Ids of erased people, about whom nothing more is stored. */
  readonly #suppressed = new Set<string>();

  add(sent: Moment): void {
    const moment = this.#withoutSuppressed(sent);
    if (moment === undefined) return;
    const { at, request } = moment;
    const push = (type: Fact['type'], time: number, fromBrowser: boolean, page?: PageEvent) => {
      const bot = 'agent' in request && request.agent === 'crawler';
      const { sessionId } = request;
      this.#facts.push({
        at: time,
        sessionId,
        type,
        fromBrowser,
        bot,
        moment,
        ...(page && { page }),
        expired: false,
      });
    };
    switch (request.kind) {
      case 'collect':
        for (const event of request.events) push(event.type, eventTime(event, at), true, event);
        if (request.events.length === 0) push('collect', at, true);
        return;
      case 'exposure':
        push('exposure', at, true);
        return;
      case 'conversion':
        push('goal', at, false);
        return;
      case 'answer':
        push('feedback', at, false);
        return;
    }
  }

  /** What is stored. */
  facts(): Fact[] {
    return this.#facts.filter(({ expired }) => !expired);
  }

  /** Returns texts that must not be in any file afterwards: those of sessions and entries without anything left. */
  expire(before: number): string[] {
    const old = this.#facts.filter(({ at, expired }) => at < before && !expired);
    for (const fact of old) fact.expired = true;
    // What comes later in a session of which nothing is left is a new session.
    const sessions = new Set(this.facts().map(({ sessionId }) => sessionId));
    this.#facts = this.#facts.filter(({ expired, sessionId }) => !expired || sessions.has(sessionId));
    const kept = this.storedTexts();
    return old.flatMap(({ moment }) => secretsOf(moment)).filter((text) => !kept.has(text));
  }

  /** Returns texts that must not be in any file afterwards. */
  erase(subject: Subject): string[] {
    const erased = new Set(this.#factsOf(subject));
    this.#facts = this.#facts.filter((fact) => !erased.has(fact));
    const kept = new Set(this.#facts.flatMap(({ moment }) => secretsOf(moment)));
    return [...erased].flatMap(({ moment }) => secretsOf(moment)).filter((text) => !kept.has(text));
  }

  /** Undefined: all of it is about somebody who was erased. */
  #withoutSuppressed(moment: Moment): Moment | undefined {
    const { request } = moment;
    const has = (id: string | undefined) => id !== undefined && this.#suppressed.has(id);
    if (has(request.sessionId)) return undefined;
    if (request.kind !== 'collect') return moment;
    if (has(request.visitorId)) {
      // Later requests of the session do not name the visitor.
      this.#suppressed.add(request.sessionId);
      return undefined;
    }
    if (!has(request.userId)) return moment;
    const { userId: _, ...anonymous } = request;
    return { ...moment, request: anonymous };
  }

  #factsOf(subject: Subject): Fact[] {
    if ('metadata' in subject) {
      const { key, value } = subject.metadata;
      return this.#facts.filter(
        ({ moment: { request } }) => 'metadata' in request && request.metadata?.[key] === value,
      );
    }
    const visitors = 'visitorId' in subject ? [subject.visitorId] : this.#visitorsOf(subject);
    const collects = this.#collects().filter(
      ({ visitorId, userId }) =>
        visitors.includes(visitorId) || ('userId' in subject && userId === subject.userId),
    );
    const sessions = new Set<string | undefined>(collects.map(({ sessionId }) => sessionId));
    if ('sessionId' in subject) sessions.add(subject.sessionId);
    for (const id of [...Object.values(subject), ...visitors, ...sessions])
      this.#suppressed.add(id as string);
    return this.#facts.filter(({ sessionId }) => sessionId !== undefined && sessions.has(sessionId));
  }

  /** The visitors who were this user and no other. */
  #visitorsOf(subject: { sessionId: string } | { userId: string }): string[] {
    if (!('userId' in subject)) return [];
    const collects = this.#collects();
    const visitors = new Set(
      collects.flatMap(({ userId, visitorId }) => (userId === subject.userId ? [visitorId] : [])),
    );
    return [...visitors].filter((id) =>
      collects.every(
        ({ userId, visitorId }) => visitorId !== id || userId === undefined || userId === subject.userId,
      ),
    );
  }

  #collects(): Collect[] {
    return this.#facts.flatMap(({ moment: { request } }) => (request.kind === 'collect' ? [request] : []));
  }

  /** Texts of what is stored, in contrast to those that must be gone. */
  storedTexts(): Set<string> {
    return new Set(this.facts().flatMap(({ moment }) => secretsOf(moment)));
  }

  /** Sessions of which something is stored. */
  sessions(): Session[] {
    const bySession = new Map<string, Fact[]>();
    for (const fact of this.#facts) {
      if (fact.sessionId === undefined) continue;
      const own = bySession.get(fact.sessionId) ?? [];
      own.push(fact);
      bySession.set(fact.sessionId, own);
    }
    return [...bySession]
      .filter(([, facts]) => facts.some(({ expired }) => !expired))
      .map(([sessionId, facts]) => sessionOf(sessionId, facts));
  }
}

function eventTime({ timestamp }: PageEvent, receivedAt: number): number {
  if (timestamp === undefined) return receivedAt;
  const isPlausible = timestamp >= receivedAt - MAX_AGE_MS && timestamp <= receivedAt + MAX_AHEAD_MS;
  return isPlausible ? timestamp : receivedAt;
}

function sessionOf(sessionId: string, facts: Fact[]): Session {
  const ordered = facts.toSorted((a, b) => a.at - b.at);
  const collects = facts.flatMap(({ moment: { request } }) => (request.kind === 'collect' ? [request] : []));
  const latest = collects.at(-1);
  const fromBrowser = ordered.filter((it) => it.fromBrowser);
  return {
    sessionId,
    visitorId: latest?.visitorId ?? null,
    userId: collects.findLast(({ userId }) => userId !== undefined)?.userId ?? null,
    startedAt: ordered[0]!.at,
    lastSeenAt: (fromBrowser.at(-1) ?? ordered.at(-1)!).at,
    bot: facts.some(({ bot }) => bot),
    client: latest ? AGENTS[latest.agent].client : { device: null, browser: null, os: null },
    country: latest?.country ?? null,
    views: ordered.flatMap(({ type, page }) => (type === 'pageview' ? [page!] : [])),
    facts: ordered.filter(({ expired }) => !expired),
    isComplete: facts.every(({ expired }) => !expired),
  };
}

/** Texts of a request that occur nowhere else, except in requests of the same person. */
function secretsOf({ request }: Moment): string[] {
  const metadata = 'metadata' in request ? Object.values(request.metadata ?? {}) : [];
  const message = 'message' in request && request.message !== undefined ? [request.message] : [];
  const session = request.sessionId === undefined ? [] : [request.sessionId];
  return [...metadata, ...message, ...session];
}
