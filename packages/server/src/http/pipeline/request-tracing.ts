import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { RequestSpan, RequestTracer } from '../../platform/tracing/tracer.ts';
import type { HotRoute } from './exchange.ts';
import type { IncomingRequest } from './incoming-request.ts';

/** Probes every few seconds would hide the requests that matter. */
const NOT_TRACED = new Set(['/healthz', '/readyz', '/metrics']);

/** A span per request. Only exists if tracing is on: hooks and listeners per request cost time. */
export class RequestTracing {
  readonly #tracer: RequestTracer;
  /** Undefined: the request is not traced. */
  readonly #spans = new WeakMap<object, RequestSpan | undefined>();

  constructor(tracer: RequestTracer) {
    this.#tracer = tracer;
  }

  /** Traces the requests that reach Fastify. */
  observe(app: FastifyInstance): void {
    app.addHook('onRequest', ({ raw, routeOptions }, reply, done) => {
      const isFromFastLane = this.#spans.has(raw);
      if (!isFromFastLane && !NOT_TRACED.has(routeOptions.url!))
        this.#start(raw as IncomingRequest, reply.raw, routeOptions.url);
      done();
    });
    // Not earlier: reading the body loses the context.
    app.addHook('preValidation', ({ raw }, _reply, done) => {
      const span = this.#spans.get(raw);
      if (span === undefined) done();
      else span.run(done);
    });
  }

  /** Starts the span of a request in the fast lane; returns the route that makes the work of the handler a part of it. */
  follow(route: HotRoute, request: IncomingRequest, response: ServerResponse): HotRoute {
    const span = this.#start(request, response, route.path);
    if (span === undefined) return route;
    return { ...route, serve: (hotRequest, reply) => span.run(() => route.serve(hotRequest, reply)) };
  }

  #start(
    request: IncomingRequest,
    response: ServerResponse,
    route: string | undefined,
  ): RequestSpan | undefined {
    const span = this.#tracer.startRequest({
      method: request.method!,
      route,
      traceParent: request.headers.traceparent,
      requestId: request.id,
      elapsedMs: request.elapsedMs,
    });
    this.#spans.set(request, span);
    if (span !== undefined)
      response.once('close', () => span.end(response.headersSent ? response.statusCode : undefined));
    return span;
  }
}
