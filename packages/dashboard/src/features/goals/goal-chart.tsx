import type { Interval } from '@switchyard/core/api/goals';
import { useQuery } from '@tanstack/react-query';
import { TABLE_LINE_HEIGHT, TimeChart } from '../../ui/charts/time-chart.tsx';
import type { TimeSeries } from '../../ui/charts/time-series.ts';
import { Choice } from '../../ui/fields/choice.tsx';
import type { Period } from '../../ui/fields/period-of.ts';
import { displayZone } from '../../ui/format/display-zone.ts';
import { formatDateTime, formatDay, formatTime } from '../../ui/format/format.ts';
import { useUrlState } from '../../ui/hooks/use-url-state.ts';
import { Loaded, Panel } from '../../ui/page/panel.tsx';
import type { Goal } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { useGoalFormat } from './goal-format.ts';
import { type Progress, progressQuery } from './goal-query.ts';
import { MarkerList } from './marker-list.tsx';
import { useGoalMarkers } from './use-goal-markers.ts';

const DAY = 86_400_000;
const VIEW = { interval: '', show: 'net' } as const;

const INTERVALS: { value: Interval; label: string; maxDays: number }[] = [
  { value: 'hour', label: 'Hour', maxDays: 31 },
  { value: 'day', label: 'Day', maxDays: 400 },
  { value: 'week', label: 'Week', maxDays: Number.POSITIVE_INFINITY },
];

/** The interval of the chart: chosen in the URL, or by the length of the period. */
export function useGoalInterval({ from, to }: Period): Interval {
  const [{ interval }] = useUrlState(VIEW);
  const days = (to - from) / DAY;
  const chosen = INTERVALS.find(({ value, maxDays }) => value === interval && days <= maxDays);
  return chosen?.value ?? (days <= 2 ? 'hour' : days <= 120 ? 'day' : 'week');
}

/** A goal over time, with what changed meanwhile. */
export function GoalChart({ goal, period }: { goal: Goal; period: Period }) {
  const { propertyId } = useProperty();
  const [{ show }, change] = useUrlState(VIEW);
  const interval = useGoalInterval(period);
  const { from, to } = period;
  const current = useQuery(progressQuery(propertyId, goal.id, period, interval));
  const { markers, error } = useGoalMarkers(period);
  const format = useGoalFormat(goal);
  const formatAt = interval !== 'hour' ? formatDay : to - from > 1.5 * DAY ? formatDateTime : formatTime;
  const possible = INTERVALS.filter(({ maxDays }) => (to - from) / DAY <= maxDays);
  return (
    <Panel
      title="Over time"
      hint={`Days and hours are in ${displayZone().name}.`}
      actions={
        <>
          <Choice
            label="What the chart shows"
            options={[
              { value: 'net', label: 'Net' },
              { value: 'parts', label: 'Gross and refunds' },
            ]}
            value={show === 'parts' ? 'parts' : 'net'}
            onChange={(next) => change({ show: next })}
          />
          <Choice
            label="Interval"
            options={possible}
            value={interval}
            onChange={(next) => change({ interval: next })}
          />
        </>
      }
    >
      <Loaded query={current} what="the chart" height={240 + TABLE_LINE_HEIGHT}>
        {({ series, previousSeries }) => (
          <TimeChart
            label={`${goal.name} by ${interval}`}
            at={series.map(({ at }) => at)}
            series={show === 'parts' ? partSeries(series) : netSeries(series, previousSeries)}
            format={format}
            formatAt={formatAt}
            markers={markers}
            partial={series.map(({ partial }) => partial)}
            height={240}
          />
        )}
      </Loaded>
      <MarkerList markers={markers} error={error} />
    </Panel>
  );
}

type Buckets = Progress['series'];

const netSeries = (current: Buckets, previous: Progress['previousSeries']): TimeSeries[] => [
  { label: 'Net', kind: 'bar', values: current.map(({ total }) => total) },
  {
    label: 'Previous period',
    kind: 'dashed',
    values: current.map((_, index) => previous[index]?.total ?? null),
    color: PREVIOUS,
  },
];

const PREVIOUS = 'light-dark(#6b7280, #9ca3af)';

const partSeries = (buckets: Buckets): TimeSeries[] => [
  { label: 'Gross', kind: 'bar', values: buckets.map(({ gross }) => gross) },
  { label: 'Refunds', kind: 'bar', values: buckets.map(({ reversed }) => -reversed) },
];
