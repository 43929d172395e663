import { setTimeout as sleep } from 'node:timers/promises';
import { usedFlags } from './flag-usage.js';
import { flags } from './flags.js';
import { call } from './management-client.js';
import { SPLIT_TESTS } from './split-tests.js';
import { HOUR } from './times.js';
import { attributesOf, createVisitor } from './visitors.js';
import { planVisit } from './visits.js';

const NEW_VISIT_MS = 4000;
/** Visitors read faster than in the past, so that there is something to watch. */
const MAX_PAUSE_MS = 12_000;

/** Those that the code of the shop asks for. */
const FLAG_KEYS = usedFlags(flags(Date.now()), 0).map(({ key }) => key);

/** A trickle of visits through the public API, until the signal is aborted. */
export async function runLiveVisits(url, { seed, keys, signal }) {
  const running = new Set();
  for (let number = 0; !signal.aborted; number++) {
    // A failed visit is no reason to end the others: the server may be restarting.
    const visit = new LiveVisit(url, keys, signal).run(seed, number).catch(() => {});
    running.add(visit);
    visit.finally(() => running.delete(visit));
    await pause(NEW_VISIT_MS, signal);
  }
  await Promise.all(running);
}

const pause = (milliseconds, signal) => sleep(milliseconds, undefined, { signal }).catch(() => {});

class LiveVisit {
  #url;
  #keys;
  #signal;

  constructor(url, keys, signal) {
    this.#url = url;
    this.#keys = keys;
    this.#signal = signal;
  }

  async run(seed, number) {
    const now = Date.now();
    const visitor = createVisitor(seed + 2, number, now);
    const visit = planVisit(visitor, now, await this.#runningTests());
    await this.#evaluateFlags(visitor);
    if (visit.events.some(({ url }) => url?.endsWith('/help/contact'))) await this.#evaluateMeasured(visit);
    let last = now;
    for (const event of visit.events.filter(({ at }) => at < now + HOUR)) {
      await pause(Math.min(event.at - last, MAX_PAUSE_MS), this.#signal);
      if (this.#signal.aborted) return;
      last = event.at;
      await this.#send(visit, event);
    }
  }

  /** What is running now, with your own tests: those are shown on the homepage and have no effect. */
  async #runningTests() {
    const headers = { 'x-api-key': this.#keys.publicKey };
    const path = '/v1/split-testing/config?propertyId=shop';
    const { tests, holdout = null } = (await call(this.#url, 'GET', path, { headers })).body;
    return tests.map(({ key, phase: number, ...test }) => {
      const { shownOn = 'home', effects = {}, lost } = SPLIT_TESTS.find((known) => known.key === key) ?? {};
      const phase = { number, startedAt: 0, endedAt: null, definition: { ...test, holdout } };
      return { key, shownOn, effects, lost, phases: [phase] };
    });
  }

  #evaluateFlags(visitor) {
    const context = { visitorId: visitor.id, userId: visitor.userId, ...attributesOf(visitor) };
    return this.#post('/v1/flags/evaluate', 'secretKey', { context, flagKeys: FLAG_KEYS });
  }

  /** The server of the shop evaluates it for the form, where it is used. */
  #evaluateMeasured({ sessionId, visitorId }) {
    const context = { sessionId, visitorId };
    const body = { context, flagKeys: ['help-answers'], record: true };
    return this.#post('/v1/flags/evaluate', 'secretKey', body);
  }

  #send({ sessionId, visitorId, userId, attributes, agent }, { type, at: _at, id: _id, ...event }) {
    if (type === 'exposure') {
      const exposures = [{ ...event, sessionId }];
      return this.#post('/v1/split-testing/expose', 'publicKey', { exposures }, agent);
    }
    if (type === 'goal') {
      const { direction, ...goal } = event;
      const path = direction === 1 ? '/v1/goals/increment' : '/v1/goals/decrement';
      return this.#post(path, 'secretKey', { ...goal, sessionId });
    }
    if (type === 'feedback') return this.#post('/v1/feedback/submit', 'secretKey', { ...event, sessionId });
    const body = { sessionId, visitorId, userId, attributes, events: [{ type, ...event }] };
    return this.#post('/v1/sessions/collect', 'publicKey', body, agent);
  }

  #post(path, key, body, agent) {
    const headers = { 'x-api-key': this.#keys[key], ...(agent && { 'user-agent': agent.userAgent }) };
    return call(this.#url, 'POST', path, { body: { propertyId: 'shop', ...body }, headers });
  }
}
