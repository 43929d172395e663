import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { parse as parseQuery } from 'fast-querystring';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import type { ApiKey } from '../storage/property-configuration.ts';
import { beforeRequests } from './before-requests.ts';
import type { Caller } from './caller.ts';
import { clientAddress, type TrustsProxy } from './client-address.ts';
import type { HotHandler, HotReply, HotRequest } from './hot-route.ts';
import { endWithBuffer } from './plain-writes.ts';
import { requestIdOf } from './request-id.ts';
import type { UnsentOutput } from './unsent-output.ts';

/** Requests with this header are served by Fastify, to compare the lanes. */
const SLOW_LANE_HEADER = 'x-switchyard-slow-lane';

/** Larger bodies are rare, and parsing them costs more than Fastify does. */
const MAX_BODY_BYTES = 64 * 1024;

const JSON_TYPES = new Set([
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-8',
  'application/json;charset=UTF-8',
]);

/** How a declared route is served, the same in both lanes. */
interface HotRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Checks key and rate limit; throws, or rejects if it had to ask another process. */
  readonly authorize: (request: HotRequest, reply: HotReply) => Promise<void> | undefined;
  readonly validate: (request: HotRequest & { params: unknown }) => void;
  // biome-ignore lint/suspicious/noExplicitAny: each route has its own body and query; its schema checks them
  readonly handler: HotHandler<any>;
}

interface Parts {
  trusts: TrustsProxy | undefined;
  output: UnsentOutput;
  parseBody: (body: Buffer) => unknown;
}

/**
 * Serves the plain requests of hot routes without Fastify, which takes longer than most of these routes themselves.
 * It runs the same check of the key, the same validation and the same handler, and only replaces what is around them.
 *
 * Everything else is passed to Fastify: other routes, and requests with anything unusual, before anything is done;
 * and failed requests, so that every error is described in one place. They are not handled again: the hook of the
 * route only throws the error, see `passOnFailure`.
 */
export class FastLane {
  readonly #routes = { GET: new Map<string, HotRoute>(), POST: new Map<string, HotRoute>() };
  readonly #parts: Parts;
  #closing = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  add(route: HotRoute): void {
    this.#routes[route.method].set(route.path, route);
  }

  /** Starts to serve the requests of an app that all routes were added to. */
  open(app: FastifyInstance): void {
    app.addHook('preClose', (done) => {
      this.#closing = true;
      done();
    });
    beforeRequests(app.server, (request, response, next) => {
      const route = this.#routeOf(request, response);
      if (route === undefined) next(request, response);
      else new Exchange(route, request, response, this.#parts, next).start();
    });
  }

  /** Undefined: Fastify serves the request. */
  #routeOf({ method, url, headers }: IncomingMessage, response: ServerResponse): HotRoute | undefined {
    if (method !== 'GET' && method !== 'POST') return undefined;
    const query = method === 'GET' ? url!.indexOf('?') : -1;
    const route = this.#routes[method].get(query === -1 ? url! : url!.slice(0, query));
    if (route === undefined) return undefined;
    // While closing, responses need another header. Without a socket, an earlier response is not finished.
    if (this.#closing || response.socket === null || headers[SLOW_LANE_HEADER] !== undefined)
      return undefined;
    return (method === 'GET' ? hasNoBody(headers) : hasPlainBody(headers)) ? route : undefined;
  }
}

function hasNoBody(headers: IncomingHttpHeaders): boolean {
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
}

function hasPlainBody(headers: IncomingHttpHeaders): boolean {
  const length = Number(headers['content-length']);
  return (
    length > 0 &&
    length <= MAX_BODY_BYTES &&
    JSON_TYPES.has(headers['content-type']!) &&
    headers['content-encoding'] === undefined &&
    headers['transfer-encoding'] === undefined
  );
}

const NO_PARAMS = {};

/** A request of a hot route and its response. */
class Exchange implements HotRequest, HotReply {
  readonly headers: IncomingHttpHeaders;
  readonly url: string;
  readonly params = NO_PARAMS;
  query: unknown;
  body: unknown;
  apiKey: ApiKey = undefined as never;
  caller: Caller = undefined as never;
  readonly #route: HotRoute;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #parts: Parts;
  readonly #next: RequestListener;
  readonly #sent: Record<string, string>;
  #status = 200;

  constructor(
    route: HotRoute,
    request: IncomingMessage,
    response: ServerResponse,
    parts: Parts,
    next: RequestListener,
  ) {
    this.headers = request.headers;
    this.url = request.url!;
    this.#route = route;
    this.#request = request;
    this.#response = response;
    this.#parts = parts;
    this.#next = next;
    this.#sent = { 'x-request-id': requestIdOf(request) };
  }

  get ip(): string {
    return clientAddress(this.#request, this.#parts.trusts);
  }

  start(): void {
    try {
      const authorizing = this.#route.authorize(this, this);
      if (authorizing === undefined) this.#receive();
      else authorizing.then(() => this.#receive()).catch((error) => this.#fail(error));
    } catch (error) {
      this.#fail(error);
    }
  }

  #receive(): void {
    if (this.#route.method === 'GET') {
      const { url } = this;
      const start = url.indexOf('?');
      this.query = start === -1 ? {} : parseQuery(url.slice(start + 1));
      this.#handle();
      return;
    }
    this.query = {};
    let body: Buffer | undefined;
    // Almost always a single part.
    this.#request.on('data', (part: Buffer) => {
      body = body === undefined ? part : Buffer.concat([body, part]);
    });
    this.#request.on('end', () => {
      try {
        this.body = this.#parse(body!);
        this.#handle();
      } catch (error) {
        this.#fail(error);
      }
    });
  }

  #parse(body: Buffer): unknown {
    try {
      return this.#parts.parseBody(body);
    } catch (error) {
      // Fastify ends the connection if it cannot parse a body.
      this.header('connection', 'close');
      throw error;
    }
  }

  #handle(): void {
    this.#route.validate(this);
    const handled = this.#route.handler(this, this);
    if (handled instanceof Promise) handled.catch((error) => this.#fail(error));
  }

  /** The response of Fastify has a request id of its own. */
  #fail(error: unknown): void {
    const { 'x-request-id': _id, ...headers } = this.#sent;
    failures.set(this.#request, { error: error as Error, headers });
    this.#next(this.#request, this.#response);
  }

  header(name: string, value: string): void {
    this.#sent[name] = value;
  }

  getHeader(name: string): string | undefined {
    return this.#sent[name];
  }

  getHeaders(): Record<string, string> {
    return this.#sent;
  }

  removeHeader(name: string): void {
    delete this.#sent[name];
  }

  type(contentType: string): this {
    this.#sent['content-type'] = contentType;
    return this;
  }

  code(status: number): this {
    this.#status = status;
    return this;
  }

  send(body?: string | Buffer): void {
    if (body === undefined) {
      this.#response.writeHead(this.#status, this.#sent).end();
      return;
    }
    this.#parts.output.admit(this.#response, body, this);
    const bytes = Buffer.byteLength(body);
    this.#sent['content-length'] = String(bytes);
    this.#response.writeHead(this.#status, this.#sent);
    if (typeof body !== 'string') endWithBuffer(this.#response, body);
    // Pure ASCII: the same bytes in Latin-1, which takes less time to encode.
    else this.#response.end(body, bytes === body.length ? 'latin1' : 'utf8');
  }
}

interface Failure {
  error: Error;
  /** Those that were already decided. */
  headers: Record<string, string>;
}

const failures = new WeakMap<IncomingMessage, Failure>();

/** Makes the hook of a hot route throw the error of a request that failed in the fast lane, instead of running. */
export function passOnFailure(hook: onRequestHookHandler): onRequestHookHandler {
  return function onRequest(request, reply, done) {
    const failure = failures.get(request.raw);
    if (failure === undefined) return hook.call(this, request, reply, done);
    reply.headers(failure.headers);
    done(failure.error);
  };
}
