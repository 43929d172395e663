import type { SeededRandom } from '../support/random.ts';
import {
  type AgentName,
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  type Moment,
  OPTIONS,
  type PageEvent,
  VARIATIONS,
  type VisitRequest,
} from './visits.ts';

const SITE = 'https://shop.example';
const PATHS = ['/', '/pricing', '/checkout', '/blog/größe'];
const SOURCES = ['https://search.example/find', 'https://news.example/', `${SITE}/`, ''];
const CAMPAIGNS = ['', '?utm_source=newsletter&utm_medium=email', '?utm_source=ads&utm_campaign=spring'];
const PEOPLE = 24;

/** A visitor, who comes back and may sign in. */
interface Person {
  visitorId: string;
  userId?: string;
  agent: AgentName;
  country?: string;
}

/**
 * Visits of people and crawlers: sessions over midnight, refunds days later in the session of the order, conversions
 * before their session is collected or without any, pages without a URL, and wrong clocks.
 */
export function randomVisits(random: SeededRandom, options: { start: number; days: number; visits: number }) {
  const people = Array.from({ length: PEOPLE }, (_, index) => randomPerson(random, index));
  const moments: Moment[] = [];
  const end = options.start + options.days * DAY_MS;
  for (let index = 0; index < options.visits; index++) {
    const at = random.between(options.start, end - 2 * HOUR_MS);
    moments.push(...visit(random, random.pick(people), at, index));
  }
  for (let index = 0; index < options.visits / 10; index++) {
    moments.push({ at: random.between(options.start, end - 1), request: withoutSession(random, index) });
  }
  return moments.filter(({ at }) => at < end).sort((a, b) => a.at - b.at);
}

function randomPerson(random: SeededRandom, index: number): Person {
  const agent = random.pick<AgentName>(['laptop', 'laptop', 'phone', 'phone', 'unknown', 'crawler']);
  const country = random.pick([undefined, 'NL', 'DE']);
  return {
    visitorId: `visitor-${index}-${token(random)}`,
    agent,
    ...(random.next() < 0.4 && { userId: `user-${index}-${token(random)}` }),
    ...(country !== undefined && { country }),
  };
}

/** Long and random, so that it is found in files as it is. */
const token = (random: SeededRandom) =>
  Array.from({ length: 24 }, () => random.between(0, 35).toString(36)).join('');

function visit(random: SeededRandom, person: Person, at: number, index: number): Moment[] {
  const sessionId = `session-${index}-${token(random)}`;
  const moments: Moment[] = [];
  let time = at;
  const send = (request: VisitRequest) => {
    moments.push({ at: time, request });
    time += random.between(1000, 40 * MINUTE_MS);
  };
  const { agent, visitorId, userId, country } = person;
  const collect = (isFirst: boolean) =>
    send({
      kind: 'collect',
      agent,
      sessionId,
      visitorId,
      ...(userId !== undefined && random.next() < 0.7 && { userId }),
      ...(country !== undefined && { country }),
      events: Array.from({ length: random.between(isFirst ? 1 : 0, 3) }, () => pageEvent(random, time)),
    });
  // Some sessions are only known by what a backend sends.
  const isCollected = random.next() < 0.93;
  if (random.next() < 0.3) {
    send({ kind: 'exposure', agent, sessionId, variationKey: random.pick(VARIATIONS) });
  }
  if (isCollected) collect(true);
  if (random.next() < 0.25 && isCollected) collect(false);
  if (random.next() < 0.3 || !isCollected) send(conversion(random, sessionId));
  if (random.next() < 0.15) send(answer(random, sessionId));
  if (random.next() < 0.12) {
    time += random.between(1, 6) * DAY_MS;
    send({
      kind: 'conversion',
      goalId: 'order',
      sessionId,
      direction: -1,
      micros: random.between(1, 10_000_000),
    });
  }
  return moments;
}

function pageEvent(random: SeededRandom, at: number): PageEvent {
  if (random.next() < 0.15) return { type: 'event', name: 'scrolled', ...clientTime(random, at) };
  const url = random.next() < 0.07 ? undefined : `${SITE}${random.pick(PATHS)}${random.pick(CAMPAIGNS)}`;
  const referrer = random.pick(SOURCES);
  return {
    type: 'pageview',
    ...(url !== undefined && { url }),
    ...(referrer !== '' && { referrer }),
    ...clientTime(random, at),
  };
}

/** Mostly a little late; some clocks are too far ahead or behind, and then the time of receipt counts. */
function clientTime(random: SeededRandom, at: number): { timestamp?: number } {
  const kind = random.next();
  if (kind < 0.4) return {};
  if (kind < 0.9) return { timestamp: at - random.between(0, 20 * MINUTE_MS) };
  if (kind < 0.95) return { timestamp: at + random.between(6, 600) * MINUTE_MS };
  return { timestamp: at - random.between(73, 200) * HOUR_MS };
}

function conversion(random: SeededRandom, sessionId?: string): VisitRequest {
  const goalId = random.pick(['signup', 'order'] as const);
  // An amount on a count goal is stored, but is no revenue.
  const micros = goalId === 'order' || random.next() < 0.3 ? random.between(1, 90_000_000) : 0;
  return {
    kind: 'conversion',
    goalId,
    ...(sessionId !== undefined && { sessionId }),
    direction: 1,
    micros,
    ...(random.next() < 0.4 && { metadata: { order: `order-${token(random)}` } }),
  };
}

const answer = (random: SeededRandom, sessionId?: string): VisitRequest => ({
  kind: 'answer',
  ...(sessionId !== undefined && { sessionId }),
  option: random.pick(OPTIONS),
  ...(random.next() < 0.5 && { message: `message-${token(random)}` }),
  ...(random.next() < 0.4 && { metadata: { order: `order-${token(random)}` } }),
});

const withoutSession = (random: SeededRandom, index: number): VisitRequest =>
  index % 2 === 0 ? conversion(random) : answer(random);
