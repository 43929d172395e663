import { type Database, nextPosition, touchProperty } from '../../storage/database.ts';
import type { Goal } from '../../storage/property-configuration.ts';

export async function listGoals(database: Database, propertyId: string): Promise<Goal[]> {
  const rows = await database
    .selectFrom('goals')
    .select(['id', 'name', 'kind', 'lower_is_better', 'target'])
    .where('property_id', '=', propertyId)
    .orderBy('position')
    .execute();
  return rows.map(({ lower_is_better, target, ...goal }) => ({
    ...goal,
    lowerIsBetter: lower_is_better === 1,
    target: target === null ? null : JSON.parse(target),
  }));
}

export async function createGoal(database: Database, propertyId: string, goal: Goal): Promise<void> {
  const position = await nextPosition(database, 'goals', propertyId);
  await database
    .insertInto('goals')
    .values({
      property_id: propertyId,
      id: goal.id,
      kind: goal.kind,
      ...toColumns(goal),
      position,
      created_at: Date.now(),
    })
    .execute();
  await touchProperty(database, propertyId);
}

/** The kind never changes: counts of one kind are meaningless for the other. */
export async function updateGoal(
  database: Database,
  propertyId: string,
  goal: Omit<Goal, 'kind'>,
): Promise<void> {
  await database
    .updateTable('goals')
    .set(toColumns(goal))
    .where('property_id', '=', propertyId)
    .where('id', '=', goal.id)
    .execute();
  await touchProperty(database, propertyId);
}

function toColumns({ name, lowerIsBetter, target }: Omit<Goal, 'kind'>) {
  return {
    name,
    lower_is_better: lowerIsBetter ? 1 : 0,
    target: target === null ? null : JSON.stringify(target),
  };
}
