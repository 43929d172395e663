import { randomBytes } from 'node:crypto';
import { type Database, newId, nextPosition, touchProperty } from '../../storage/database.ts';
import type { SplitTest } from '../../storage/property-configuration.ts';

export interface SplitTestDefinition extends Omit<SplitTest, 'id' | 'hashSeed' | 'createdAt'> {
  /** Decides who sees what; generated once when left out. */
  hashSeed?: string;
}

export async function listSplitTests(database: Database, propertyId: string): Promise<SplitTest[]> {
  const rows = await database
    .selectFrom('split_tests')
    .selectAll()
    .where('property_id', '=', propertyId)
    .orderBy('position')
    .execute();
  const goals = await database
    .selectFrom('split_test_goals')
    .select(['split_test_id', 'goal_id'])
    .where('property_id', '=', propertyId)
    .orderBy('position')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    key: row.key,
    ...(row.name === null ? {} : { name: row.name }),
    type: row.type,
    status: row.status,
    hashSeed: row.hash_seed,
    trafficAllocation: row.traffic_allocation,
    variations: JSON.parse(row.variations),
    goals: goals.filter((goal) => goal.split_test_id === row.id).map((goal) => goal.goal_id),
    createdAt: row.created_at,
  }));
}

export async function createSplitTest(
  database: Database,
  propertyId: string,
  definition: SplitTestDefinition,
): Promise<void> {
  const id = newId('tst');
  const now = Date.now();
  await database
    .insertInto('split_tests')
    .values({
      id,
      property_id: propertyId,
      key: definition.key,
      ...toColumns(definition),
      hash_seed: definition.hashSeed ?? randomBytes(8).toString('hex'),
      position: await nextPosition(database, 'split_tests', propertyId),
      created_at: now,
      updated_at: now,
    })
    .execute();
  await insertGoals(database, propertyId, id, definition.goals);
  await touchProperty(database, propertyId);
}

/** A seed that is left out stays as it is. */
export async function updateSplitTest(
  database: Database,
  propertyId: string,
  id: string,
  definition: SplitTestDefinition,
): Promise<void> {
  const { hashSeed } = definition;
  await database
    .updateTable('split_tests')
    .set({
      ...toColumns(definition),
      ...(hashSeed === undefined ? {} : { hash_seed: hashSeed }),
      updated_at: Date.now(),
    })
    .where('id', '=', id)
    .execute();
  await database.deleteFrom('split_test_goals').where('split_test_id', '=', id).execute();
  await insertGoals(database, propertyId, id, definition.goals);
  await touchProperty(database, propertyId);
}

async function insertGoals(
  database: Database,
  propertyId: string,
  splitTestId: string,
  goals: readonly string[],
): Promise<void> {
  if (goals.length === 0) return;
  const rows = goals.map((goalId, index) => ({
    split_test_id: splitTestId,
    property_id: propertyId,
    goal_id: goalId,
    position: index + 1,
  }));
  await database.insertInto('split_test_goals').values(rows).execute();
}

function toColumns({ name, type, status, trafficAllocation, variations }: SplitTestDefinition) {
  return {
    name: name ?? null,
    type,
    status,
    traffic_allocation: trafficAllocation,
    variations: JSON.stringify(variations),
  };
}
