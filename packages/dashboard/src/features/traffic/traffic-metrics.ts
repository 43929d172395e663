import type { TrafficTotals } from '@switchyard/core/api/traffic';
import { formatCompact, formatDuration, formatMoney, formatPercent } from '../../ui/format/format.ts';

interface Metric {
  label: string;
  format: (value: number, currency: string) => string;
  lowerIsBetter?: boolean;
}

type MetricName = keyof TrafficTotals;

/** What the traffic of a period is measured by. */
const TRAFFIC_METRICS = {
  visitors: { label: 'Visitors', format: formatCompact },
  sessions: { label: 'Sessions', format: formatCompact },
  pageviews: { label: 'Page views', format: formatCompact },
  bounceRate: { label: 'Bounce rate', format: formatPercent, lowerIsBetter: true },
  averageDurationSeconds: { label: 'Visit duration', format: formatDuration },
  conversions: { label: 'Conversions', format: formatCompact },
  revenue: { label: 'Revenue', format: formatMoney },
  feedback: { label: 'Feedback', format: formatCompact },
} as const satisfies Record<MetricName, Metric>;

export const metric = (name: MetricName): Metric => TRAFFIC_METRICS[name];
