import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownerBrowser } from '@switchyard/testing/server/browser';
import type { TestResponse, TestServer } from '@switchyard/testing/server/test-server';
import type { AdjustableClock } from '@switchyard/testing/time/adjustable-clock';
import { hasPlan, measuredBy, PlayedFlags, reportedBy } from './flag-requests.ts';
import {
  type Change,
  DAY_MS,
  type Evaluation,
  type Exposures,
  type History,
  type Request,
  type Setup,
} from './history.ts';

const MICROS = 1_000_000;
const MAX_ATTEMPTS = 5;
const CRAWLER = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';

type Body = TestResponse['body'];

/** Sets up a property and plays its history over HTTP, with the clock of the server at the time of each step. */
export class Player {
  readonly #server: TestServer;
  readonly #clock: AdjustableClock;
  readonly #history: History;
  #token = '';
  #publicKey = '';
  #secretKey = '';
  #next = 0;
  /** What evaluations have answered. */
  readonly served = new Map<Evaluation, unknown>();
  readonly #flags: PlayedFlags;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });

  constructor(server: TestServer, clock: AdjustableClock, history: History) {
    this.#server = server;
    this.#clock = clock;
    this.#history = history;
    this.#flags = new PlayedFlags(history.setup.tests);
  }

  /** Creates the property with everything in it, at a time before the first step. */
  async prepare(at: number): Promise<void> {
    this.#clock.freeze(at);
    const { setup } = this.#history;
    const owner = await ownerBrowser(this.#server);
    const token = { name: setup.propertyId, role: 'owner', expiresAt: at + 300 * DAY_MS };
    this.#token = expectStatus(await owner.post('/v1/manage/me/tokens', token), 201).token;
    await this.#manage('POST', '', { id: setup.propertyId, name: setup.propertyId });
    this.#publicKey = (await this.#manage('POST', '/keys', { kind: 'public', name: 'web' })).key;
    this.#secretKey = (await this.#manage('POST', '/keys', { kind: 'secret', name: 'backend' })).key;
    await this.#manage('PATCH', '', { statistics: setup.statistics });
    for (const [path, body] of [...itemsOf(setup), ...this.#flags.items()]) {
      await this.#manage('PUT', path, body);
    }
  }

  /** Plays the steps until a time, and leaves the clock there. */
  async playUntil(end: number): Promise<void> {
    const { steps } = this.#history;
    for (; this.#next < steps.length && steps[this.#next]!.at <= end; this.#next++) {
      const { at, requests } = steps[this.#next]!;
      this.#clock.freeze(at);
      await Promise.all(requests.map((request) => this.#send(request)));
    }
    this.#clock.freeze(end);
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Reads something of the property with its secret key; again if a slow engine took too long for a report. */
  async read(path: string, query: Record<string, string>): Promise<TestResponse> {
    const { propertyId } = this.#history.setup;
    const url = `${path}?${new URLSearchParams({ propertyId, ...query })}`;
    let response = await this.#server.call('GET', url, { key: this.#secretKey });
    for (let attempt = 1; response.status === 503 && attempt < MAX_ATTEMPTS; attempt++) {
      await sleep(1000);
      response = await this.#server.call('GET', url, { key: this.#secretKey });
    }
    expectStatus(response, 200);
    return response;
  }

  async #send(request: Request): Promise<void> {
    if (request.kind === 'change') return this.#change(request);
    if (request.kind === 'evaluation') return this.#evaluate(request);
    const { path, key, body, agent = BROWSER } = this.#eventOf(request);
    const { propertyId } = this.#history.setup;
    const text = await this.#post(path, JSON.stringify({ propertyId, ...body }), {
      'content-type': 'application/json',
      'x-api-key': key,
      'user-agent': agent,
    });
    if (text !== '{"success":true}') throw new Error(`${path}: ${text}`);
  }

  /** With less overhead than `fetch`, because there are thousands of requests. */
  #post(path: string, body: string, headers: Record<string, string>): Promise<string> {
    return new Promise((resolve, reject) => {
      const options = { method: 'POST', agent: this.#agent, headers };
      const outgoing = httpRequest(this.#server.url + path, options, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (more) => {
          text += more;
        });
        response.on('end', () => resolve(text));
        response.on('error', reject);
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  #eventOf(request: Exclude<Request, Change | Evaluation>): {
    path: string;
    key: string;
    body: object;
    agent?: string;
  } {
    const [publicKey, secretKey] = [this.#publicKey, this.#secretKey];
    switch (request.kind) {
      case 'collect': {
        const { sessionId, visitorId, userId, country } = request;
        const events = [
          ...request.pageviews.map(({ timestamp, path }) => ({
            type: 'pageview',
            url: `https://shop.example${path}?from=mail`,
            timestamp,
          })),
          ...request.events.map(({ timestamp, name, value }) => ({
            type: 'event',
            name,
            properties: { value },
            timestamp,
          })),
        ];
        const attributes = country === undefined ? undefined : { country };
        return {
          path: '/v1/sessions/collect',
          key: publicKey,
          body: { sessionId, visitorId, userId, attributes, events },
        };
      }
      case 'exposures':
        return {
          path: '/v1/split-testing/expose',
          key: publicKey,
          body: { exposures: exposuresOf(request) },
          ...(request.crawler && { agent: CRAWLER }),
        };
      case 'conversion': {
        const { goalId, sessionId, direction, micros } = request;
        const amount = micros === 0 ? undefined : micros / MICROS;
        const path = `/v1/goals/${direction > 0 ? 'increment' : 'decrement'}`;
        return { path, key: secretKey, body: { goalId, sessionId, amount } };
      }
      case 'answer': {
        const { feedbackType: feedbackTypeId, sessionId, option, message } = request;
        const body = { feedbackTypeId, sessionId, option, message };
        return { path: '/v1/feedback/submit', key: secretKey, body };
      }
      case 'report':
        return { path: '/v1/flags/usage', key: secretKey, body: { exposures: reportedBy(request) } };
    }
  }

  /** By the service, which records whom a measured rule has served. */
  async #evaluate(evaluation: Evaluation): Promise<void> {
    const { flagKey, by, context } = evaluation;
    const isOfrep = by === 'ofrep';
    const path = isOfrep ? `/ofrep/v1/evaluate/flags/${flagKey}` : '/v1/flags/evaluate';
    const { propertyId } = this.#history.setup;
    const body = isOfrep ? { context } : { propertyId, context, flagKeys: [flagKey], record: true };
    const text = await this.#post(path, JSON.stringify(body), {
      'content-type': 'application/json',
      'x-api-key': this.#secretKey,
      ...(isOfrep && { 'x-record': 'true' }),
    });
    const answer = JSON.parse(text);
    this.served.set(evaluation, (isOfrep ? answer : answer.flags?.[flagKey])?.value ?? text);
  }

  async #change(change: Change): Promise<void> {
    const requests = this.#flags.requestsFor(change);
    for (const request of requests) await this.#manage(...request);
    if (requests.length > 0) return;
    const path = `/split-tests/${change.testKey}`;
    switch (change.action) {
      case 'variations':
        await this.#manage('PATCH', path, { variations: change.variations });
        return;
      case 'audience': {
        const { plans } = change;
        const audience = plans && { match: 'all', conditions: [hasPlan(plans)] };
        await this.#manage('PATCH', path, { audience });
        return;
      }
      case 'traffic':
        await this.#manage('PATCH', path, { trafficAllocation: change.trafficAllocation });
        return;
      case 'stop':
        await this.#manage('POST', `${path}/stop`, change.winner === null ? {} : { winner: change.winner });
        return;
      default:
        await this.#manage('POST', `${path}/${change.action}`);
    }
  }

  async #manage(method: string, path: string, body?: object): Promise<Body> {
    const { propertyId } = this.#history.setup;
    const isNewProperty = method === 'POST' && path === '';
    const url = `/v1/manage/properties${isNewProperty ? '' : `/${propertyId}`}${path}`;
    const headers: Record<string, string> = { authorization: `Bearer ${this.#token}` };
    if (method === 'PATCH' || method === 'DELETE') headers['if-match'] = '*';
    const response = await this.#server.call(method, url, { headers, ...(body && { body }) });
    if (response.status >= 300) throw new Error(`${method} ${url}: ${response.status} ${response.text}`);
    return response.body;
  }
}

function expectStatus(response: TestResponse, status: number): Body {
  if (response.status !== status) throw new Error(`${response.status} ${response.text}`);
  return response.body;
}

/** Paths and bodies of all items, in an order in which they can refer to each other. */
function itemsOf({ goals, feedbackTypes, metrics, tests }: Setup): [path: string, body: object][] {
  return [
    ...goals.map(({ id, kind, lowerIsBetter }): [string, object] => [
      `/goals/${id}`,
      { id, name: id, kind, lowerIsBetter },
    ]),
    ...feedbackTypes.map(({ id, options }): [string, object] => [
      `/feedback-types/${id}`,
      { id, name: id, options, textInput: true },
    ]),
    ...metrics.map((metric): [string, object] => [`/metrics/${metric.id}`, metric]),
    ...tests
      .filter(({ flag }) => flag === undefined)
      .map(({ key, hashSeed, unit, variations, attributionDays, ...outcomes }): [string, object] => [
        `/split-tests/${key}`,
        {
          key,
          type: 'id',
          hashSeed,
          ...(unit === 'user' && { unit }),
          variations,
          attributionDays,
          ...measuredBy(outcomes),
        },
      ]),
  ];
}

const exposuresOf = ({ exposures }: Exposures) =>
  exposures.map(({ testKey: splitTestKey, ...rest }) => ({ splitTestKey, ...rest }));
