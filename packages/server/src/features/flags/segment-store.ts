import { keyedItemStore } from '../../storage/changes/keyed-item-store.ts';
import type { Database } from '../../storage/database.ts';
import type { StoredSegment } from '../../storage/property-configuration.ts';

export async function listSegments(database: Database, propertyId: string): Promise<StoredSegment[]> {
  const rows = await database
    .selectFrom('segments')
    .selectAll()
    .where('property_id', '=', propertyId)
    .orderBy('position')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    ...(row.name === null ? {} : { name: row.name }),
    ...(row.match === null ? {} : { match: row.match }),
    conditions: JSON.parse(row.conditions),
    version: row.version,
  }));
}

export const segmentItems = keyedItemStore('segments', toColumns);

function toColumns({ name, match, conditions, version }: StoredSegment) {
  return {
    name: name ?? null,
    match: match ?? null,
    conditions: JSON.stringify(conditions),
    version,
  };
}
