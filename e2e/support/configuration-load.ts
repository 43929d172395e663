import { Agent, request as httpRequest } from 'node:http';
import type { SeededRandom } from './random.ts';

/** `unknown`: no response, so the change may or may not be saved. `rejected`: a response that it was not saved. */
type Outcome = 'acknowledged' | 'rejected' | 'unknown';

/** One change through the management API, with a comment that no other change has. */
export interface SentChange {
  comment: string;
  method: 'PUT' | 'PATCH' | 'DELETE';
  entity: { type: 'flag' | 'goal' | 'segment' | 'property'; key: string };
  /** Pointer and value of the field that it sets. */
  field?: { pointer: string; value: string };
  outcome: Outcome;
  status?: number;
  /** Version in the response. */
  version?: number;
}

interface Response {
  status: number;
  etag: string | undefined;
  text: string;
}

const PROPERTY = '/v1/manage/properties/shop';
const PATHS = { flag: 'flags', goal: 'goals', segment: 'segments' };

/** Clients that change the property `shop` as fast as possible, on versions that are often out of date. */
export class ConfigurationLoad {
  readonly changes: SentChange[] = [];
  readonly #random: SeededRandom;
  readonly #clients: number;
  #awaited: { count: number; resolve: () => void } | undefined;
  #acknowledged = 0;

  constructor(random: SeededRandom, clients = 6) {
    this.#random = random;
    this.#clients = clients;
  }

  /** Sends until stopped or until the server is gone. */
  start(url: string, cookie: string): { stop: () => Promise<void>; done: Promise<void> } {
    const agent = new Agent({ keepAlive: true, maxSockets: this.#clients });
    let stopped = false;
    const client = async () => {
      const seen = new Map<string, number>();
      while (!stopped) {
        const change = this.#next();
        this.changes.push(change);
        try {
          await send({ url, cookie, agent, seen }, change);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') return;
        }
        if (change.outcome === 'acknowledged') this.#countAcknowledged();
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

  /** Resolves as soon as that many more changes are acknowledged, while others are in flight. */
  acknowledged(more: number): Promise<void> {
    return new Promise((resolve) => {
      this.#awaited = { count: this.#acknowledged + more, resolve };
    });
  }

  #countAcknowledged(): void {
    this.#acknowledged += 1;
    if (this.#acknowledged === this.#awaited?.count) this.#awaited.resolve();
  }

  #next(): SentChange {
    const comment = `change ${this.changes.length}`;
    const base = { comment, outcome: 'unknown' as const };
    const random = this.#random.next();
    if (random < 0.15) {
      const field = { pointer: '/name', value: comment };
      return { ...base, method: 'PATCH', entity: { type: 'property', key: 'shop' }, field };
    }
    if (random < 0.25) {
      const key = this.#random.pick(['g1', 'g2', 'g3']);
      return { ...base, method: 'DELETE', entity: { type: 'goal', key } };
    }
    if (random < 0.45) {
      const entity = { type: 'goal' as const, key: this.#random.pick(['g1', 'g2', 'g3']) };
      return { ...base, method: 'PUT', entity, field: { pointer: '/name', value: comment } };
    }
    if (random < 0.6) {
      const field = { pointer: '/name', value: comment };
      return { ...base, method: 'PATCH', entity: { type: 'segment', key: 'beta' }, field };
    }
    const key = this.#random.pick(['new-checkout', 'banner']);
    const field = { pointer: this.#random.pick(['/name', '/description', '/owner']), value: comment };
    return { ...base, method: 'PATCH', entity: { type: 'flag', key }, field };
  }
}

interface Connection {
  url: string;
  cookie: string;
  agent: Agent;
  /** The last version of each item that this client has seen. */
  seen: Map<string, number>;
}

async function send(connection: Connection, change: SentChange): Promise<void> {
  const { type, key } = change.entity;
  const path = type === 'property' ? PROPERTY : `${PROPERTY}/${PATHS[type]}/${key}`;
  const name = `${type} ${key}`;
  if (!connection.seen.has(name)) {
    const { etag } = await call(connection, 'GET', path);
    if (etag !== undefined) connection.seen.set(name, Number(etag.replaceAll('"', '')));
  }
  const version = connection.seen.get(name);
  const { status, etag, text } = await call(
    connection,
    change.method,
    `${path}?comment=${encodeURIComponent(change.comment)}`,
    { ...(version !== undefined && { version }), ...(change.field && { body: bodyOf(change) }) },
  );
  change.status = status;
  change.outcome = status < 300 ? 'acknowledged' : 'rejected';
  if (status >= 500) throw new Error(`${status} for ${change.method} ${path}: ${text}`);
  if (change.method === 'DELETE' || status === 404 || etag === undefined) connection.seen.delete(name);
  else connection.seen.set(name, Number(etag.replaceAll('"', '')));
  if (change.outcome === 'acknowledged' && etag !== undefined) change.version = connection.seen.get(name)!;
}

function bodyOf({ entity, field }: SentChange): object {
  const named = field === undefined ? {} : { [field.pointer.slice(1)]: field.value };
  return entity.type === 'goal' ? { kind: 'count', ...named } : named;
}

function call(
  { url, cookie, agent }: Connection,
  method: string,
  path: string,
  { version, body }: { version?: number; body?: object } = {},
): Promise<Response> {
  const headers = {
    cookie,
    origin: url,
    ...(version !== undefined && { 'if-match': `"${version}"` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  return new Promise((resolve, reject) => {
    const request = httpRequest(url + path, { method, agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part) => {
        text += part;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, etag: response.headers.etag, text }),
      );
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
