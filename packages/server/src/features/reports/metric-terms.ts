import { DAY_MS } from '@switchyard/core/time';
import type { Metric } from '../../configuration/property/property-configuration.ts';
import { daysWithin } from '../../configuration/property/report-metric.ts';
import type { MetricTerm } from '../../events/store/metric-queries.ts';

/** What the event store computes of a metric. */
export function metricTerm(metric: Metric): MetricTerm {
  return { metricId: metric.id, ...computed(metric) };
}

type Computed = MetricTerm extends infer Term
  ? Term extends unknown
    ? Omit<Term, 'metricId'>
    : never
  : never;

function computed(metric: Metric): Computed {
  const withinMs = msOf(daysWithin(metric));
  const { cap } = metric;
  switch (metric.kind) {
    case 'count':
    case 'sum':
      return { kind: 'mean', value: { goalId: metric.goalId, of: metric.kind }, withinMs, cap };
    case 'ratio':
      return {
        kind: 'ratio',
        numerator: metric.numerator,
        denominator: metric.denominator,
        withinMs,
        cap,
      };
    case 'retention':
      return {
        kind: 'retention',
        fromMs: metric.fromDay * DAY_MS,
        // The last day counts to its end.
        toMs: (metric.toDay + 1) * DAY_MS,
        goalId: metric.goalId,
      };
    case 'funnel':
      return { kind: 'funnel', steps: metric.steps, withinMs: metric.withinDays * DAY_MS };
    case 'quantile':
      return {
        kind: 'quantile',
        quantile: metric.quantile,
        value:
          metric.goalId === undefined
            ? { event: metric.event, property: metric.property }
            : { goalId: metric.goalId },
        withinMs,
      };
    case 'page':
      if (metric.of === 'bounce') return { kind: 'bounce', path: metric.path, withinMs };
      return { kind: 'mean', value: { path: metric.path }, withinMs, cap };
    case 'event':
      return { kind: 'mean', value: { event: metric.event }, withinMs, cap };
  }
}

const msOf = (days: number | null) => (days === null ? null : days * DAY_MS);

/** The time that a visitor is followed, in milliseconds; null: until the end of the phase. */
export const windowOf = (term: MetricTerm): number | null =>
  term.kind === 'retention' ? term.toMs : term.withinMs;
