import { plannedFor } from '@switchyard/core/stats/report/report';
import { ProgressBar } from '../../../ui/charts/progress-bar.tsx';
import { formatCount, formatPercent } from '../../../ui/format/format.ts';
import tables from '../../../ui/lists/table.module.css';
import { Panel } from '../../../ui/page/panel.tsx';
import type { ReportedTest } from '../reported-test.ts';
import { visitorsOf } from './goals/effect.ts';
import type { Results } from './results-types.ts';
import { VariationName } from './retired-variations.tsx';
import classes from './visitors-panel.module.css';

/** Visitors of each variation, against the plan and the weights. */
export function VisitorsPanel({ test, results }: { test: ReportedTest; results: Results }) {
  const { variations } = results;
  // No others enter a retired variation, so it has no part in the plan.
  const active = variations.filter(({ retired }) => !retired);
  const visitors = visitorsOf(active);
  const weights = active.reduce((sum, { weight }) => sum + weight, 0);
  const shareOf = (part: number, total: number, isRetired = false) =>
    total === 0 || isRetired ? '–' : formatPercent(part / total);
  const isUneven = results.health.problems.some(({ problem }) => problem === 'sample-ratio-mismatch');
  return (
    <Panel title="Visitors" hint={isUneven ? 'The split does not match the weights: see Health.' : undefined}>
      <PlanProgress
        visitors={visitors}
        planned={plannedFor(test.plannedVisitors, variations)}
        share={results.plannedShare}
      />
      <table className={`${tables.compact} ${tables.figures}`}>
        <thead>
          <tr>
            <th scope="col">Variation</th>
            <th scope="col">Visitors</th>
            <th scope="col">Share</th>
            <th scope="col">Planned</th>
            <th scope="col" className={classes.secondary}>
              Exposures
            </th>
            <th scope="col" className={classes.secondary}>
              Crawlers
            </th>
          </tr>
        </thead>
        <tbody>
          {variations.map(({ key, weight, retired, visitors: own, exposures, bots }) => (
            <tr key={key}>
              <th scope="row">
                <VariationName name={key} />
              </th>
              <td>{formatCount(own)}</td>
              <td className={isUneven ? 'warn' : undefined}>{shareOf(own, visitors, retired)}</td>
              <td>{shareOf(weight, weights, retired)}</td>
              <td className={classes.secondary}>{formatCount(exposures)}</td>
              <td className={classes.secondary}>{formatCount(bots)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

interface PlanProgressProps {
  visitors: number;
  planned: number | null;
  share: number | null;
}

function PlanProgress({ visitors, planned, share }: PlanProgressProps) {
  if (planned === null || share === null) {
    return (
      <div className={classes.plan}>
        <p>
          <strong>{formatCount(visitors)}</strong> visitors{' '}
          <span className="dimmed">· no planned number of visitors</span>
        </p>
      </div>
    );
  }
  const text = `${formatCount(visitors)} of ${formatCount(planned)} planned visitors (${formatPercent(share)})`;
  return (
    <div className={classes.plan}>
      <p>{text}</p>
      <ProgressBar share={share} label={text} />
    </div>
  );
}
