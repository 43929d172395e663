import { type Database, nextPosition, touchProperty } from '../../storage/database.ts';
import type { Environment } from '../../storage/property-configuration.ts';

export function listEnvironments(database: Database, propertyId: string): Promise<Environment[]> {
  return database
    .selectFrom('environments')
    .select(['id', 'name'])
    .where('property_id', '=', propertyId)
    .orderBy('position')
    .execute();
}

export async function createEnvironment(
  database: Database,
  propertyId: string,
  environment: Environment,
): Promise<void> {
  const position = await nextPosition(database, 'environments', propertyId);
  await database
    .insertInto('environments')
    .values({
      property_id: propertyId,
      id: environment.id,
      name: environment.name,
      position,
      created_at: Date.now(),
    })
    .execute();
  await touchProperty(database, propertyId);
}

export async function updateEnvironment(
  database: Database,
  propertyId: string,
  environment: Environment,
): Promise<void> {
  await database
    .updateTable('environments')
    .set({ name: environment.name })
    .where('property_id', '=', propertyId)
    .where('id', '=', environment.id)
    .execute();
  await touchProperty(database, propertyId);
}
