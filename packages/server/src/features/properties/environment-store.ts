import { type Database, nextPosition, touchProperty } from '../../storage/database.ts';
import type { Environment } from '../../storage/property-configuration.ts';

export async function listEnvironments(database: Database, propertyId: string): Promise<Environment[]> {
  const rows = await database
    .selectFrom('environments')
    .select(['id', 'name', 'protected'])
    .where('property_id', '=', propertyId)
    .orderBy('position')
    .execute();
  return rows.map((row) => ({ ...row, protected: row.protected === 1 }));
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
      ...toColumns(environment),
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
    .set(toColumns(environment))
    .where('property_id', '=', propertyId)
    .where('id', '=', environment.id)
    .execute();
  await touchProperty(database, propertyId);
}

function toColumns(environment: Environment) {
  return { name: environment.name, protected: environment.protected ? 1 : 0 };
}
