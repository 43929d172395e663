import { keyedRows } from '../../configuration/definitions/keyed-rows.ts';
import type { Metric } from '../../configuration/property/property-configuration.ts';

export const metricRows = keyedRows('metrics', {
  toItem: ({ id, name, kind, description, tags, lower_is_better, cap, format, computation, version }) =>
    ({
      id,
      name,
      kind,
      description,
      tags: JSON.parse(tags),
      lowerIsBetter: lower_is_better === 1,
      cap,
      format,
      ...JSON.parse(computation),
      version,
    }) as Metric,
  toColumns({ id: _id, name, kind, description, tags, lowerIsBetter, cap, format, version, ...computation }) {
    return {
      name,
      kind,
      description,
      tags: JSON.stringify(tags),
      lower_is_better: lowerIsBetter ? 1 : 0,
      cap,
      format,
      computation: JSON.stringify(computation),
      version,
    };
  },
});
