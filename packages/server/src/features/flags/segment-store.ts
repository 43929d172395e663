import type { ItemStore } from '../../storage/changes/configuration-writer.ts';
import { type Database, nextPosition } from '../../storage/database.ts';
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

export const segmentItems: ItemStore<StoredSegment> = {
  async insert(database, propertyId, segment, at) {
    await database
      .insertInto('segments')
      .values({
        property_id: propertyId,
        id: segment.id,
        ...toColumns(segment),
        position: await nextPosition(database, 'segments', propertyId),
        created_at: at,
      })
      .execute();
  },
  async update(database, propertyId, segment) {
    await database
      .updateTable('segments')
      .set(toColumns(segment))
      .where('property_id', '=', propertyId)
      .where('id', '=', segment.id)
      .execute();
  },
  async remove(database, propertyId, { id }) {
    await database
      .deleteFrom('segments')
      .where('property_id', '=', propertyId)
      .where('id', '=', id)
      .execute();
  },
};

function toColumns({ name, match, conditions, version }: StoredSegment) {
  return {
    name: name ?? null,
    match: match ?? null,
    conditions: JSON.stringify(conditions),
    version,
  };
}
