import type { ItemStore } from '../../storage/changes/configuration-writer.ts';
import { type Database, nextPosition } from '../../storage/database.ts';
import type { Environment } from '../../storage/property-configuration.ts';

export async function listEnvironments(database: Database, propertyId: string): Promise<Environment[]> {
  const rows = await database
    .selectFrom('environments')
    .select(['id', 'name', 'protected', 'version'])
    .where('property_id', '=', propertyId)
    .orderBy('position')
    .execute();
  return rows.map((row) => ({ ...row, protected: row.protected === 1 }));
}

export const environmentItems: ItemStore<Environment> = {
  async insert(database, propertyId, environment, at) {
    await database
      .insertInto('environments')
      .values({
        property_id: propertyId,
        id: environment.id,
        ...toColumns(environment),
        position: await nextPosition(database, 'environments', propertyId),
        created_at: at,
      })
      .execute();
  },
  async update(database, propertyId, environment) {
    await database
      .updateTable('environments')
      .set(toColumns(environment))
      .where('property_id', '=', propertyId)
      .where('id', '=', environment.id)
      .execute();
  },
  async remove(database, propertyId, { id }) {
    await database
      .deleteFrom('environments')
      .where('property_id', '=', propertyId)
      .where('id', '=', id)
      .execute();
  },
};

function toColumns({ name, protected: isProtected, version }: Environment) {
  return { name, protected: isProtected ? 1 : 0, version };
}
