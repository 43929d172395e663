import type { TrafficBucket, TrafficSeries } from '@switchyard/core/api/traffic';
import { useQuery } from '@tanstack/react-query';
import { TABLE_LINE_HEIGHT, TimeChart } from '../../ui/charts/time-chart.tsx';
import { formatDateTime, formatDay, formatTime } from '../../ui/format/format.ts';
import { Loaded } from '../../ui/page/panel.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { metric } from './traffic-metrics.ts';
import { type TrafficScope, trafficQuery } from './traffic-query.ts';

export type ChartMetric = Exclude<keyof TrafficBucket, 'at' | 'partial'>;

interface TrafficChartProps {
  scope: TrafficScope;
  name: ChartMetric;
  /** Default: chosen by the length of the period. */
  interval?: string;
}

/** One metric over time. */
export function TrafficChart({ scope, name, interval = '' }: TrafficChartProps) {
  const currency = useProperty().configuration.property.displayCurrency ?? 'USD';
  const series = useQuery(trafficQuery<TrafficSeries>('series', scope, interval ? { interval } : {}));
  const { label, format } = metric(name);
  return (
    <Loaded query={series} what="the chart" height={220 + TABLE_LINE_HEIGHT}>
      {(data) => (
        <TimeChart
          label={`${label} by ${data.interval}`}
          at={data.buckets.map(({ at }) => at)}
          series={[{ label, kind: 'area', values: data.buckets.map((bucket) => bucket[name]) }]}
          format={(value) => format(value, currency)}
          formatAt={data.interval === 'hour' ? formatHour(data) : formatDay}
          partial={data.buckets.map(({ partial }) => partial)}
          height={220}
        />
      )}
    </Loaded>
  );
}

const formatHour = ({ from, to }: TrafficSeries) =>
  to - from > 86_400_000 * 1.5 ? formatDateTime : formatTime;
