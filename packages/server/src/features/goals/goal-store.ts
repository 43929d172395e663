import type { ItemStore } from '../../storage/changes/configuration-writer.ts';
import { type Database, nextPosition } from '../../storage/database.ts';
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

export const goalItems: ItemStore<Goal> = {
  async insert(database, propertyId, goal, at) {
    await database
      .insertInto('goals')
      .values({
        property_id: propertyId,
        id: goal.id,
        kind: goal.kind,
        ...toColumns(goal),
        position: await nextPosition(database, 'goals', propertyId),
        created_at: at,
      })
      .execute();
  },
  /** The kind never changes: counts of one kind are meaningless for the other. */
  async update(database, propertyId, goal) {
    await database
      .updateTable('goals')
      .set(toColumns(goal))
      .where('property_id', '=', propertyId)
      .where('id', '=', goal.id)
      .execute();
  },
  async remove(database, propertyId, { id }) {
    await database.deleteFrom('goals').where('property_id', '=', propertyId).where('id', '=', id).execute();
  },
};

function toColumns({ name, lowerIsBetter, target, version }: Goal) {
  return {
    name,
    lower_is_better: lowerIsBetter ? 1 : 0,
    target: target === null ? null : JSON.stringify(target),
    version,
  };
}
