import { AggregatorRegistry } from 'prom-client';
import type { MetricsSnapshot } from '../../http/monitoring/metrics.ts';
import { sumTimings, timingsText } from '../../http/pipeline/request-timings.ts';

/** prom-client would leave it out; this process has started first. */
const STARTED_AT = 'process_start_time_seconds';

/** The metrics of all processes as one. Counters keep what workers had counted that no longer exist. */
export class CombinedMetrics {
  readonly #last = new Map<number, MetricsSnapshot>();
  #ended: MetricsSnapshot[] = [];

  /** Remembers the metrics of a worker: the next ones may never come. */
  update(workerId: number, snapshot: MetricsSnapshot): void {
    this.#last.set(workerId, snapshot);
  }

  /** The worker has exited. */
  end(workerId: number): void {
    const last = this.#last.get(workerId);
    this.#last.delete(workerId);
    if (last === undefined) return;
    const metrics = last.metrics.filter(({ type }) => isCumulative(String(type)));
    this.#ended.push({ metrics, timings: last.timings });
  }

  /** @param own metrics of this process, which knows the storage */
  async text(own: MetricsSnapshot): Promise<string> {
    await this.#mergeEnded();
    for (const metric of own.metrics) if (metric.name === STARTED_AT) metric.aggregator = 'first';
    const all = [own, ...this.#last.values(), ...this.#ended];
    const metrics = AggregatorRegistry.aggregate(all.map((snapshot) => snapshot.metrics));
    const timings = timingsText(sumTimings(all.map((snapshot) => snapshot.timings)));
    return `${timings}\n${await metrics.metrics()}`;
  }

  /** So that they do not accumulate. */
  async #mergeEnded(): Promise<void> {
    const ended = this.#ended;
    if (ended.length < 2) return;
    this.#ended = [];
    const sums = AggregatorRegistry.aggregate(ended.map(({ metrics }) => metrics));
    const timings = sumTimings(ended.map((snapshot) => snapshot.timings));
    this.#ended.push({ metrics: await sums.getMetricsAsJSON(), timings });
  }
}

const isCumulative = (type: string) => type === 'counter' || type === 'histogram';
