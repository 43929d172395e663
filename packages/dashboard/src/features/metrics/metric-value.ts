import type { MetricFormat } from '@switchyard/core/api/metrics';
import { formatMoney, formatPercent } from '../../ui/format/format.ts';

const decimal = new Intl.NumberFormat(undefined, { maximumFractionDigits: 3 });

/** A value of a metric, as the property and the metric want to see it. */
export function formatMetricValue(format: MetricFormat, value: number | null, currency: string): string {
  if (value === null) return '–';
  if (format === 'percent') return formatPercent(value);
  if (format === 'money') return formatMoney(value, currency);
  return `${decimal.format(value)}${format === 'seconds' ? ' s' : ''}`;
}
