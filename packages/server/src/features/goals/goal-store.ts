import { type Database, nextPosition, touchProperty } from '../../storage/database.ts';
import type { Goal } from '../../storage/property-configuration.ts';

export function listGoals(database: Database, propertyId: string): Promise<Goal[]> {
  return database
    .selectFrom('goals')
    .select(['id', 'name', 'kind'])
    .where('property_id', '=', propertyId)
    .orderBy('position')
    .execute();
}

export async function createGoal(database: Database, propertyId: string, goal: Goal): Promise<void> {
  const position = await nextPosition(database, 'goals', propertyId);
  await database
    .insertInto('goals')
    .values({ property_id: propertyId, ...goal, position, created_at: Date.now() })
    .execute();
  await touchProperty(database, propertyId);
}

/** The kind stays: what was counted under one kind means nothing under the other. */
export async function updateGoal(
  database: Database,
  propertyId: string,
  goal: Omit<Goal, 'kind'>,
): Promise<void> {
  await database
    .updateTable('goals')
    .set({ name: goal.name })
    .where('property_id', '=', propertyId)
    .where('id', '=', goal.id)
    .execute();
  await touchProperty(database, propertyId);
}
