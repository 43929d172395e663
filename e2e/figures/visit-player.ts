import { setTimeout as sleep } from 'node:timers/promises';
import { ownerBrowser } from '@switchyard/testing/server/browser';
import type { TestResponse, TestServer } from '@switchyard/testing/server/test-server';
import type { AdjustableClock } from '@switchyard/testing/time/adjustable-clock';
import { waitFor } from '@switchyard/testing/time/wait';
import { metric } from '../support/nodes.ts';
import type { VisitLog } from './visit-log.ts';
import {
  AGENTS,
  DAY_MS,
  FEEDBACK_TYPE,
  GOALS,
  type Moment,
  OPTIONS,
  SPLIT_TEST,
  type Subject,
  VARIATIONS,
  type VisitRequest,
} from './visits.ts';

const MICROS = 1_000_000;
/** Longer than nodes take to report. */
const ERASURE_MS = 5000;
/** Against hanging only. */
const SLOW_ENGINE_MS = 600_000;

/** Plays visits over HTTP, with the clock of the server at the time of each request, and writes them down. */
export class VisitPlayer {
  server: TestServer;
  readonly propertyId: string;
  readonly #clock: AdjustableClock;
  readonly #log: VisitLog;
  readonly #moments: Moment[];
  #next = 0;
  #now = 0;
  #token = '';
  #publicKey = '';
  #secretKey = '';

  constructor(
    server: TestServer,
    clock: AdjustableClock,
    options: { propertyId: string; log: VisitLog; moments: Moment[] },
  ) {
    this.server = server;
    this.#clock = clock;
    this.propertyId = options.propertyId;
    this.#log = options.log;
    this.#moments = options.moments;
  }

  /** Creates the property with everything in it. */
  async prepare(at: number, settings: object): Promise<void> {
    this.#setClock(at);
    const owner = await ownerBrowser(this.server);
    const token = { name: this.propertyId, role: 'owner', expiresAt: at + 300 * DAY_MS };
    this.#token = (await owner.post('/v1/manage/me/tokens', token)).body.token;
    const id = this.propertyId;
    await this.#request('POST', '/v1/manage/properties', { id, name: id });
    await this.manage('PATCH', '', settings);
    this.#publicKey = (await this.manage('POST', '/keys', { kind: 'public', name: 'web' })).key;
    this.#secretKey = (await this.manage('POST', '/keys', { kind: 'secret', name: 'backend' })).key;
    for (const [path, body] of ITEMS) await this.manage('PUT', path, body);
    await this.manage('POST', `/split-tests/${SPLIT_TEST}/start`);
  }

  /** A request to the management API of the property. */
  manage(method: string, path: string, body?: object): Promise<TestResponse['body']> {
    return this.#request(method, `/v1/manage/properties/${this.propertyId}${path}`, body);
  }

  async #request(method: string, url: string, body?: object): Promise<TestResponse['body']> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.#token}` };
    if (method === 'PATCH' || method === 'DELETE') headers['if-match'] = '*';
    const response = await this.server.call(method, url, { headers, ...(body && { body }) });
    if (response.status >= 300) throw new Error(`${method} ${url}: ${response.status} ${response.text}`);
    return response.body;
  }

  /** Erases somebody, and waits until it is done. */
  async erase(subject: Subject): Promise<void> {
    const { id } = await this.manage('POST', '/erasures', subject);
    // Erasures wait until all nodes have reported what they accepted before.
    this.#setClock(this.#now + ERASURE_MS);
    const isDone = async () => (await this.manage('GET', `/erasures/${id}`)).state === 'done';
    await waitFor('the erasure', isDone, SLOW_ENGINE_MS);
  }

  /** The time of the server. */
  get now(): number {
    return this.#now;
  }

  #setClock(at: number): void {
    this.#now = at;
    this.#clock.freeze(at);
  }

  /** Plays what is due until a time, and leaves the clock there. */
  async playUntil(end: number): Promise<void> {
    for (; this.#next < this.#moments.length && this.#moments[this.#next]!.at < end; this.#next++) {
      const moment = this.#moments[this.#next]!;
      this.#setClock(moment.at);
      await this.#send(moment.request);
      this.#log.add(moment);
    }
    this.#setClock(end);
    const isLoaded = async () => (await metric(this.server, 'switchyard_journal_lag_requests')) === 0;
    await waitFor('the journal to be loaded', isLoaded, SLOW_ENGINE_MS);
  }

  /** Reads something of the property with its secret key; again if a slow engine took too long. */
  async read(path: string, query: Record<string, string | number> = {}): Promise<TestResponse['body']> {
    const text = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
    const url = `${path}?${new URLSearchParams([['propertyId', this.propertyId], ...text])}`;
    let response = await this.server.call('GET', url, { key: this.#secretKey });
    while (response.status === 503) {
      await sleep(500);
      response = await this.server.call('GET', url, { key: this.#secretKey });
    }
    if (response.status !== 200) throw new Error(`${url}: ${response.status} ${response.text}`);
    return response.body;
  }

  /** All rows of a list, in pages of a few. */
  async list(path: string, member: string, query: Record<string, string | number>): Promise<Row[]> {
    const rows: Row[] = [];
    let cursor: string | null = null;
    do {
      const page = await this.read(path, { ...query, limit: 23, ...(cursor !== null && { cursor }) });
      rows.push(...page[member]);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return rows;
  }

  async #send(request: VisitRequest): Promise<void> {
    const { path, isPublic, body } = bodyOf(request);
    const agent = 'agent' in request ? AGENTS[request.agent].header : 'backend/1.0';
    const response = await this.server.send('POST', path, {
      key: isPublic ? this.#publicKey : this.#secretKey,
      body: { propertyId: this.propertyId, ...body },
      headers: { 'user-agent': agent },
    });
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${response.text}`);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: compared member by member
export type Row = Record<string, any>;

function bodyOf(request: VisitRequest): { path: string; isPublic: boolean; body: object } {
  switch (request.kind) {
    case 'collect': {
      const { sessionId, visitorId, userId, country, events } = request;
      const attributes = country === undefined ? undefined : { country };
      return {
        path: '/v1/sessions/collect',
        isPublic: true,
        body: { sessionId, visitorId, userId, attributes, events },
      };
    }
    case 'exposure': {
      const { sessionId, variationKey } = request;
      const exposures = [{ splitTestKey: SPLIT_TEST, variationKey, sessionId }];
      return { path: '/v1/split-testing/expose', isPublic: true, body: { exposures } };
    }
    case 'conversion': {
      const { goalId, sessionId, direction, micros, metadata } = request;
      const amount = micros === 0 ? undefined : micros / MICROS;
      const path = `/v1/goals/${direction > 0 ? 'increment' : 'decrement'}`;
      return { path, isPublic: false, body: { goalId, sessionId, amount, metadata } };
    }
    case 'answer': {
      const { sessionId, option, message, metadata } = request;
      const body = { feedbackTypeId: FEEDBACK_TYPE, sessionId, option, message, metadata };
      return { path: '/v1/feedback/submit', isPublic: false, body };
    }
  }
}

/** Paths and bodies of all items, in an order in which they can refer to each other. */
const ITEMS: [path: string, body: object][] = [
  ...GOALS.map(({ id, kind }): [string, object] => [`/goals/${id}`, { id, name: id, kind }]),
  [
    `/feedback-types/${FEEDBACK_TYPE}`,
    { id: FEEDBACK_TYPE, name: FEEDBACK_TYPE, options: OPTIONS, textInput: true },
  ],
  [
    `/split-tests/${SPLIT_TEST}`,
    {
      key: SPLIT_TEST,
      type: 'id',
      hashSeed: 'figures',
      variations: VARIATIONS.map((key) => ({ key, weight: 1 })),
      goals: ['signup'],
    },
  ],
];
