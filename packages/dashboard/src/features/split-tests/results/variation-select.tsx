import { Select } from '@mantine/core';
import { useContext } from 'react';
import type { ReportedTest } from '../reported-test.ts';
import { RetiredVariations } from './retired-variations.tsx';
import { useResultFilters } from './use-result-filters.ts';

/** Chooses the variation to compare with the control; not needed if there is only one. */
export function VariationSelect({ test, value }: { test: ReportedTest; value: string | undefined }) {
  const [, change] = useResultFilters();
  const retired = useContext(RetiredVariations);
  if (test.variations.length < 3) return null;
  return (
    <Select
      aria-label="Variation"
      size="xs"
      w={170}
      allowDeselect={false}
      data={test.variations
        .slice(1)
        .map(({ key }) => ({ value: key, label: retired.has(key) ? `${key} (retired)` : key }))}
      value={value ?? null}
      onChange={(variation) => change({ variation: variation ?? '' })}
    />
  );
}
