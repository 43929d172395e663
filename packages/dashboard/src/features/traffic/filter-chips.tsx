import { Button } from '@mantine/core';
import type { TrafficDimension } from '@switchyard/core/api/traffic';
import { Icon } from '../../ui/page/icon.tsx';
import classes from './metric-tiles.module.css';
import { DIMENSION_LABELS, dimensionValue } from './traffic-dimensions.ts';
import type { TrafficFilters } from './traffic-query.ts';

/** The active filters, each removable. */
export function FilterChips({
  filters,
  onChange,
}: {
  filters: TrafficFilters;
  onChange: (next: TrafficFilters) => void;
}) {
  const active = Object.entries(filters).filter(([name]) => name in DIMENSION_LABELS) as [
    TrafficDimension,
    string,
  ][];
  if (active.length === 0) return null;
  const without = (name: string) =>
    Object.fromEntries(Object.entries(filters).filter(([each]) => each !== name));
  return (
    <section className={classes.tiles} aria-label="Filters">
      {active.map(([name, value]) => {
        const text = `${DIMENSION_LABELS[name]}: ${dimensionValue(name, value)}`;
        return (
          <Button
            key={name}
            size="compact-sm"
            variant="default"
            rightSection={<Icon name="close" size={12} />}
            aria-label={`Remove the filter ${text}`}
            onClick={() => onChange(without(name))}
          >
            {text}
          </Button>
        );
      })}
      <Button size="compact-sm" variant="subtle" onClick={() => onChange({})}>
        Clear all
      </Button>
    </section>
  );
}
