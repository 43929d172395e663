import { Skeleton } from '@mantine/core';
import type { TrafficTotals } from '@switchyard/core/api/traffic';
import { useQuery } from '@tanstack/react-query';
import { relativeChange, StatTile } from '../../ui/charts/stat-tile.tsx';
import { FiguresError } from '../../ui/page/late-figures.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import classes from './metric-tiles.module.css';
import { metric } from './traffic-metrics.ts';
import { summaryQuery, type TrafficScope } from './traffic-query.ts';

interface MetricTilesProps<Name extends keyof TrafficTotals> {
  names: readonly Name[];
  scope: TrafficScope;
  selected: string;
  /** Metrics that the chart can show. */
  selectable: readonly Name[];
  onSelect: (name: Name) => void;
}

/** The figures of a period against the previous one; each chooses what the chart shows. */
export function MetricTiles<Name extends keyof TrafficTotals>(props: MetricTilesProps<Name>) {
  const { names, scope, selected, selectable, onSelect } = props;
  // Asked for here, not by the page: parts ask in the order in which they are shown, a page after all of them.
  const summary = useQuery(summaryQuery(scope));
  const currency = useProperty().configuration.property.displayCurrency ?? 'USD';
  const { data, error } = summary;
  if (data === undefined && error) {
    return (
      <FiguresError title="Cannot load the figures" error={error} onRetry={() => void summary.refetch()} />
    );
  }
  return (
    <div className={classes.tiles} aria-busy={summary.isFetching}>
      {names.map((name) => {
        const { label, format, lowerIsBetter } = metric(name);
        if (data === undefined) return <Skeleton key={name} className={classes.placeholder} height={82} />;
        const value = data.current[name];
        return (
          <StatTile
            key={name}
            label={label}
            value={value === null ? '–' : format(value, currency)}
            change={relativeChange(value, data.previous[name])}
            {...(lowerIsBetter && { lowerIsBetter })}
            {...(selectable.includes(name) && {
              onSelect: () => onSelect(name),
              selected: selected === name,
            })}
          />
        );
      })}
    </div>
  );
}
