import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { matchesPattern } from './route-pattern.ts';

const NAME = 'switchyard_http_request_duration_seconds';
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** Node announces every request and response here; hooks and listeners on each would cost several times as much. */
const STARTED = 'http.server.request.start';
const FINISHED = 'http.server.response.finish';

interface Series {
  readonly labels: string;
  readonly buckets: Float64Array;
  count: number;
  sum: number;
}

interface Route {
  readonly method: string;
  readonly url: string;
  readonly byStatus: Map<number, Series>;
}

const STARTED_AT = Symbol('startedAt');

interface TimedResponse extends ServerResponse {
  [STARTED_AT]?: number;
}

interface Announcement {
  request: IncomingMessage;
  response: TimedResponse;
}

/** Requests by route and status with their duration, counted with plain additions and written out when asked for. */
export class RequestTimings {
  readonly #routes: Route[] = [];
  readonly #byAddress = new Map<string, Route>();

  observe(app: FastifyInstance): void {
    app.addHook('onRoute', ({ method, url }) => {
      const route: Route = { method: String(method), url, byStatus: new Map() };
      this.#routes.push(route);
      if (!url.includes(':')) this.#byAddress.set(`${route.method} ${url}`, route);
    });
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
  }

  #finished({ request, response }: Announcement): void {
    const startedAt = response[STARTED_AT];
    const route = this.#routeOf(request);
    if (route === undefined || startedAt === undefined) return;
    record(route, response.statusCode, (performance.now() - startedAt) / 1000);
  }

  #routeOf({ method = '', url = '' }: IncomingMessage): Route | undefined {
    const query = url.indexOf('?');
    const path = query === -1 ? url : url.slice(0, query);
    return (
      this.#byAddress.get(`${method} ${path}`) ??
      this.#routes.find((route) => route.method === method && matchesPattern(route.url, path))
    );
  }

  /** In the text format of Prometheus. */
  text(): string {
    const series = this.#routes.flatMap(({ byStatus }) => [...byStatus.values()]);
    const lines = series.flatMap(({ labels, buckets, count, sum }) => {
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

function record(route: Route, status: number, seconds: number): void {
  let series = route.byStatus.get(status);
  if (series === undefined) {
    const labels = `method="${route.method}",route="${route.url}",status="${status}"`;
    series = { labels, buckets: new Float64Array(BUCKETS.length), count: 0, sum: 0 };
    route.byStatus.set(status, series);
  }
  series.count += 1;
  series.sum += seconds;
  for (let i = 0; i < BUCKETS.length; i++) {
    if (seconds <= BUCKETS[i]!) {
      series.buckets[i]! += 1;
      return;
    }
  }
}
