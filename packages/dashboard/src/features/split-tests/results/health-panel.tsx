import { formatCount, plural } from '../../../ui/format/format.ts';
import { Panel } from '../../../ui/page/panel.tsx';
import { PropertyLink } from '../../configuration/property-link.tsx';
import { visitorsOf } from './goals/effect.ts';
import { mixedSessions, sessionsBehind } from './health-links.ts';
import classes from './health-panel.module.css';
import type { Results } from './results-types.ts';
import { StateTag } from './state-tag.tsx';

/** With fewer visitors, the split is not checked. */
const MIN_VISITORS = 100;

const TITLES: Record<string, string> = {
  'sample-ratio-mismatch': 'Uneven split',
  'mixed-visitors': 'Visitors with several variations',
  novelty: 'Effect changes over time',
  'missing-exposures': 'Missing exposures',
  'missing-conversions': 'Missing conversions',
};

/** Whether the figures can be trusted, and the sessions to look at if not. */
export function HealthPanel({ results }: { results: Results }) {
  const { problems } = results.health;
  return (
    <Panel title="Health">
      {problems.length === 0 ? (
        <Healthy results={results} />
      ) : (
        <ul className={classes.list} aria-label="Alarms">
          {problems.map((problem) => {
            const link = sessionsBehind(problem, results);
            return (
              <li key={problem.words}>
                <StateTag tone="warn">{TITLES[problem.problem] ?? 'Alarm'}</StateTag>
                <p>{problem.words}</p>
                <PropertyLink to="sessions" search={link.search}>
                  {link.label}
                </PropertyLink>
              </li>
            );
          })}
        </ul>
      )}
    </Panel>
  );
}

function Healthy({ results }: { results: Results }) {
  const { mixedVisitors } = results;
  const visitors = visitorsOf(results.variations);
  const isEarly = visitors < MIN_VISITORS;
  return (
    <p className={classes.fine}>
      {isEarly ? <StateTag tone="dimmed">Too early</StateTag> : <StateTag tone="good">Healthy</StateTag>}
      {isEarly
        ? `The split is checked from ${formatCount(MIN_VISITORS)} visitors on; there are ${formatCount(visitors)}.`
        : 'The split matches the weights, and exposures and conversions arrive from all variations.'}
      {mixedVisitors > 0 && (
        <span>
          {plural(mixedVisitors, 'visitor')} saw several variations, too few to matter:{' '}
          <PropertyLink to="sessions" search={mixedSessions(results).search}>
            their sessions
          </PropertyLink>
        </span>
      )}
    </p>
  );
}
