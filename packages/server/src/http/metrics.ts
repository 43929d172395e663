import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Why an event that came in a valid request was not recorded. */
export type DropReason = 'unknown_split_test' | 'unknown_variation' | 'idempotent_replay';

export type EventKind = 'exposure' | 'conversion' | 'feedback' | 'session_event';

export interface StorageGauges {
  journalBytes: number;
  lag: number;
}

export class Metrics {
  readonly registry = new Registry();
  readonly #requests = new Histogram({
    name: 'switchyard_http_request_duration_seconds',
    help: 'Requests by route and status, with their duration',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [this.registry],
  });
  readonly #events = new Counter({
    name: 'switchyard_events_total',
    help: 'Events acknowledged, by kind',
    labelNames: ['kind'],
    registers: [this.registry],
  });
  readonly #drops = new Counter({
    name: 'switchyard_events_dropped_total',
    help: 'Events of valid requests that were not recorded, by reason',
    labelNames: ['reason'],
    registers: [this.registry],
  });

  constructor(storage: () => StorageGauges) {
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: 50 });
    this.#gauge(
      'switchyard_journal_bytes',
      'Acknowledged bytes not yet in the event store',
      () => storage().journalBytes,
    );
    this.#gauge(
      'switchyard_journal_lag_requests',
      'Acknowledged requests not yet in the event store',
      () => storage().lag,
    );
  }

  accepted(kind: EventKind, count: number): void {
    this.#events.inc({ kind }, count);
  }

  dropped(reason: DropReason, count: number): void {
    if (count > 0) this.#drops.inc({ reason }, count);
  }

  /** Times every request; one observer per route and status, made when first needed. */
  observe(app: FastifyInstance): void {
    app.addHook('onRoute', (route) => {
      const method = String(route.method);
      const observers = new Map<number, { observe(seconds: number): void }>();
      const record = (_request: FastifyRequest, reply: FastifyReply, done: () => void) => {
        let observer = observers.get(reply.statusCode);
        if (observer === undefined) {
          observer = this.#requests.labels(method, route.url, String(reply.statusCode));
          observers.set(reply.statusCode, observer);
        }
        observer.observe(reply.elapsedTime / 1000);
        done();
      };
      const others = route.onResponse === undefined ? [] : [route.onResponse].flat();
      route.onResponse = [record, ...others] as typeof route.onResponse;
    });
  }

  #gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }
}
