import { keyedRows } from '../../configuration/definitions/keyed-rows.ts';
import type { Goal } from '../../configuration/property/property-configuration.ts';

export const goalRows = keyedRows('goals', {
  toItem: ({ id, name, kind, lower_is_better, target, version }): Goal => ({
    id,
    name,
    kind,
    version,
    lowerIsBetter: lower_is_better === 1,
    target: target === null ? null : JSON.parse(target),
  }),
  toColumns: ({ name, kind, lowerIsBetter, target, version }) => ({
    name,
    kind,
    lower_is_better: lowerIsBetter ? 1 : 0,
    target: target === null ? null : JSON.stringify(target),
    version,
  }),
});
