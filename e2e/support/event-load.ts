import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { type EventRequest, EventRequests } from './event-requests.ts';
import type { SeededRandom } from './random.ts';

/** `unknown`: no response, so the event may or may not be stored. `rejected`: a response other than 200. */
type Outcome = 'acknowledged' | 'rejected' | 'unknown';

/** A request and its outcome. */
export interface SentEvent extends EventRequest {
  outcome: Outcome;
  status?: number;
  /** Why there was no response. */
  error?: string;
}

export interface LoadResponse {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Sends one request with the agent; rejects if there is no complete response. */
export function post(
  url: string,
  agent: Agent,
  event: Pick<SentEvent, 'path' | 'apiKey' | 'body' | 'idempotencyKey'>,
): Promise<LoadResponse> {
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
  /** Extra bytes of attributes, metadata or message in each event. */
  padding?: number;
  clients?: number;
}

/** Clients that send events of all kinds as fast as possible and record the outcome of each. */
export class EventLoad {
  readonly events: SentEvent[] = [];
  readonly #requests: EventRequests;
  readonly #clients: number;
  #acknowledged = 0;
  #awaited: { count: number; resolve: () => void } | undefined;

  constructor(random: SeededRandom, { padding = 0, clients = 24 }: LoadOptions = {}) {
    this.#requests = new EventRequests(random, padding);
    this.#clients = clients;
  }

  /** Sends until stopped; clients retry broken connections until the server is gone. */
  start(url: string): { stop: () => Promise<void>; done: Promise<void> } {
    const agent = new Agent({ keepAlive: true, maxSockets: this.#clients });
    let stopped = false;
    const client = async () => {
      while (!stopped) {
        const event: SentEvent = { ...this.#requests.next(), outcome: 'unknown' };
        this.events.push(event);
        await send(url, agent, event);
        if (event.outcome === 'acknowledged') this.#countAcknowledged();
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

  /** Resolves as soon as that many more events are acknowledged, while others are in flight. */
  acknowledged(more: number): Promise<void> {
    return new Promise((resolve) => {
      this.#awaited = { count: this.#acknowledged + more, resolve };
    });
  }

  #countAcknowledged(): void {
    this.#acknowledged += 1;
    if (this.#acknowledged === this.#awaited?.count) this.#awaited.resolve();
  }

  /** Resends events with an idempotency key, as a client does after a lost response. */
  async replay(url: string, events: readonly SentEvent[]): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: this.#clients });
    const remaining = events.filter(({ idempotencyKey }) => idempotencyKey !== undefined);
    const client = async () => {
      for (let event = remaining.pop(); event !== undefined; event = remaining.pop())
        await send(url, agent, event);
    };
    await Promise.all(Array.from({ length: this.#clients }, client));
    agent.destroy();
  }
}

async function send(url: string, agent: Agent, event: SentEvent): Promise<void> {
  try {
    const { status, text } = await post(url, agent, event);
    event.status = status;
    event.outcome = status === 200 ? 'acknowledged' : 'rejected';
    if (status === 200 && text !== '{"success":true}') throw new Error(`200 with ${text}`);
  } catch (error) {
    event.outcome = 'unknown';
    event.error = (error as NodeJS.ErrnoException).code ?? String(error);
  }
}
