import type { FastifyInstance } from 'fastify';
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import { RequestTimings, type TimingSeries } from '../pipeline/request-timings.ts';

/** Why an event of a valid request was not recorded. */
export type DropReason =
  | 'unknown_split_test'
  | 'unknown_variation'
  | 'unknown_rule'
  | 'idempotent_replay'
  | 'suppressed'
  | 'not_stored';

export type EventKind = 'exposure' | 'conversion' | 'feedback' | 'session_event';

export interface MetricSources {
  storage: () => StorageGauges;
  /** Number of properties whose A/A test raises an alarm. */
  aaAlarms: () => number;
  node: { readonly isAvailable: boolean; readonly isLeader: boolean };
  /** Undefined if this process serves all requests. */
  workers?: WorkerCounts | undefined;
}

/** Processes that serve requests, and how many were replaced so far. */
export interface WorkerCounts {
  serving: () => number;
  restarts: () => number;
}

interface StorageGauges {
  journalBytes: number;
  idempotencyBytes: number;
  lag: number;
  damage?: string;
}

/** The metrics of a process, to be combined with those of others. */
export interface MetricsSnapshot {
  metrics: MetricObjectWithValues<MetricValue<string>>[];
  timings: TimingSeries[];
}

/** Gauges of prom-client that are named like counters; prom-client also exports them by type, with correct names. */
const MISNAMED = ['handles', 'requests', 'resources'].map((name) => `nodejs_active_${name}_total`);

/** Hot paths only add to plain numbers; the rest happens when metrics are scraped. */
export class Metrics {
  readonly #registry = new Registry();
  readonly timings = new RequestTimings();
  readonly #accepted: Record<EventKind, number> = {
    exposure: 0,
    conversion: 0,
    feedback: 0,
    session_event: 0,
  };
  readonly #dropped: Record<DropReason, number> = {
    unknown_split_test: 0,
    unknown_rule: 0,
    unknown_variation: 0,
    idempotent_replay: 0,
    suppressed: 0,
    not_stored: 0,
  };

  constructor({ storage, aaAlarms, node, workers }: MetricSources) {
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: 50 });
    for (const name of MISNAMED) this.#registry.removeSingleMetric(name);
    this.#counter('switchyard_events_total', 'Acknowledged events, by kind', 'kind', this.#accepted);
    this.#counter(
      'switchyard_events_dropped_total',
      'Events of valid requests that were dropped, by reason',
      'reason',
      this.#dropped,
    );
    this.#gauge('switchyard_journal_bytes', 'Acknowledged bytes not yet in the event store', () => {
      return storage().journalBytes;
    });
    this.#gauge('switchyard_journal_lag_requests', 'Acknowledged requests not yet in the event store', () => {
      return storage().lag;
    });
    this.#gauge('switchyard_idempotency_bytes', 'Size of the idempotency keys of the last 24 hours', () => {
      return storage().idempotencyBytes;
    });
    this.#gauge('switchyard_storage_damaged', '1 if the event store is damaged, otherwise 0', () => {
      return storage().damage === undefined ? 0 : 1;
    });
    this.#gauge('switchyard_aa_test_alarms', 'Properties whose built-in A/A test raises an alarm', aaAlarms);
    this.#gauge(
      'switchyard_database_available',
      '1 if the configuration database can be reached, otherwise 0',
      () => Number(node.isAvailable),
    );
    this.#gauge('switchyard_leader', '1 if this node runs the background jobs, otherwise 0', () =>
      Number(node.isLeader),
    );
    if (workers === undefined) return;
    this.#gauge('switchyard_workers', 'Worker processes that serve requests', workers.serving);
    this.#gauge('switchyard_worker_restarts', 'Worker processes that were replaced', workers.restarts);
  }

  async text(): Promise<string> {
    return `${this.timings.text()}\n${await this.#registry.metrics()}`;
  }

  async snapshot(): Promise<MetricsSnapshot> {
    return { metrics: await this.#registry.getMetricsAsJSON(), timings: this.timings.series() };
  }

  accepted(kind: EventKind, count: number): void {
    this.#accepted[kind] += count;
  }

  dropped(reason: DropReason, count: number): void {
    this.#dropped[reason] += count;
  }

  observe(app: FastifyInstance): void {
    this.timings.observe(app);
  }

  #counter(name: string, help: string, label: string, counts: Record<string, number>): void {
    new Counter({
      name,
      help,
      labelNames: [label],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const [value, count] of Object.entries(counts)) this.inc({ [label]: value }, count);
      },
    });
  }

  #gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      // Of several processes, the first one knows.
      aggregator: 'first',
      collect() {
        this.set(read());
      },
    });
  }
}
