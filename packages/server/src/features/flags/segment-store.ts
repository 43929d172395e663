import type { Segment } from '@switchyard/core/api/targeting';
import { type Database, nextPosition, touchProperty } from '../../storage/database.ts';

export async function listSegments(database: Database, propertyId: string): Promise<Segment[]> {
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
  }));
}

export async function createSegment(database: Database, propertyId: string, segment: Segment): Promise<void> {
  const position = await nextPosition(database, 'segments', propertyId);
  await database
    .insertInto('segments')
    .values({
      property_id: propertyId,
      id: segment.id,
      ...toColumns(segment),
      position,
      created_at: Date.now(),
    })
    .execute();
  await touchProperty(database, propertyId);
}

export async function updateSegment(database: Database, propertyId: string, segment: Segment): Promise<void> {
  await database
    .updateTable('segments')
    .set(toColumns(segment))
    .where('property_id', '=', propertyId)
    .where('id', '=', segment.id)
    .execute();
  await touchProperty(database, propertyId);
}

function toColumns({ name, match, conditions }: Segment) {
  return { name: name ?? null, match: match ?? null, conditions: JSON.stringify(conditions) };
}
