import { formatCount, formatPercent } from '../../../ui/format/format.ts';
import { useProperty } from '../../configuration/property-context.tsx';
import { formatDifference, formatMean, metricName } from './goals/effect.ts';
import type { EffectInterval, GoalResult, MetricResult } from './results-types.ts';
import { VariationName } from './retired-variations.tsx';
import classes from './statistics-panel.module.css';

interface StatisticsTableProps {
  goal: GoalResult;
  metric: MetricResult;
  isBayesian: boolean;
}

/** Every number of one metric. */
export function StatisticsTable({ goal, metric, isBayesian }: StatisticsTableProps) {
  const currency = useProperty().configuration.property.displayCurrency ?? 'USD';
  const title = `${goal.name}: ${metricName(metric, goal).toLowerCase()}${metric.decides ? '' : ', informative'}`;
  const absolute = (change: number) => formatDifference(metric, change, currency);
  const relative = (change: number) => `${(100 * change).toFixed(1)} %`;
  const columns = isBayesian ? ['Chance to beat', 'Expected loss'] : ['p', 'p, corrected'];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls sideways on narrow screens, also with the keyboard
    <section className={classes.scroll} aria-label={title} tabIndex={0}>
      <table className={classes.table}>
        <caption>{title}</caption>
        <thead>
          <tr>
            {['Variation', 'n', 'Mean', 'Difference', 'Relative', ...columns].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {metric.variations.map((each) => (
            <tr key={each.key}>
              <th scope="row">
                <VariationName name={each.key} />
              </th>
              <td>{formatCount(each.n)}</td>
              <td>{formatMean(metric, each.mean, currency)}</td>
              <td>{formatInterval(each.absolute, absolute)}</td>
              <td>{formatInterval(each.relative, relative)}</td>
              <td>{isBayesian ? formatChance(each.chanceToBeat) : formatP(each.pValue)}</td>
              <td>
                {isBayesian ? formatMean(metric, each.expectedLoss, currency) : formatP(each.adjustedPValue)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function formatP(p: number | null): string {
  if (p === null) return '–';
  return p < 0.0001 ? '< 0.0001' : p.toFixed(4);
}

const formatChance = (chance: number | null) => (chance === null ? '–' : formatPercent(chance));

function formatInterval(interval: EffectInterval | null, format: (change: number) => string): string {
  if (interval === null) return '–';
  const { estimate, low, high } = interval;
  return `${format(estimate)} [${low === null ? '–' : format(low)}; ${high === null ? '–' : format(high)}]`;
}
