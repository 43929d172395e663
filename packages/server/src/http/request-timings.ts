import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const NAME = 'switchyard_http_request_duration_seconds';
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** Node announces every finished response here; listening to each response would cost several times as much. */
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

interface TimedResponse extends ServerResponse {
  [ROUTE]?: Route;
  [STARTED_AT]?: number;
}

const ROUTE = Symbol('route');
const STARTED_AT = Symbol('startedAt');

/** Requests by route and status with their duration, counted with plain additions and written out when asked for. */
export class RequestTimings {
  readonly #routes: Route[] = [];

  observe(app: FastifyInstance): void {
    app.addHook('onRoute', (options) => {
      const route: Route = { method: String(options.method), url: options.url, byStatus: new Map() };
      this.#routes.push(route);
      const start = (_request: FastifyRequest, reply: FastifyReply, done: () => void) => {
        const response = reply.raw as TimedResponse;
        response[ROUTE] = route;
        response[STARTED_AT] = performance.now();
        done();
      };
      const others = options.onRequest === undefined ? [] : [options.onRequest].flat();
      options.onRequest = [start, ...others] as typeof options.onRequest;
    });
    subscribe(FINISHED, onFinished);
    app.addHook('onClose', async () => {
      unsubscribe(FINISHED, onFinished);
    });
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

function onFinished(message: unknown): void {
  const { response } = message as { response: TimedResponse };
  const route = response[ROUTE];
  if (route === undefined) return;
  record(route, response.statusCode, (performance.now() - response[STARTED_AT]!) / 1000);
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
