import { keyedItemStore } from '../../storage/changes/keyed-item-store.ts';
import type { Database } from '../../storage/database.ts';
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

export const environmentItems = keyedItemStore('environments', toColumns);

function toColumns({ name, protected: isProtected, version }: Environment) {
  return { name, protected: isProtected ? 1 : 0, version };
}
