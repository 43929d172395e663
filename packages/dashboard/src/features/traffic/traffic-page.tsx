import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Choice } from '../../ui/fields/choice.tsx';
import { PeriodPicker } from '../../ui/fields/period-picker.tsx';
import { formatTime, plural } from '../../ui/format/format.ts';
import { usePeriod } from '../../ui/hooks/use-period.ts';
import { useUrlState } from '../../ui/hooks/use-url-state.ts';
import { Page } from '../../ui/page/page.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { DimensionPanel } from './dimension-panel.tsx';
import { FilterChips } from './filter-chips.tsx';
import { InstallHint } from './install-hint.tsx';
import { LiveVisitors } from './live-visitors.tsx';
import { MetricTiles } from './metric-tiles.tsx';
import { type ChartMetric, TrafficChart } from './traffic-chart.tsx';
import { DIMENSION_GROUPS } from './traffic-dimensions.ts';
import classes from './traffic-page.module.css';
import { summaryQuery, type TrafficScope } from './traffic-query.ts';
import { useTrafficFilters } from './use-traffic-filters.ts';
import { VisitsLink } from './visits-link.tsx';

const TILES = ['visitors', 'sessions', 'pageviews', 'bounceRate', 'averageDurationSeconds'] as const;
const URL_DEFAULTS = { metric: 'visitors', interval: '' } as const;
const INTERVALS = [
  { value: '', label: 'Auto' },
  { value: 'hour', label: 'Hour' },
  { value: 'day', label: 'Day' },
  { value: 'week', label: 'Week' },
];

/** Who visits, from where, and what they look at. */
export function TrafficPage() {
  const { propertyId } = useProperty();
  const [period] = usePeriod();
  const [filters, setFilters] = useTrafficFilters();
  const [url, change] = useUrlState(URL_DEFAULTS);
  const scope = useMemo<TrafficScope>(() => ({ propertyId, period, filters }), [propertyId, period, filters]);
  const summary = useQuery(summaryQuery(scope));
  const name = TILES.find((tile) => tile === url.metric) ?? 'visitors';
  const isEmpty = summary.data?.current.sessions === 0 && Object.keys(filters).length === 0;
  return (
    <Page
      title="Traffic"
      actions={
        <>
          <LiveVisitors />
          <PeriodPicker />
        </>
      }
    >
      <FilterChips filters={filters} onChange={setFilters} />
      <MetricTiles
        names={TILES}
        selectable={TILES}
        scope={scope}
        selected={name}
        onSelect={(metric) => change({ metric })}
      />
      {isEmpty && <InstallHint />}
      <Panel
        title="Over time"
        hint={
          summary.data
            ? `As of ${formatTime(summary.data.asOf)}. Days and hours are in ${summary.data.timeZone}.`
            : ''
        }
        actions={
          <Choice
            label="Interval"
            options={INTERVALS}
            value={url.interval}
            onChange={(interval) => change({ interval })}
          />
        }
      >
        <TrafficChart scope={scope} name={name satisfies ChartMetric} interval={url.interval} />
      </Panel>
      <div className={classes.panels}>
        {DIMENSION_GROUPS.map((group) => (
          <DimensionPanel
            key={group.title}
            group={group}
            scope={scope}
            onFilter={(dimension, value) => setFilters({ ...filters, [dimension]: value })}
          />
        ))}
      </div>
      <p className="dimmed">
        {filters.bots === 'only'
          ? 'You are looking at bots. '
          : summary.data && `${plural(summary.data.bots.sessions, 'session')} of bots not counted. `}
        <button
          type="button"
          className={classes.toggle}
          onClick={() => {
            const { bots, ...others } = filters;
            setFilters(bots === 'only' ? others : { ...others, bots: 'only' });
          }}
        >
          {filters.bots === 'only' ? 'Back to people' : 'Show bots only'}
        </button>
        {' · '}
        <VisitsLink filters={filters} />
      </p>
    </Page>
  );
}
