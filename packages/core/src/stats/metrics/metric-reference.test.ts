import { expect, it } from 'vitest';
import metrics from '../../cases/stats-metrics.json' with { type: 'json' };
import { metricGoal } from '../../testing/metric-cases.ts';
import type { Method } from '../analysis.ts';
import type { ReportMetric, ReportMetrics } from '../report/report-input.ts';
import { metricCounts } from './metric-counts.ts';
import { metricResults } from './metric-results.ts';

// Computed visitor by visitor, by cases/make-metric-cases.py.

type Case = (typeof metrics.cases)[number];

function resultsOf({ definition, method, groups, quantiles }: Case) {
  const keys = [...new Set([...groups, ...quantiles].map(({ variationKey }) => variationKey))];
  const goal = metricGoal(definition as ReportMetric);
  const ofMetric = <T>(list: readonly T[]) => list.map((it) => ({ ...it, metricId: 'm' }));
  const counts = metricCounts(
    {
      variations: keys.map((key) => ({ key, weight: 1 })),
      goals: [goal],
      includeBots: false,
      metrics: { groups: ofMetric(groups), quantiles: ofMetric(quantiles) } as unknown as ReportMetrics,
    },
    keys.map(() => ({ visitors: 0 })),
  );
  return metricResults(goal, counts.get(goal.id)!, { method: method as Method }, 'all');
}

/** Relative to the width of the interval, or to the number itself. */
function differences(actual: unknown, expected: unknown, path: string, scale?: number): string[] {
  if (typeof expected === 'number') {
    const off = Math.abs((actual as number) - expected) / (scale ?? Math.abs(expected));
    return off <= 1e-6 ? [] : [`${path}: ${actual} instead of ${expected}`];
  }
  if (typeof expected !== 'object' || expected === null)
    return actual === expected ? [] : [`${path}: ${actual} instead of ${expected}`];
  const { low, high } = expected as { low?: number; high?: number };
  const width = low !== undefined && high !== undefined ? high - low : undefined;
  return Object.entries(expected).flatMap(([name, value]) =>
    differences((actual as Record<string, unknown>)[name], value, `${path}.${name}`, width),
  );
}

it.each(metrics.cases)('$name', (given) => {
  const results = resultsOf(given);
  expect(results.map(({ metric }) => metric)).toEqual(given.expected.map(({ metric }) => metric));
  expect(results.map(({ decides }) => decides)).toEqual(given.expected.map((_, index) => index === 0));
  const off = given.expected.flatMap(({ metric, variations, ...more }, index) => [
    ...differences(results[index], more, metric),
    ...differences(results[index]!.variations.slice(1), variations, metric),
  ]);
  expect(off).toEqual([]);
});

it('all kinds are compared with three methods', () => {
  const kinds = new Map(metrics.cases.map(({ name, definition }) => [name, definition.kind]));
  expect([...new Set(kinds.values())].toSorted()).toEqual(
    ['count', 'event', 'funnel', 'page', 'quantile', 'ratio', 'retention', 'sum'].toSorted(),
  );
  expect(kinds.size).toBe(24);
});
