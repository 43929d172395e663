import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { PUBLIC_KEY, SAMPLE, SECRET_KEY } from '../../packages/server/src/testing/sample-property.ts';
import type { SeededRandom } from './random.ts';

/** Goal that is only sent without a session, so that only its total tells. */
export const SESSIONLESS_GOAL = 'sessionless';

export const LOAD_PROVISION = {
  properties: SAMPLE.properties.map((property) =>
    property.id === 'shop'
      ? {
          ...property,
          goals: [...property.goals, { id: SESSIONLESS_GOAL, name: 'Without a session', kind: 'count' }],
        }
      : property,
  ),
};

/** `unknown`: no answer came, so the event may or may not be stored. `refused`: an answer other than 200. */
type Outcome = 'acknowledged' | 'refused' | 'unknown';

export type EventKind = 'exposures' | 'increment' | 'refund' | 'sessionless' | 'feedback' | 'collect';

/** One request with a mark of its own, which is found again in what the server tells about its sessions. */
export interface SentEvent {
  kind: EventKind;
  path: string;
  apiKey: string;
  body: Record<string, unknown>;
  idempotencyKey?: string;
  /** Sessions that only this request names. */
  sessions: string[];
  /** Cents, for goals. */
  cents: number;
  outcome: Outcome;
  status?: number;
  /** Why no answer came. */
  error?: string;
}

export interface LoadAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Sends one request over the agent's connections; rejects when no whole answer comes. */
export function post(
  url: string,
  agent: Agent,
  event: Pick<SentEvent, 'path' | 'apiKey' | 'body' | 'idempotencyKey'>,
): Promise<LoadAnswer> {
  const body = JSON.stringify(event.body);
  const headers: Record<string, string | number> = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-api-key': event.apiKey,
  };
  if (event.idempotencyKey !== undefined) headers['idempotency-key'] = event.idempotencyKey;
  return new Promise((resolve, reject) => {
    const request = httpRequest(url + event.path, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part) => {
        text += part;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

export interface LoadOptions {
  /** Bytes of attributes, metadata or message that each event carries besides. */
  ballast?: number;
  clients?: number;
}

/** Clients that send events of all kinds as fast as they are answered, and remember what became of each. */
export class EventLoad {
  readonly events: SentEvent[] = [];
  readonly #random: SeededRandom;
  readonly #ballast: string;
  readonly #clients: number;
  #count = 0;
  #acknowledged = 0;
  #awaited: { count: number; resolve: () => void } | undefined;

  constructor(random: SeededRandom, { ballast = 0, clients = 24 }: LoadOptions = {}) {
    this.#random = random;
    this.#ballast = 'x'.repeat(ballast);
    this.#clients = clients;
  }

  /** Sends until stopped; a client whose connection breaks tries again until the server is gone. */
  start(url: string): { stop: () => Promise<void>; done: Promise<void> } {
    const agent = new Agent({ keepAlive: true, maxSockets: this.#clients });
    let stopped = false;
    const client = async () => {
      while (!stopped) {
        const event = this.#nextEvent();
        this.events.push(event);
        await send(url, agent, event);
        if (event.outcome === 'acknowledged') this.#noteAcknowledged();
        if (event.error === 'ECONNREFUSED') return;
      }
    };
    const done = Promise.all(Array.from({ length: this.#clients }, client)).then(() => agent.destroy());
    return {
      done,
      stop: () => {
        stopped = true;
        return done;
      },
    };
  }

  /** Resolves in the moment in which that many more events were acknowledged, with others under way. */
  acknowledged(more: number): Promise<void> {
    return new Promise((resolve) => {
      this.#awaited = { count: this.#acknowledged + more, resolve };
    });
  }

  #noteAcknowledged(): void {
    this.#acknowledged += 1;
    if (this.#acknowledged === this.#awaited?.count) this.#awaited.resolve();
  }

  /** Sends what carries an idempotency key again, as a careful client does after a lost answer. */
  async replay(url: string, events: readonly SentEvent[]): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: this.#clients });
    const left = events.filter(({ idempotencyKey }) => idempotencyKey !== undefined);
    const client = async () => {
      for (let event = left.pop(); event !== undefined; event = left.pop()) await send(url, agent, event);
    };
    await Promise.all(Array.from({ length: this.#clients }, client));
    agent.destroy();
  }

  #nextEvent(): SentEvent {
    this.#count += 1;
    const mark = `${this.#random.seed.toString(36)}-${this.#count}`;
    const kind = this.#random.pick<EventKind>([
      'exposures',
      'exposures',
      'increment',
      'refund',
      'sessionless',
      'feedback',
      'collect',
    ]);
    return { ...this.#requestOf(kind, mark), kind, outcome: 'unknown' };
  }

  #requestOf(kind: EventKind, mark: string): Omit<SentEvent, 'kind' | 'outcome'> {
    const ballast = this.#ballast === '' ? {} : { ballast: this.#ballast };
    const session = `s-${mark}`;
    const shop = { propertyId: 'shop' };
    const key = this.#random.next() < 0.5 ? { idempotencyKey: `key-${mark}` } : {};
    const cents = this.#random.between(1, 99_999);
    switch (kind) {
      case 'exposures': {
        const second = this.#random.next() < 0.5 ? session : `${session}-b`;
        const exposures = [
          {
            splitTestKey: 'hero',
            variationKey: this.#random.pick(['control', 'b']),
            sessionId: session,
            attributes: ballast,
          },
          { splitTestKey: 'finished', variationKey: 'b', sessionId: second, attributes: ballast },
        ];
        const sessions = [...new Set([session, second])];
        return {
          path: '/v1/split-testing/expose',
          apiKey: PUBLIC_KEY,
          body: { ...shop, exposures },
          sessions,
          cents: 0,
        };
      }
      case 'increment':
      case 'refund': {
        const path = `/v1/goals/${kind === 'refund' ? 'decrement' : 'increment'}`;
        const metadata = { mark, ballast: this.#ballast.slice(0, 256) };
        const body = { ...shop, goalId: 'revenue', sessionId: session, amount: cents / 100, metadata };
        return { path, apiKey: SECRET_KEY, body, ...key, sessions: [session], cents };
      }
      case 'sessionless': {
        const body = { ...shop, goalId: SESSIONLESS_GOAL, metadata: { mark } };
        return { path: '/v1/goals/increment', apiKey: SECRET_KEY, body, ...key, sessions: [], cents: 0 };
      }
      case 'feedback': {
        const metadata = { ballast: this.#ballast.slice(0, 1024) };
        const body = {
          ...shop,
          feedbackTypeId: 'nps',
          sessionId: session,
          option: 'good',
          message: mark,
          metadata,
        };
        return {
          path: '/v1/feedback/submit',
          apiKey: SECRET_KEY,
          body,
          ...key,
          sessions: [session],
          cents: 0,
        };
      }
      case 'collect': {
        const events = [{ type: 'pageview', url: `https://shop.example/${mark}`, properties: ballast }];
        const body = { ...shop, sessionId: session, visitorId: `v-${mark}`, events };
        return { path: '/v1/sessions/collect', apiKey: PUBLIC_KEY, body, sessions: [session], cents: 0 };
      }
    }
  }
}

async function send(url: string, agent: Agent, event: SentEvent): Promise<void> {
  try {
    const { status, text } = await post(url, agent, event);
    event.status = status;
    event.outcome = status === 200 ? 'acknowledged' : 'refused';
    if (status === 200 && text !== '{"success":true}') throw new Error(`200 with ${text}`);
  } catch (error) {
    event.outcome = 'unknown';
    event.error = (error as NodeJS.ErrnoException).code ?? String(error);
  }
}
