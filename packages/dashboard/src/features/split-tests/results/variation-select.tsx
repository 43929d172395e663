import { Select } from '@mantine/core';
import type { SplitTest } from '../../configuration/configuration-types.ts';
import { useResultFilters } from './use-result-filters.ts';

/** Chooses the variation to compare with the control; not needed if there is only one. */
export function VariationSelect({ test, value }: { test: SplitTest; value: string | undefined }) {
  const [, change] = useResultFilters();
  if (test.variations.length < 3) return null;
  return (
    <Select
      aria-label="Variation"
      size="xs"
      w={170}
      allowDeselect={false}
      data={test.variations.slice(1).map(({ key }) => key)}
      value={value ?? null}
      onChange={(variation) => change({ variation: variation ?? '' })}
    />
  );
}
