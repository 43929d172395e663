import type { MetricComputation } from '@switchyard/core/api/metrics';
import { metricFormat } from '@switchyard/core/metrics/metric-format';
import { metricStepName } from '@switchyard/core/metrics/metric-step-name';
import type { ReportMetric } from '@switchyard/core/stats/report/report-input';
import { DAY_MS } from '@switchyard/core/time';
import type { Metric, PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
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

/** How long a visitor is followed; null: until the end of the phase. */
const daysWithin = (metric: MetricComputation): number | null =>
  metric.kind === 'retention' ? metric.toDay + 1 : metric.withinDays;

/** The time that a visitor is followed, in milliseconds; null: until the end of the phase. */
export const windowOf = (term: MetricTerm): number | null =>
  term.kind === 'retention' ? term.toMs : term.withinMs;

/** What statistics need to know about a metric. */
export function reportMetric(metric: Metric, { goals }: Pick<PropertyConfiguration, 'goals'>): ReportMetric {
  return {
    kind: metric.kind,
    ...('of' in metric && { of: metric.of }),
    ...(metric.kind === 'quantile' && { quantile: metric.quantile }),
    format: metric.format ?? metricFormat(metric),
    ...(metric.kind === 'funnel' && { steps: metric.steps.map((step) => metricStepName(step, goals)) }),
    withinDays: daysWithin(metric),
  };
}
