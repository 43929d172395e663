import { DAY_MS } from '@switchyard/core/time';
import type { AcceptedCollect, AcceptedRequest, CollectedEvent } from '../../accepted-request.ts';
import type { EventStore } from '../../event-store.ts';
import type { MetricGroup, MetricTerm, SplitTestMetricsQuery } from '../../metric-queries.ts';
import type { SplitTestQuery } from '../../split-test-queries.ts';
import { T0 } from '../random-requests.contract.ts';
import { collect, exposure, exposures, goal, splitTestQuery } from '../sample-requests.contract.ts';
import { metricsQueryOf, rounded } from './compare-metrics.contract.ts';

export interface MetricSuite {
  store: () => EventStore;
  add: (...requests: AcceptedRequest[]) => Promise<void>;
  nextProperty: () => string;
}

type Times = readonly number[];

/** Long after all windows. */
export const LATER = T0 + 900 * DAY_MS;

export const orders = { goalId: 'order', of: 'count' } as const;
export const revenue = { goalId: 'order', of: 'sum' } as const;

/** What one visitor did, as requests; times are offsets from `T0`. The session has the name of the visitor. */
export class Story {
  readonly #propertyId: string;
  readonly #name: string;
  readonly requests: AcceptedRequest[] = [];

  constructor(propertyId: string, name: string) {
    this.#propertyId = propertyId;
    this.#name = name;
  }

  sees(at = 0, options: { variation?: string; phase?: number; bot?: true } = {}): this {
    const { variation: variationKey = 'a', ...rest } = options;
    const seen = { ...exposure(this.#name, T0 + at), variationKey, ...rest };
    this.requests.push(exposures(this.#propertyId, T0 + at, [seen]));
    return this;
  }

  collects(events: readonly CollectedEvent[], options: Partial<AcceptedCollect> = {}): this {
    const receivedAt = options.receivedAt ?? Math.max(...events.map(({ at }) => at));
    const who = { propertyId: this.#propertyId, sessionId: this.#name, visitorId: `visitor ${this.#name}` };
    this.requests.push(collect({ ...who, ...options, receivedAt }, [...events]));
    return this;
  }

  views(...pages: readonly [at: number, url?: string][]): this {
    return this.collects(
      pages.map(([at, url]) => ({ type: 'pageview', at: T0 + at, ...(url !== undefined && { url }) })),
    );
  }

  does(name: string, times: Times, properties?: object): this {
    const more = properties && { properties: JSON.stringify(properties) };
    return this.collects(times.map((at) => ({ type: 'event', at: T0 + at, name, ...more })));
  }

  reaches(goalId: string, times: Times, amount = 0, direction: 1 | -1 = 1): this {
    const what = { propertyId: this.#propertyId, sessionId: this.#name, goalId, direction };
    const amountMicros = Math.round(direction * amount * 1e6);
    this.requests.push(...times.map((at) => goal({ ...what, receivedAt: T0 + at, amountMicros })));
    return this;
  }

  refunds(goalId: string, at: number, amount: number): this {
    return this.reaches(goalId, [at], amount, -1);
  }
}

/** A group in short. */
const short = ({ visitors, pending, reached, value, denominator, product, steps }: MetricGroup) => ({
  visitors,
  ...(pending > 0 && { pending }),
  reached,
  sum: value.sum,
  squares: value.sumSquares,
  ...(denominator.sum !== 0 && { of: denominator.sum, ofSquares: denominator.sumSquares, product }),
  ...(steps && { steps }),
});

export type Definition<T = MetricTerm> = T extends MetricTerm ? Omit<T, 'metricId'> : never;

export const within = (withinMs: number | null = null) => ({ withinMs, cap: null });

export type Options = Partial<SplitTestQuery> & { now?: number };

/** Definitions by their ids, as metrics. */
export const named = (definitions: Record<string, Definition>) =>
  Object.entries(definitions).map(([metricId, it]): MetricTerm => ({ metricId, ...it }));

/** A query over all time. */
export const queryOf = (
  propertyId: string,
  metrics: readonly MetricTerm[],
  { now = LATER, ...more }: Options = {},
): SplitTestMetricsQuery =>
  metricsQueryOf(splitTestQuery({ propertyId, variationKeys: ['a', 'b'], ...more }), metrics, now);

/** The groups of each metric in short, without their properties. */
export async function sumsOf(
  store: EventStore,
  p: string,
  definitions: Record<string, Definition>,
  options?: Options,
) {
  const { groups } = await store.splitTestMetrics(queryOf(p, named(definitions), options));
  return Object.fromEntries(
    Object.keys(definitions).map((id) => [
      id,
      groups.filter(({ metricId }) => metricId === id).map((it) => rounded(short(it))),
    ]),
  );
}
