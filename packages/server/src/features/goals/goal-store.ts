import { keyedItemStore } from '../../storage/changes/keyed-item-store.ts';
import type { Database } from '../../storage/database.ts';
import type { Goal } from '../../storage/property-configuration.ts';

export async function listGoals(database: Database, propertyId: string): Promise<Goal[]> {
  const rows = await database
    .selectFrom('goals')
    .select(['id', 'name', 'kind', 'lower_is_better', 'target', 'version'])
    .where('property_id', '=', propertyId)
    .orderBy('position')
    .execute();
  return rows.map(({ lower_is_better, target, ...goal }) => ({
    ...goal,
    lowerIsBetter: lower_is_better === 1,
    target: target === null ? null : JSON.parse(target),
  }));
}

export const goalItems = keyedItemStore('goals', toColumns);

function toColumns({ name, kind, lowerIsBetter, target, version }: Goal) {
  return {
    name,
    kind,
    lower_is_better: lowerIsBetter ? 1 : 0,
    target: target === null ? null : JSON.stringify(target),
    version,
  };
}
