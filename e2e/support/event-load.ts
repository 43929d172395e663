import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { type EventRequest, EventRequests } from './event-requests.ts';
import type { SeededRandom } from './random.ts';

/** `unknown`: no answer came, so the event may or may not be stored. `refused`: an answer other than 200. */
type Outcome = 'acknowledged' | 'refused' | 'unknown';

/** A request, and what became of it. */
export interface SentEvent extends EventRequest {
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
  readonly #requests: EventRequests;
  readonly #clients: number;
  #acknowledged = 0;
  #awaited: { count: number; resolve: () => void } | undefined;

  constructor(random: SeededRandom, { ballast = 0, clients = 24 }: LoadOptions = {}) {
    this.#requests = new EventRequests(random, ballast);
    this.#clients = clients;
  }

  /** Sends until stopped; a client whose connection breaks tries again until the server is gone. */
  start(url: string): { stop: () => Promise<void>; done: Promise<void> } {
    const agent = new Agent({ keepAlive: true, maxSockets: this.#clients });
    let stopped = false;
    const client = async () => {
      while (!stopped) {
        const event: SentEvent = { ...this.#requests.next(), outcome: 'unknown' };
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
