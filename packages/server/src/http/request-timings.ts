import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, onRequestHookHandler, RouteOptions } from 'fastify';
import { refusalOf } from './broken-request.ts';

const NAME = 'switchyard_http_request_duration_seconds';
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** Node announces every request and response here; hooks and listeners on each would cost several times as much. */
const STARTED = 'http.server.request.start';
const FINISHED = 'http.server.response.finish';

/** The label of whatever no route answers: a path must not become a label, since callers choose it. */
const UNMATCHED = 'unmatched';
/** The label of what could not be read as HTTP. */
const UNKNOWN_METHOD = 'unknown';

interface Series {
  readonly labels: string;
  readonly buckets: Float64Array;
  count: number;
  sum: number;
}

const STARTED_AT = Symbol('startedAt');
const ROUTE = Symbol('route');

interface TimedResponse extends ServerResponse {
  [STARTED_AT]?: number;
  [ROUTE]?: string | undefined;
}

interface Announcement {
  request: IncomingMessage;
  response: TimedResponse;
}

/** Requests by route and status with their duration, counted with plain additions and written out when asked for. */
export class RequestTimings {
  /** Paths of routes without parameters. */
  readonly #fixed = new Set<string>();
  readonly #series = new Map<string, Series>();

  observe(app: FastifyInstance): void {
    app.addHook('onRoute', (route) => this.#name(route));
    const onStarted = (message: unknown) => {
      (message as Announcement).response[STARTED_AT] = performance.now();
    };
    const onFinished = (message: unknown) => this.#finished(message as Announcement);
    subscribe(STARTED, onStarted);
    subscribe(FINISHED, onFinished);
    app.addHook('onClose', async () => {
      unsubscribe(STARTED, onStarted);
      unsubscribe(FINISHED, onFinished);
    });
    app.server.prependListener('clientError', (error: Error, socket: Socket) => {
      const refusal = refusalOf(error, socket);
      if (refusal !== undefined) this.#record(UNKNOWN_METHOD, UNMATCHED, refusal[0], 0);
    });
  }

  /** A route with a fixed path is found by that path; others say who they are, which costs a hook. */
  #name(route: RouteOptions): void {
    const { url } = route;
    if (!/[:*]/.test(url)) {
      this.#fixed.add(url);
      return;
    }
    const name: onRequestHookHandler = (_request, reply, done) => {
      (reply.raw as TimedResponse)[ROUTE] = url;
      done();
    };
    route.onRequest = [name, ...[route.onRequest ?? []].flat()];
  }

  #routeOf(url: string, response: TimedResponse): string {
    if (response[ROUTE] !== undefined) return response[ROUTE];
    const query = url.indexOf('?');
    const path = query === -1 ? url : url.slice(0, query);
    return this.#fixed.has(path) && response.statusCode !== 405 ? path : UNMATCHED;
  }

  #finished({ request, response }: Announcement): void {
    const startedAt = response[STARTED_AT];
    if (startedAt === undefined) return;
    const seconds = (performance.now() - startedAt) / 1000;
    this.#record(request.method!, this.#routeOf(request.url!, response), response.statusCode, seconds);
  }

  #record(method: string, route: string, status: number, seconds: number): void {
    const key = `${method} ${status} ${route}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      // Routes may hold regular expressions, with backslashes.
      const escaped = route.replace(/[\\"]/g, '\\$&');
      const labels = `method="${method}",route="${escaped}",status="${status}"`;
      series = { labels, buckets: new Float64Array(BUCKETS.length), count: 0, sum: 0 };
      this.#series.set(key, series);
    }
    series.count += 1;
    series.sum += seconds;
    const bucket = BUCKETS.findIndex((bound) => seconds <= bound);
    if (bucket !== -1) series.buckets[bucket]! += 1;
  }

  /** In the text format of Prometheus. */
  text(): string {
    const lines = [...this.#series.values()].flatMap(({ labels, buckets, count, sum }) => {
      let below = 0;
      const counts = BUCKETS.map((bound, i) => {
        below += buckets[i]!;
        return `${NAME}_bucket{${labels},le="${bound}"} ${below}`;
      });
      return [
        ...counts,
        `${NAME}_bucket{${labels},le="+Inf"} ${count}`,
        `${NAME}_sum{${labels}} ${sum}`,
        `${NAME}_count{${labels}} ${count}`,
      ];
    });
    return [`# HELP ${NAME} Requests by route and status`, `# TYPE ${NAME} histogram`, ...lines, ''].join(
      '\n',
    );
  }
}
