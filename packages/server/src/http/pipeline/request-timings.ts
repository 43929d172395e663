import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, onRequestHookHandler, RouteOptions } from 'fastify';
import { beforeRequests } from '../limits/before-requests.ts';
import { refusalOf } from './broken-request.ts';
import { IncomingRequest } from './incoming-request.ts';

const NAME = 'switchyard_http_request_duration_seconds';
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** The route label for unknown paths: clients choose the path, so it must not become a label. */
const UNMATCHED = 'unmatched';
/** The method label for input that is not valid HTTP. */
const UNKNOWN_METHOD = 'unknown';

export interface TimingSeries {
  readonly labels: string;
  readonly buckets: Float64Array;
  count: number;
  sum: number;
}

const ROUTE = Symbol('route');

interface TimedResponse extends ServerResponse {
  [ROUTE]?: string | undefined;
}

/** Request durations by route and status; recording is plain addition, formatting happens when metrics are scraped. */
export class RequestTimings {
  /** Paths of routes without parameters. */
  readonly #fixed = new Set<string>();
  /** By route, method and status: nested, because putting a key together for each request costs more. */
  readonly #series = new Map<string, Map<string, TimingSeries[]>>();

  /**
   * Records the requests that reach Fastify. Others are recorded by those who serve them, whose steps have to be added
   * later, see `beforeRequests`.
   */
  observe(app: FastifyInstance): void {
    app.addHook('onRoute', (route) => this.#label(route));
    const timings = this;
    function onFinish(this: ServerResponse): void {
      timings.#finished(this.req, this);
    }
    beforeRequests(app.server, (request, response, next) => {
      response.once('finish', onFinish);
      next(request, response);
    });
    app.server.prependListener('clientError', (error: Error, socket: Socket) => {
      const refusal = refusalOf(error, socket);
      if (refusal !== undefined) this.#record(UNKNOWN_METHOD, UNMATCHED, refusal[0], 0);
    });
  }

  /** Routes with a fixed path are recognized by that path; others need a hook that sets their label. */
  #label(route: RouteOptions): void {
    const { url } = route;
    if (!/[:*]/.test(url)) {
      this.#fixed.add(url);
      return;
    }
    const setRoute: onRequestHookHandler = (_request, reply, done) => {
      (reply.raw as TimedResponse)[ROUTE] = url;
      done();
    };
    route.onRequest = [setRoute, ...[route.onRequest ?? []].flat()];
  }

  #routeOf(url: string, response: TimedResponse): string {
    if (response[ROUTE] !== undefined) return response[ROUTE];
    const query = url.indexOf('?');
    const path = query === -1 ? url : url.slice(0, query);
    return this.#fixed.has(path) && response.statusCode !== 405 ? path : UNMATCHED;
  }

  #finished(request: IncomingMessage, response: TimedResponse): void {
    if (!(request instanceof IncomingRequest)) return;
    this.record(request, this.#routeOf(request.url!, response), response.statusCode);
  }

  record({ method, elapsedMs }: IncomingRequest, route: string, status: number): void {
    this.#record(method!, route, status, elapsedMs / 1000);
  }

  #record(method: string, route: string, status: number, seconds: number): void {
    const series = this.#series.get(route)?.get(method)?.[status] ?? this.#addSeries(method, route, status);
    series.count += 1;
    series.sum += seconds;
    let bucket = 0;
    while (bucket < BUCKETS.length && seconds > BUCKETS[bucket]!) bucket++;
    if (bucket < BUCKETS.length) series.buckets[bucket]! += 1;
  }

  #addSeries(method: string, route: string, status: number): TimingSeries {
    // Route patterns may contain regular expressions with backslashes.
    const escaped = route.replace(/[\\"]/g, '\\$&');
    const labels = `method="${method}",route="${escaped}",status="${status}"`;
    const series = { labels, buckets: new Float64Array(BUCKETS.length), count: 0, sum: 0 };
    const methods = this.#series.get(route) ?? new Map<string, TimingSeries[]>();
    this.#series.set(route, methods);
    const statuses = methods.get(method) ?? [];
    methods.set(method, statuses);
    statuses[status] = series;
    return series;
  }

  series(): TimingSeries[] {
    const statuses = [...this.#series.values()].flatMap((methods) => [...methods.values()]);
    return statuses.flatMap((byStatus) => Object.values(byStatus));
  }

  text(): string {
    return timingsText(this.series());
  }
}

/** Adds up the durations of several processes. */
export function sumTimings(processes: readonly (readonly TimingSeries[])[]): TimingSeries[] {
  const sums = new Map<string, TimingSeries>();
  for (const { labels, buckets, count, sum } of processes.flat()) {
    const known = sums.get(labels);
    sums.set(labels, {
      labels,
      buckets: buckets.map((value, i) => value + (known?.buckets[i] ?? 0)),
      count: count + (known?.count ?? 0),
      sum: sum + (known?.sum ?? 0),
    });
  }
  return [...sums.values()];
}

/** In the Prometheus text format. */
export function timingsText(series: readonly TimingSeries[]): string {
  const lines = series.flatMap(({ labels, buckets, count, sum }) => {
    let cumulative = 0;
    const counts = BUCKETS.map((bound, i) => {
      cumulative += buckets[i]!;
      return `${NAME}_bucket{${labels},le="${bound}"} ${cumulative}`;
    });
    return [
      ...counts,
      `${NAME}_bucket{${labels},le="+Inf"} ${count}`,
      `${NAME}_sum{${labels}} ${sum}`,
      `${NAME}_count{${labels}} ${count}`,
    ];
  });
  return [
    `# HELP ${NAME} Request duration, by route and status`,
    `# TYPE ${NAME} histogram`,
    ...lines,
    '',
  ].join('\n');
}
