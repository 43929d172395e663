import { keyedRows } from '../../configuration/definitions/keyed-rows.ts';
import type { StoredSegment } from '../../configuration/property/property-configuration.ts';

export const segmentRows = keyedRows('segments', {
  toItem: (row): StoredSegment => ({
    id: row.id,
    ...(row.name === null ? {} : { name: row.name }),
    ...(row.match === null ? {} : { match: row.match }),
    conditions: JSON.parse(row.conditions),
    version: row.version,
  }),
  toColumns: ({ name, match, conditions, version }) => ({
    name: name ?? null,
    match: match ?? null,
    conditions: JSON.stringify(conditions),
    version,
  }),
});
