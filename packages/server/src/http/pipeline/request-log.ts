import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { IncomingRequest } from './incoming-request.ts';

/** Logs one line per request, with its route instead of its path: paths have ids of visitors, users and sessions. */
export class RequestLog {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Logs the requests that Fastify answers. */
  observe(app: FastifyInstance): void {
    app.addHook('onResponse', ({ raw, routeOptions }, { statusCode }, done) => {
      this.record(raw as IncomingRequest, routeOptions.url ?? 'unknown', statusCode);
      done();
    });
  }

  record(request: IncomingRequest, route: string, status: number): void {
    this.#logger.debug(
      {
        reqId: request.id,
        method: request.method,
        route,
        status,
        ms: Math.round(request.elapsedMs * 10) / 10,
      },
      'request',
    );
  }
}
