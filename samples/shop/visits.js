import { assign } from '../../packages/core/dist/evaluation/assignment.js';
import { createMembership } from '../../packages/core/dist/evaluation/segments.js';
import { NEXT_PAGES, ORIGIN, PAGES } from './catalogue.js';
import { answer } from './feedback.js';
import { Random } from './random.js';
import { DAY } from './times.js';
import { attributesOf, becomeMember } from './visitors.js';

/** Chances per page view, before the effects of split tests. */
const CHANCE = {
  bounce: 0.3,
  addToCart: 0.075,
  checkout: 0.58,
  purchase: 0.62,
  signUp: 0.36,
  newsletter: { home: 0.07, journal: 0.09 },
  supportRequest: 0.5,
  refund: 0.07,
  rating: 0.012,
  checkoutRating: 0.2,
  recommend: 0.04,
  idea: 0.003,
};
const MAX_PAGES = 25;
const RATED_PATHS = ['/products/', '/journal/', '/help/delivery'];

/**
 * A visit: what happens when, in order. `tests` are the split tests with their phases.
 *
 * @returns {{sessionId: string, visitorId: string, userId?: string, attributes: object, country: string, agent: object, events: object[]}}
 */
export function planVisit(visitor, at, tests) {
  const visit = new Visit(visitor, Math.round(at), tests);
  visit.run();
  const { id: visitorId, userId, country, agent } = visitor;
  const { sessionId, events } = visit;
  return { sessionId, visitorId, userId, attributes: attributesOf(visitor), country, agent, events };
}

class Visit {
  events = [];
  #visitor;
  #random;
  #tests;
  #at;
  #cart = [];
  /** Variations that the visitor has seen, by test. */
  #seen = new Map();

  constructor(visitor, at, tests) {
    this.#visitor = visitor;
    this.#random = visitor.random;
    this.#at = at;
    this.#tests = tests;
    this.sessionId = `s-${this.#random.hex(16)}`;
  }

  run() {
    const { channel, isBot } = this.#visitor;
    let kind = this.#random.key(channel.entries);
    for (let views = 1; kind !== 'leave' && views <= MAX_PAGES; views++) {
      const page = this.#view(kind, views === 1 ? channel : {});
      if (isBot) kind = views < 3 ? 'product' : 'leave';
      else if (views === 1 && this.#random.chance(CHANCE.bounce)) kind = 'leave';
      else kind = this.#act(kind, page) ?? this.#random.key(NEXT_PAGES[kind]);
    }
    if (!isBot) this.#leaveFeedback();
  }

  #view(kind, { referrer, query }) {
    const page = PAGES[kind](this.#random);
    const parameters = query === undefined ? '' : `${page.path.includes('?') ? '&' : '?'}${query}`;
    const url = `${ORIGIN}${page.path}${parameters}`;
    this.#add({ type: 'pageview', url, title: page.title, ...(referrer && { referrer }) });
    for (const test of this.#tests) if (test.shownOn === kind) this.#show(test);
    if (kind === 'product') this.#measureLoading();
    this.#wait(4000, 35_000);
    return page;
  }

  /** With random numbers of its own, so that nothing else depends on how long a page takes. */
  #measureLoading() {
    const random = new Random(Number.parseInt(this.sessionId.slice(2, 10), 16), this.events.length);
    const spread = Array.from({ length: 12 }, () => random.next()).reduce((sum, each) => sum + each, -6);
    const seconds = Math.round(700 * this.#factor('load-time') * Math.exp(0.5 * spread)) / 1000;
    this.events.push({ type: 'event', name: 'product loaded', properties: { seconds }, at: this.#at });
  }

  /** Shows the variation of a running test and records the exposure, unless it gets lost. */
  #show({ key: splitTestKey, phases, lost = {}, effects, variationFor = assignedVariation }) {
    if (this.#seen.has(splitTestKey)) return;
    const phase = phases.find((candidate) => isOpen(candidate, this.#at));
    if (phase === undefined) return;
    const variationKey = variationFor(this.#visitor, phase.definition);
    if (variationKey === undefined) return;
    this.#seen.set(splitTestKey, effects[variationKey] ?? {});
    // Always the same visitors: the page fails in their browsers.
    const isLost = parseInt(this.#visitor.id.slice(-4), 16) / 0x10000 < (lost[variationKey] ?? 0);
    if (isLost) return;
    this.events.push({ type: 'exposure', splitTestKey, variationKey, phase: phase.number, at: this.#at });
  }

  /** What the visitor does on a page; returns the next page if that decides it. */
  #act(kind, page) {
    if (kind === 'product') return this.#maybeAddToCart(page.product);
    if (kind === 'cart') return this.#random.chance(CHANCE.checkout) ? 'checkout' : undefined;
    if (kind === 'checkout') return this.#maybePurchase();
    if (kind === 'sign-up') return this.#maybeSignUp();
    if (kind === 'search') this.#add({ type: 'event', name: 'search', properties: { query: page.query } });
    if (kind === 'contact' && this.#succeeds('support-request', CHANCE.supportRequest)) {
      this.#reach('support-request');
    }
    const newsletter = CHANCE.newsletter[kind];
    if (newsletter !== undefined && this.#succeeds('newsletter', newsletter)) this.#reach('newsletter');
    return undefined;
  }

  #maybeAddToCart(product) {
    if (this.#random.chance(0.12)) this.#add({ type: 'event', name: 'pictures opened' });
    if (!this.#succeeds('add-to-cart', CHANCE.addToCart)) return undefined;
    this.#cart.push(product);
    this.#reach('add-to-cart', { metadata: { product: product.name } });
    return 'cart';
  }

  #maybePurchase() {
    if (this.#cart.length === 0 || !this.#succeeds('purchase', CHANCE.purchase)) return undefined;
    const prices = this.#cart.map(({ price }) => price * (this.#random.chance(0.2) ? 2 : 1));
    const amount = prices.reduce((sum, price) => sum + price, 0);
    const order = `OL-${Math.floor(this.#random.between(10_000, 99_999))}`;
    this.#cart = [];
    this.#visitor.orders += 1;
    this.#reach('purchase', { amount, metadata: { order, items: String(prices.length) } });
    if (this.#random.chance(CHANCE.refund)) this.#refundLater(amount, order);
    if (this.#random.chance(CHANCE.checkoutRating)) this.#answer('checkout-rating');
    return 'thanks';
  }

  #refundLater(amount, order) {
    const isWhole = this.#random.chance(0.7);
    const at = Math.round(this.#at + DAY + this.#random.exponential(3 * DAY));
    const metadata = { order, reason: this.#random.pick(['damaged', 'wrong size', 'changed my mind']) };
    this.events.push({
      type: 'goal',
      goalId: 'purchase',
      amount: isWhole ? amount : amount / 2,
      direction: -1,
      metadata,
      at,
    });
  }

  #maybeSignUp() {
    if (this.#visitor.userId !== undefined || !this.#succeeds('signup', CHANCE.signUp)) return undefined;
    becomeMember(this.#visitor);
    this.#reach('signup');
    this.#add({ type: 'identify', name: this.#visitor.userId });
    return 'account';
  }

  #leaveFeedback() {
    const rated = this.events.filter(({ url }) => RATED_PATHS.some((path) => url?.includes(path)));
    if (rated.some(() => this.#random.chance(CHANCE.rating))) this.#answer('page-rating');
    if (this.#visitor.userId !== undefined && this.#random.chance(CHANCE.recommend))
      this.#answer('recommend');
    if (this.#random.chance(CHANCE.idea)) this.#answer('idea');
  }

  #answer(feedbackTypeId) {
    const factor = (option) => this.#factor(`${feedbackTypeId}:${option}`);
    const page = this.events.findLast(({ type }) => type === 'pageview').url;
    const metadata = { page: new URL(page).pathname };
    this.#wait(2000, 8000);
    const id = `fbk_${this.#random.hex(16)}`;
    this.#add({ type: 'feedback', id, ...answer(this.#random, feedbackTypeId, factor), metadata });
  }

  /** What the variations that the visitor has seen do to the chance. */
  #factor(goalId) {
    let factor = 1;
    for (const effects of this.#seen.values()) factor *= effects[goalId] ?? 1;
    return factor;
  }

  #succeeds(goalId, chance) {
    return this.#random.chance(chance * this.#factor(goalId));
  }

  #reach(goalId, more = {}) {
    this.#add({ type: 'goal', goalId, direction: 1, ...more });
  }

  #add(event) {
    this.events.push({ ...event, at: this.#at });
    this.#wait(200, 900);
  }

  #wait(least, mean) {
    this.#at += Math.round(least + this.#random.exponential(mean));
  }
}

/** Undefined for those who do not take part. */
function assignedVariation(visitor, definition) {
  if (!isInAudience(definition, visitor)) return undefined;
  const { included, index } = assign(definition, visitor.id, definition.holdout ?? undefined);
  return included ? definition.variations[index].key : undefined;
}

/** Membership in the audience of a phase; no audience of the shop has a pattern. */
const memberships = new WeakMap();

function isInAudience({ audience }, visitor) {
  if (audience === undefined) return true;
  const { match, conditions, segments } = audience;
  const isMember =
    memberships.get(audience) ?? createMembership([{ id: 'in', match, conditions }, ...segments]);
  memberships.set(audience, isMember);
  return isMember('in', attributesOf(visitor));
}

/** Whether a phase of a test is in force and not paused. */
function isOpen({ startedAt, endedAt, pauses = [] }, at) {
  if (at < startedAt || (endedAt !== null && at >= endedAt)) return false;
  return !pauses.some(({ from, to }) => at >= from && (to === null || at < to));
}
