import { DAY_MS } from '@switchyard/core/time';
import { expect } from 'vitest';
import type { EventStore } from '../../event-store.ts';
import type { MetricCounts, MetricTerm, SplitTestMetricsQuery } from '../../metric-queries.ts';
import type { SplitTestQuery } from '../../split-test-queries.ts';
import type { NaiveEventStore } from '../naive-event-store.contract.ts';
import { T0 } from '../random-requests.contract.ts';
import { SPLIT_TEST_QUERIES } from '../split-tests/split-test-queries.contract.ts';
import { NaiveMetrics } from './naive-metrics.contract.ts';

const signup = { goalId: 'signup', of: 'count' } as const;
const revenue = { goalId: 'revenue', of: 'sum' } as const;

/** One of each kind, with and without a window, for the times of random requests. */
export const METRICS: readonly MetricTerm[] = [
  { metricId: 'signups', kind: 'mean', value: signup, withinMs: 40, cap: null },
  { metricId: 'revenue', kind: 'mean', value: revenue, withinMs: null, cap: 2.5 },
  { metricId: 'views', kind: 'mean', value: { path: null }, withinMs: 3 * DAY_MS, cap: 1.5 },
  { metricId: 'pricing', kind: 'mean', value: { path: '/pri*' }, withinMs: null, cap: null },
  { metricId: 'loads', kind: 'mean', value: { event: 'load' }, withinMs: 60, cap: 2 },
  { metricId: 'order', kind: 'ratio', numerator: revenue, denominator: signup, withinMs: null, cap: 3 },
  {
    metricId: 'per view',
    kind: 'ratio',
    numerator: { event: 'click' },
    denominator: { path: '*' },
    withinMs: 80,
    cap: null,
  },
  { metricId: 'back', kind: 'retention', fromMs: 10, toMs: 60, goalId: null },
  { metricId: 'again', kind: 'retention', fromMs: 1, toMs: 5 * DAY_MS, goalId: 'revenue' },
  { metricId: 'checkout', kind: 'funnel', steps: [{ path: '/*' }, { path: '/pricing' }], withinMs: 100 },
  {
    metricId: 'long',
    kind: 'funnel',
    steps: [{ path: '*' }, { event: 'load' }, { path: '/b*y' }, { goalId: 'signup' }, { path: '*' }],
    withinMs: 9 * DAY_MS,
  },
  { metricId: 'twice', kind: 'funnel', steps: [{ goalId: 'signup' }, { goalId: 'signup' }], withinMs: 200 },
  { metricId: 'bounces', kind: 'bounce', path: null, withinMs: 50 },
  { metricId: 'pricing bounces', kind: 'bounce', path: '*/pricing*', withinMs: null },
  { metricId: 'p50', kind: 'quantile', quantile: 0.5, value: { goalId: 'revenue' }, withinMs: null },
  {
    metricId: 'p90',
    kind: 'quantile',
    quantile: 0.9,
    value: { event: 'load', property: 'ms' },
    withinMs: 90,
  },
];

const NOWS = [T0 + 150, T0 + 2 * DAY_MS, T0 + 400 * DAY_MS];
const PERIODS = [
  { from: T0 - DAY_MS, to: T0 + 100 * DAY_MS },
  { from: T0 + 10, to: T0 + 250 },
];

/** The query without what metrics do not have. */
export function metricsQueryOf(
  query: SplitTestQuery,
  metrics: readonly MetricTerm[],
  now: number,
): SplitTestMetricsQuery {
  const { goalIds: _goals, revenueGoalIds: _revenue, feedback: _feedback, by: _by, ...rest } = query;
  const { winsorize: _winsorize, preDays: _preDays, earlyDays: _earlyDays, ...more } = rest;
  return { ...more, metrics, now };
}

let round = 0;

/** One query for all metrics, and two baselines, per call: comparing takes long. */
export async function compareMetrics(
  store: EventStore,
  model: NaiveEventStore,
  propertyId: string,
): Promise<void> {
  const naive = new NaiveMetrics(model, propertyId);
  const options = SPLIT_TEST_QUERIES[round % SPLIT_TEST_QUERIES.length]!;
  const splitTestKey = round % 4 === 3 ? 'price' : 'hero';
  const query = metricsQueryOf({ ...options, propertyId, splitTestKey }, METRICS, NOWS[round % NOWS.length]!);
  const counts = comparable(await store.splitTestMetrics(query));
  expect(counts, JSON.stringify(query)).toEqual(comparable(naive.counts(query)));
  for (const offset of [0, 7]) {
    const metric = METRICS[(round + offset) % METRICS.length]!;
    const baseline = { propertyId, metric, ...PERIODS[round % PERIODS.length]! };
    const expected = rounded(naive.baseline(baseline));
    expect(rounded(await store.metricBaseline(baseline)), JSON.stringify(baseline)).toEqual(expected);
  }
  round++;
}

/** In order, without the last digits: the model adds floating-point numbers. */
export function comparable({ groups, quantiles }: MetricCounts) {
  const text = (it: object) => JSON.stringify(Object.entries(rounded(it)).sort());
  return { groups: groups.map(text).sort(), quantiles: quantiles.map(text).sort() };
}

export function rounded<T>(value: T): T {
  if (typeof value === 'number') return (Math.round(value * 1e6) / 1e6 + 0) as T;
  if (Array.isArray(value)) return value.map(rounded) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, rounded(it)])) as T;
}
