import { useQuery } from '@tanstack/react-query';
import { Suspense, useMemo } from 'react';
import { PeriodPicker } from '../../ui/fields/period-picker.tsx';
import { formatTime } from '../../ui/format/format.ts';
import { usePeriod } from '../../ui/hooks/use-period.ts';
import { useUrlState } from '../../ui/hooks/use-url-state.ts';
import { lazyPart } from '../../ui/page/lazy-part.ts';
import { Page } from '../../ui/page/page.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import { OpenProposals } from '../changes/open-proposals.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { StoppedRolloutsNotice } from '../guarded-rollouts/stopped-rollouts-notice.tsx';
import { AutomaticStopsNotice } from '../split-tests/automatic-stops-notice.tsx';
import { LiveVisitors } from '../traffic/live-visitors.tsx';
import { MetricTiles } from '../traffic/metric-tiles.tsx';
import { TrafficChart } from '../traffic/traffic-chart.tsx';
import { metric } from '../traffic/traffic-metrics.ts';
import { summaryQuery, type TrafficScope } from '../traffic/traffic-query.ts';
import { FlagsToCleanUp } from './flags-to-clean-up.tsx';
import { GoalTargets } from './goal-targets.tsx';
import { LatestChanges } from './latest-changes.tsx';
import classes from './overview-page.module.css';
import { RunningTests } from './running-tests.tsx';

// Most properties need it only once.
const InstallationCheck = lazyPart(() =>
  import('./installation-check.tsx').then((module) => module.InstallationCheck),
);

const TILES = ['visitors', 'sessions', 'conversions', 'revenue', 'feedback'] as const;
const CHARTS = ['visitors', 'sessions', 'conversions', 'revenue'] as const;
const URL_DEFAULTS = { metric: 'visitors' } as const;

/** What happened, what needs a decision, and what to clean up. */
export function OverviewPage() {
  const { propertyId } = useProperty();
  const [period] = usePeriod();
  const [url, change] = useUrlState(URL_DEFAULTS);
  const scope = useMemo<TrafficScope>(() => ({ propertyId, period }), [propertyId, period]);
  const summary = useQuery(summaryQuery(scope));
  const name = CHARTS.find((each) => each === url.metric) ?? 'visitors';
  return (
    <Page
      title="Overview"
      actions={
        <>
          <LiveVisitors />
          <PeriodPicker />
        </>
      }
    >
      <Suspense>
        <InstallationCheck />
      </Suspense>
      <MetricTiles
        names={TILES}
        selectable={CHARTS as readonly (typeof TILES)[number][]}
        scope={scope}
        selected={name}
        onSelect={(selected) => change({ metric: selected })}
      />
      <Panel
        title={metric(name).label}
        hint={summary.data ? `As of ${formatTime(summary.data.asOf)}, in ${summary.data.timeZone}` : ''}
      >
        <TrafficChart scope={scope} name={name} />
      </Panel>
      <OpenProposals />
      <AutomaticStopsNotice />
      <StoppedRolloutsNotice />
      <div className={classes.panels}>
        <RunningTests />
        <GoalTargets />
        <FlagsToCleanUp />
        <LatestChanges />
      </div>
    </Page>
  );
}
