import type { MetricComputation, MetricFormat, MetricValue } from '../api/metrics.ts';

/** How a metric is shown, unless its definition says something else. */
export function metricFormat(metric: MetricComputation): MetricFormat {
  switch (metric.kind) {
    case 'sum':
      return 'money';
    case 'retention':
    case 'funnel':
      return 'percent';
    case 'page':
      return metric.of === 'views' ? 'number' : 'percent';
    case 'event':
      return metric.of === 'count' ? 'number' : 'percent';
    case 'ratio':
      return isSum(metric.numerator) && !isSum(metric.denominator) ? 'money' : 'number';
    case 'quantile':
      return metric.goalId === undefined ? 'number' : 'money';
    case 'count':
      return 'number';
  }
}

const isSum = (value: MetricValue) => 'of' in value && value.of === 'sum';
