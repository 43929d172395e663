import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { beforeRequests } from '../limits/before-requests.ts';
import { Exchange, type ExchangeServices, type HotRoute } from './exchange.ts';
import { hasSeveralHosts } from './has-several-hosts.ts';
import type { IncomingRequest } from './incoming-request.ts';
import type { RequestLog } from './request-log.ts';
import type { RequestTimings } from './request-timings.ts';
import type { RequestTracing } from './request-tracing.ts';
import type { ShutdownNotice } from './shutdown-notice.ts';

/** Requests with this header are served by Fastify, to compare the lanes. */
const SLOW_LANE_HEADER = 'x-switchyard-slow-lane';

/** Larger bodies are rare, and parsing them costs more than Fastify does. */
const MAX_BODY_BYTES = 64 * 1024;

type LaneServices = Omit<ExchangeServices, 'record'> & {
  shutdownNotice: ShutdownNotice;
  /** Undefined: requests are not logged. */
  requestLog: RequestLog | undefined;
};

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
  readonly #services: LaneServices;

  constructor(services: LaneServices) {
    this.#services = services;
  }

  add(route: HotRoute): void {
    this.#routes[route.method].set(route.path, route);
  }

  /** Starts to serve the requests of an app that all routes were added to. */
  open(app: FastifyInstance, timings: RequestTimings, tracing?: RequestTracing): void {
    const services = { ...this.#services, record: recordIn(timings, this.#services.requestLog) };
    beforeRequests(app.server, (request, response, next) => {
      const route = this.#routeOf(request, response);
      if (route === undefined) {
        next(request, response);
        return;
      }
      const incoming = request as IncomingRequest;
      const followed = tracing === undefined ? route : tracing.follow(route, incoming, response);
      new Exchange(followed, incoming, response, services, next).start();
    });
  }

  /** Undefined: Fastify serves the request. */
  #routeOf(request: IncomingMessage, response: ServerResponse): HotRoute | undefined {
    const { method, url, headers } = request;
    if (method !== 'GET' && method !== 'POST') return undefined;
    const query = url!.indexOf('?');
    const route = this.#routes[method].get(query === -1 ? url! : url!.slice(0, query));
    if (route === undefined) return undefined;
    // During a shutdown, responses need another header. Without a socket, an earlier response is not finished.
    if (
      this.#services.shutdownNotice.isAnnounced ||
      response.socket === null ||
      headers[SLOW_LANE_HEADER] !== undefined
    )
      return undefined;
    if (hasSeveralHosts(request.rawHeaders)) return undefined;
    return (method === 'GET' ? hasNoBody(headers) : hasPlainBody(headers, route)) ? route : undefined;
  }
}

function recordIn(timings: RequestTimings, requestLog: RequestLog | undefined): ExchangeServices['record'] {
  if (requestLog === undefined) return (request, route, status) => timings.record(request, route, status);
  return (request, route, status) => {
    timings.record(request, route, status);
    requestLog.record(request, route, status);
  };
}

function hasNoBody(headers: IncomingHttpHeaders): boolean {
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
}

function hasPlainBody(headers: IncomingHttpHeaders, { mediaTypes }: HotRoute): boolean {
  const length = Number(headers['content-length']);
  return (
    length > 0 &&
    length <= MAX_BODY_BYTES &&
    mediaTypes.has(headers['content-type']!) &&
    headers['content-encoding'] === undefined &&
    headers['transfer-encoding'] === undefined
  );
}
