import type { SeededRandom } from '../support/random.ts';
import {
  type Answer,
  type Collect,
  type Conversion,
  DAY_MS,
  type Exposure,
  type FlagContext,
  HOUR_MS,
  MINUTE_MS,
  type ReportedExposure,
  type Request,
  type Setup,
  type TestSetup,
  type Variation,
} from './history.ts';

/** A test that has started, and its latest phase. */
export interface LiveTest {
  test: TestSetup;
  phase: number;
  variations: readonly Variation[];
}

interface Visitor {
  id: string;
  userId: string | undefined;
  country: string | undefined;
  isCrawler: boolean;
  sessions: { id: string; isCollected: boolean }[];
  /** By test. */
  shown: Map<string, string>;
}

const COUNTRIES = ['NL', 'DE', 'US', 'BR'];
const USERS = 60;
const PATHS = ['/', '/basket', '/checkout', '/checkout/pay'];
const EVENTS = ['load', 'pay', 'search'];

/** People and crawlers, with their devices and sessions, who do random things. */
export class Population {
  readonly #random: SeededRandom;
  readonly #setup: Setup;
  readonly #visitors: Visitor[] = [];
  #sessions = 0;

  constructor(random: SeededRandom, setup: Setup) {
    this.#random = random;
    this.#setup = setup;
  }

  /** A new phase shows some visitors another variation. */
  assignAgain(testKey: string): void {
    for (const visitor of this.#visitors) if (this.#chance(0.3)) visitor.shown.delete(testKey);
  }

  /** What is sent at a moment, by a few visitors. */
  act(at: number, tests: readonly LiveTest[]): Request[] {
    const requests: Request[] = [];
    const collected = new Set<string>();
    for (let count = this.#random.between(1, 4); count > 0; count--) {
      const visitor = this.#someone();
      this.#visit(visitor, at, requests, collected);
      const session = () => this.#random.pick(visitor.sessions).id;
      if (tests.length > 0 && this.#chance(0.6)) {
        const exposures = this.#exposures(visitor, session, at, tests);
        requests.push({ kind: 'exposures', crawler: visitor.isCrawler && this.#chance(0.8), exposures });
      }
      for (let more = this.#random.pick([0, 0, 1, 1, 2, 3]); more > 0; more--)
        requests.push(this.#conversion(session()));
      if (this.#chance(0.25)) requests.push(this.#answer(session()));
    }
    if (this.#chance(0.05)) requests.push(this.#conversion(undefined));
    if (this.#chance(0.02)) requests.push(this.#answer(undefined));
    return requests;
  }

  /** Evaluations of flags at a moment, and what programs report, each of other visitors. */
  evaluate(at: number, rules: readonly LiveTest[]): Request[] {
    const requests: Request[] = [];
    const visitors = new Set(Array.from({ length: this.#random.between(2, 6) }, () => this.#someone(0.85)));
    for (const visitor of visitors) {
      const live = this.#random.pick(rules);
      const { flagKey } = live.test.flag!;
      if (this.#chance(0.2)) {
        const exposures = [this.#reported(visitor, at, live)];
        requests.push({ kind: 'report', exposures });
        continue;
      }
      const by = this.#random.pick(['evaluate', 'ofrep'] as const);
      requests.push({ kind: 'evaluation', flagKey, by, context: this.#context(visitor) });
    }
    return requests;
  }

  /** Whatever a server knows of somebody. */
  #context(visitor: Visitor): FlagContext {
    const { id: visitorId, userId } = visitor;
    const user = userId === undefined ? {} : { userId };
    const session =
      visitor.sessions.length === 0 ? {} : { sessionId: this.#random.pick(visitor.sessions).id };
    const plan = this.#random.pick(['free', 'pro', 'pro', 'team', undefined]);
    const who = this.#random.pick<() => FlagContext>([
      () => session,
      () => ({ ...session, ...user }),
      () => ({ visitorId }),
      () => ({ visitorId, ...user }),
      () => ({ visitorId, ...user }),
      () => ({ ...user }),
      () => ({ targetingKey: visitorId }),
      () => ({ targetingKey: `key of ${visitorId}`, ...session }),
      () => ({ email: `${visitorId}@shop.example` }),
      () => ({ email: `${visitorId}@shop.example`, visitorId, ...session }),
    ])();
    return { ...who, ...(plan !== undefined && { plan }) };
  }

  #reported(visitor: Visitor, at: number, { test, variations }: LiveTest): ReportedExposure {
    const any = () => this.#random.pick(variations).key;
    const assigned = visitor.shown.get(test.key) ?? any();
    visitor.shown.set(test.key, assigned);
    const { sessionId, visitorId, userId } = this.#context(visitor);
    const known = sessionId ?? visitorId ?? userId;
    return {
      testKey: test.key,
      variationKey: assigned,
      ...(sessionId !== undefined && { sessionId }),
      ...((visitorId !== undefined || known === undefined) && { visitorId: visitor.id }),
      ...(userId !== undefined && { userId }),
      ...(this.#chance(0.6) && { timestamp: at - this.#delay() }),
      ...(visitor.isCrawler && { bot: true }),
    };
  }

  #chance(probability: number): boolean {
    return this.#random.next() < probability;
  }

  #someone(known = 0.6): Visitor {
    if (this.#visitors.length > 20 && this.#chance(known)) return this.#random.pick(this.#visitors);
    const visitor: Visitor = {
      id: `v-${this.#visitors.length}`,
      userId: this.#chance(0.5) ? `u-${this.#random.between(1, USERS)}` : undefined,
      country: this.#chance(0.8) ? this.#random.pick(COUNTRIES) : undefined,
      isCrawler: this.#chance(0.06),
      sessions: [],
      shown: new Map(),
    };
    this.#visitors.push(visitor);
    return visitor;
  }

  /** Starts or continues a session; some are collected late, or never. */
  #visit(visitor: Visitor, at: number, requests: Request[], collected: Set<string>): void {
    if (visitor.sessions.length === 0 || this.#chance(0.5)) {
      visitor.sessions.push({ id: `s-${this.#sessions++}`, isCollected: false });
    }
    const session = this.#chance(0.7) ? visitor.sessions.at(-1)! : this.#random.pick(visitor.sessions);
    if (!this.#chance(session.isCollected ? 0.3 : 0.75)) return;
    // Somebody else signs in on the same device.
    const named = this.#chance(0.03) ? this.#random.pick(this.#visitors) : visitor;
    // Which of two collects of the same moment is the later one is not defined.
    if (collected.has(session.id) || collected.has(named.id)) return;
    collected.add(session.id).add(named.id);
    session.isCollected = true;
    if (named.userId !== undefined && this.#chance(0.04)) {
      named.userId = `u-${this.#random.between(1, USERS)}`;
    }
    requests.push(this.#collect(session.id, named, at));
  }

  #collect(sessionId: string, visitor: Visitor, at: number): Collect {
    const times = (most: number) =>
      Array.from({ length: this.#random.between(0, most) }, () => at - this.#delay());
    const { id: visitorId, userId, country } = visitor;
    return {
      kind: 'collect',
      sessionId,
      visitorId,
      ...(userId !== undefined && this.#chance(0.6) && { userId }),
      ...(country !== undefined && this.#chance(0.8) && { country }),
      pageviews: times(3).map((timestamp) => ({ timestamp, path: this.#random.pick(PATHS) })),
      events: times(3).map((timestamp) => ({
        timestamp,
        name: this.#random.pick(EVENTS),
        value: this.#random.between(1, 40) / 8,
      })),
    };
  }

  /** How long ago something happened by the client's clock; beyond three days the server uses its own. */
  #delay(): number {
    return this.#random.pick([
      () => 0,
      () => this.#random.between(0, 20 * MINUTE_MS),
      () => this.#random.between(0, 20 * MINUTE_MS),
      () => this.#random.between(0, 12 * HOUR_MS),
      () => this.#random.between(0, 3 * DAY_MS),
      () => this.#random.between(3 * DAY_MS + 1, 9 * DAY_MS),
      () => -this.#random.between(0, 4 * MINUTE_MS),
      () => -this.#random.between(DAY_MS + 1, 5 * DAY_MS),
    ])();
  }

  #exposures(visitor: Visitor, session: () => string, at: number, tests: readonly LiveTest[]): Exposure[] {
    return Array.from({ length: this.#random.pick([1, 1, 1, 2, 4]) }, () => {
      return this.#exposure(visitor, session(), at, this.#random.pick(tests));
    });
  }

  #exposure(visitor: Visitor, sessionId: string, at: number, live: LiveTest): Exposure {
    const { test, phase: latest, variations } = live;
    // Also what earlier phases had, because pages are cached.
    const any = () => this.#random.pick(this.#chance(0.9) ? variations : test.variations).key;
    const assigned = visitor.shown.get(test.key) ?? any();
    visitor.shown.set(test.key, assigned);
    // Another device of the same visitor.
    const variationKey = this.#chance(0.03) ? any() : assigned;
    // A page with an older definition, one without, and one that no phase has reached yet.
    const phase = this.#random.pick([latest, latest, latest, latest, latest - 1, undefined, latest + 1]);
    const attributes = this.#attributes();
    return {
      testKey: test.key,
      variationKey,
      sessionId,
      ...(this.#chance(0.6) && { timestamp: at - this.#delay() }),
      ...(phase !== undefined && phase > 0 && { phase }),
      ...(visitor.isCrawler && this.#chance(0.3) && { bot: true }),
      ...(attributes && { attributes }),
    };
  }

  #attributes(): Record<string, string> | undefined {
    if (this.#chance(0.2)) return undefined;
    const attributes: Record<string, string> = {};
    if (this.#chance(0.7)) attributes.plan = this.#random.pick(['free', 'pro', 'team']);
    if (this.#chance(0.6)) attributes.page = `/page/${this.#random.between(1, 70)}`;
    if (this.#chance(0.2)) attributes.country = this.#random.pick([...COUNTRIES, 'de']);
    return attributes;
  }

  #conversion(sessionId: string | undefined): Conversion {
    const goal = this.#random.pick(this.#setup.goals);
    // Reversals are often larger than what was bought.
    const direction = this.#chance(0.2) ? -1 : 1;
    const cents = this.#random.pick([
      () => this.#random.between(1, 5000),
      () => this.#random.between(1, 5000),
      () => this.#random.between(5000, 500_000),
    ])();
    const hasAmount = goal.kind === 'revenue' || this.#chance(0.2);
    const micros = this.#chance(0.1) ? this.#random.between(1, 9_999_999) : cents * 10_000;
    return {
      kind: 'conversion',
      goalId: goal.id,
      ...(sessionId !== undefined && { sessionId }),
      direction,
      micros: hasAmount ? micros : 0,
    };
  }

  #answer(sessionId: string | undefined): Answer {
    const [type] = this.#setup.feedbackTypes;
    const option = this.#chance(0.85) ? this.#random.pick(type!.options) : undefined;
    const hasMessage = option === undefined || this.#chance(0.2);
    return {
      kind: 'answer',
      feedbackType: type!.id,
      ...(sessionId !== undefined && { sessionId }),
      ...(option !== undefined && { option }),
      ...(hasMessage && { message: `message ${this.#random.between(1, 1e9)}` }),
    };
  }
}
