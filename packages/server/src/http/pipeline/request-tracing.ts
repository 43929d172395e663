import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RequestSpan, RequestTracer } from '../../platform/tracing/tracer.ts';

/** Probes every few seconds would hide the requests that matter. */
const NOT_TRACED = new Set(['/healthz', '/readyz', '/metrics']);

/** A span per request. Only call it if tracing is on: hooks and listeners per request cost time. */
export function traceRequests(app: FastifyInstance, tracer: RequestTracer): void {
  const spans = new WeakMap<FastifyRequest, RequestSpan>();
  app.addHook('onRequest', (request, reply, done) => {
    const route = request.routeOptions.url;
    if (route === undefined || !NOT_TRACED.has(route)) {
      const span = tracer.startRequest({
        method: request.method,
        route,
        traceParent: request.headers.traceparent,
        requestId: request.id,
        elapsedMs: reply.elapsedTime,
      });
      if (span !== undefined) {
        spans.set(request, span);
        reply.raw.once('close', () => span.end(reply.raw.headersSent ? reply.raw.statusCode : undefined));
      }
    }
    done();
  });
  // Not earlier: reading the body loses the context.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span === undefined) done();
    else span.run(done);
  });
}
