import type { IncomingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { parse as parseQuery } from 'fast-querystring';
import type { onRequestHookHandler } from 'fastify';
import type { ApiKey } from '../../configuration/property/property-configuration.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { clientAddress, type TrustsProxy } from '../access/client-address.ts';
import type { Caller } from '../contract/caller.ts';
import type { HotHandler, HotReply, HotRequest } from '../contract/hot-route.ts';
import type { UnsentOutput } from '../limits/unsent-output.ts';
import type { IncomingRequest } from './incoming-request.ts';
import { endWithBuffer } from './plain-writes.ts';
import type { ResponseQueue } from './response-queue.ts';

/** How a declared route is served, the same in both lanes. */
export interface HotRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Of bodies. */
  readonly mediaTypes: ReadonlySet<string>;
  /** Checks key and rate limit; throws, or rejects if it had to ask another process. */
  readonly authorize: (request: HotRequest, reply: HotReply) => Promise<void> | undefined;
  /** Validates and handles the request. */
  // biome-ignore lint/suspicious/noExplicitAny: each route has its own body and query; its schema checks them
  readonly serve: HotHandler<any>;
}

export interface ExchangeServices {
  trusts: TrustsProxy | undefined;
  output: UnsentOutput;
  queue: ResponseQueue;
  parseBody: (body: Buffer) => unknown;
  /** Of a request that was answered. */
  record: (request: IncomingRequest, route: string, status: number) => void;
}

const NO_PARAMS = {};

/** A request of a hot route and its response. */
export class Exchange implements HotRequest, HotReply {
  readonly headers: IncomingHttpHeaders;
  readonly url: string;
  readonly params = NO_PARAMS;
  query: unknown;
  body: unknown;
  apiKey: ApiKey = undefined as never;
  awaitsKey = false;
  caller: Caller = undefined as never;
  readonly #route: HotRoute;
  readonly #request: IncomingRequest;
  readonly #response: ServerResponse;
  readonly #services: ExchangeServices;
  readonly #next: RequestListener;
  /** Names and values in turn: setting properties whose names are not constant takes longer. */
  readonly #headers: string[];
  #status = 200;
  #sent: string | Buffer | undefined;

  constructor(
    route: HotRoute,
    request: IncomingRequest,
    response: ServerResponse,
    services: ExchangeServices,
    next: RequestListener,
  ) {
    this.headers = request.headers;
    this.url = request.url!;
    const start = this.url.indexOf('?');
    this.query = start === -1 ? {} : parseQuery(this.url.slice(start + 1));
    this.#route = route;
    this.#request = request;
    this.#response = response;
    this.#services = services;
    this.#next = next;
    this.#headers = ['x-request-id', request.id];
  }

  get ip(): string {
    return clientAddress(this.#request, this.#services.trusts);
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
      this.#handle();
      return;
    }
    this.#request.onBody((body) => {
      try {
        this.body = this.#parse(body);
        this.#handle();
      } catch (error) {
        this.#fail(error);
      }
    });
  }

  #parse(body: Buffer): unknown {
    try {
      return this.#services.parseBody(body);
    } catch (error) {
      // Fastify ends the connection if it cannot parse a body.
      this.header('connection', 'close');
      throw this.awaitsKey ? new ApiError('api_key_missing') : error;
    }
  }

  #handle(): void {
    const handled = this.#route.serve(this, this);
    if (handled instanceof Promise) handled.catch((error) => this.#fail(error));
  }

  #fail(error: unknown): void {
    failures.set(this.#request, { error: error as Error, headers: this.getHeaders() });
    this.#next(this.#request, this.#response);
  }

  header(name: string, value: string): void {
    const at = this.#indexOf(name);
    if (at === -1) this.#headers.push(name, value);
    else this.#headers[at + 1] = value;
  }

  getHeader(name: string): string | undefined {
    const at = this.#indexOf(name);
    return at === -1 ? undefined : this.#headers[at + 1];
  }

  getHeaders(): Record<string, string> {
    const headers: Record<string, string> = {};
    for (let at = 0; at < this.#headers.length; at += 2) headers[this.#headers[at]!] = this.#headers[at + 1]!;
    return headers;
  }

  removeHeader(name: string): void {
    const at = this.#indexOf(name);
    if (at !== -1) this.#headers.splice(at, 2);
  }

  #indexOf(name: string): number {
    for (let at = 0; at < this.#headers.length; at += 2) if (this.#headers[at] === name) return at;
    return -1;
  }

  type(contentType: string): this {
    this.header('content-type', contentType);
    return this;
  }

  code(status: number): this {
    this.#status = status;
    return this;
  }

  send(body?: string | Buffer): void {
    if (body !== undefined) {
      this.#services.output.admit(this.#response, body, this);
      this.#sent = body;
    }
    this.#services.queue.add(this);
  }

  write(): void {
    try {
      this.#end();
      // Almost always everything is sent at once.
      if (this.#response.writableFinished) this.#record();
      else this.#response.once('finish', () => this.#record());
    } catch (error) {
      this.#fail(error);
    }
  }

  #end(): void {
    const response = this.#response;
    const body = this.#sent;
    if (body === undefined) {
      response.writeHead(this.#status, this.#headers).end();
      return;
    }
    this.#headers.push('content-length', String(Buffer.byteLength(body)));
    response.writeHead(this.#status, this.#headers);
    if (typeof body === 'string') response.end(body);
    else endWithBuffer(response, body);
  }

  #record(): void {
    this.#services.record(this.#request, this.#route.path, this.#status);
  }
}

interface Failure {
  error: Error;
  /** Those that were already decided. */
  headers: Record<string, string>;
}

const failures = new WeakMap<object, Failure>();

/** Makes the hook of a hot route throw the error of a request that failed in the fast lane, instead of running. */
export function passOnFailure(hook: onRequestHookHandler): onRequestHookHandler {
  return function onRequest(request, reply, done) {
    const failure = failures.get(request.raw);
    if (failure === undefined) return hook.call(this, request, reply, done);
    reply.headers(failure.headers);
    done(failure.error);
  };
}
