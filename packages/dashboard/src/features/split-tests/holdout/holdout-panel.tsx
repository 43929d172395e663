import type { HoldoutReport } from '@switchyard/core/api/holdout';
import { useQuery } from '@tanstack/react-query';
import { request } from '../../../api.ts';
import { formatCount, formatDate, formatPercent } from '../../../ui/format/format.ts';
import { Loaded, Panel } from '../../../ui/page/panel.tsx';
import { useProperty } from '../../configuration/property-context.tsx';
import { PropertyLink } from '../../configuration/property-link.tsx';
import { StateTag } from '../results/state-tag.tsx';
import { HoldoutGoals } from './holdout-goals.tsx';
import classes from './holdout-panel.module.css';

/** Visitors who see no split test, compared with everybody else; nothing without a holdout. */
export function HoldoutPanel() {
  const { propertyId, configuration } = useProperty();
  const { holdout = 0, hashSeed } = configuration.property;
  const query = useQuery({
    queryKey: ['holdout', propertyId, holdout, hashSeed],
    queryFn: ({ signal }) =>
      request<HoldoutReport>('/v1/split-testing/holdout', { query: { propertyId }, signal }),
    enabled: holdout > 0,
    staleTime: 60_000,
  });
  if (holdout === 0) return null;
  return (
    <Panel
      title="Holdout"
      hint={
        <>
          Visitors who see no split test, compared with everybody else.{' '}
          <a href="/docs/guides/holdout" target="_blank" rel="noreferrer">
            What it measures
          </a>
          {' · '}
          <PropertyLink to="settings">Change it in the settings</PropertyLink>
        </>
      }
    >
      <Loaded query={query} what="the holdout" height={220}>
        {(report) => (
          <>
            <Summary report={report} />
            <HoldoutGoals report={report} />
            <Winners report={report} />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function Summary({ report }: { report: HoldoutReport }) {
  const { summary, health, groups, since } = report;
  const [heldOut, others] = groups;
  if (heldOut === undefined || others === undefined || since === null) return <p>{summary}</p>;
  const total = heldOut.visitors + others.visitors;
  const isAll = heldOut.weight + others.weight >= 100;
  return (
    <div className={classes.summary}>
      {!health.healthy && <StateTag tone="warn">Uneven split</StateTag>}
      <p className={classes.words}>{summary}</p>
      <p className="dimmed">
        {formatCount(heldOut.visitors)} visitors in the holdout
        {total > 0 && ` (${formatPercent(heldOut.visitors / total)})`}, {formatCount(others.visitors)} outside
        of it, since {formatDate(since)}.
        {!isAll && ' Visitors whom the smaller holdout released do not count.'}
      </p>
    </div>
  );
}

function Winners({ report }: { report: HoldoutReport }) {
  if (report.winners.length === 0) return null;
  return (
    <div className={classes.winners}>
      <h3>Ended with a winner since then</h3>
      <p className="dimmed">From then on, visitors in the holdout get the winner too.</p>
      <ul>
        {report.winners.map(({ splitTestKey, name, winner, decidedAt }) => (
          <li key={splitTestKey}>
            <PropertyLink to={`split-tests/${encodeURIComponent(splitTestKey)}`}>{name}</PropertyLink>
            <span className="dimmed">
              {' '}
              {winner}, {formatDate(decidedAt)}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
