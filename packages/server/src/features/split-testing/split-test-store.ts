import { randomBytes } from 'node:crypto';
import type { SplitTestSettings } from '../../storage/configuration-settings.ts';
import { type Database, newId, nextPosition, touchProperty } from '../../storage/database.ts';
import type { SplitTest } from '../../storage/property-configuration.ts';
import { phasesByTest } from './phase-store.ts';

export async function listSplitTests(database: Database, propertyId: string): Promise<SplitTest[]> {
  const rows = await database
    .selectFrom('split_tests')
    .selectAll()
    .where('property_id', '=', propertyId)
    .orderBy('position')
    .execute();
  const goals = await database
    .selectFrom('split_test_goals')
    .select(['split_test_id', 'goal_id', 'role'])
    .where('property_id', '=', propertyId)
    .orderBy('position')
    .execute();
  const phases = await phasesByTest(database, propertyId);
  const goalsOf = (id: string, role: 'goal' | 'guardrail') =>
    goals.filter((goal) => goal.split_test_id === id && goal.role === role).map((goal) => goal.goal_id);
  return rows.map((row) => ({
    id: row.id,
    key: row.key,
    ...(row.name === null ? {} : { name: row.name }),
    type: row.type,
    status: row.status,
    hashSeed: row.hash_seed,
    trafficAllocation: row.traffic_allocation,
    variations: JSON.parse(row.variations),
    goals: goalsOf(row.id, 'goal'),
    guardrails: goalsOf(row.id, 'guardrail'),
    exclusion: row.exclusion === null ? null : JSON.parse(row.exclusion),
    startAt: row.start_at,
    stopAt: row.stop_at,
    winner: row.winner,
    attributionDays: row.attribution_days,
    plannedVisitors: row.planned_visitors,
    smallestEffect: row.smallest_effect,
    phases: phases.get(row.id) ?? [],
    createdAt: row.created_at,
  }));
}

export async function createSplitTest(
  database: Database,
  propertyId: string,
  settings: SplitTestSettings,
): Promise<void> {
  const id = newId('tst');
  const now = Date.now();
  await database
    .insertInto('split_tests')
    .values({
      id,
      property_id: propertyId,
      key: settings.key,
      ...toColumns(settings),
      hash_seed: settings.hashSeed ?? randomBytes(8).toString('hex'),
      position: await nextPosition(database, 'split_tests', propertyId),
      created_at: now,
      updated_at: now,
    })
    .execute();
  await insertGoals(database, propertyId, id, settings);
  await touchProperty(database, propertyId);
}

/** A missing seed keeps the stored one. */
export async function updateSplitTest(
  database: Database,
  propertyId: string,
  id: string,
  settings: SplitTestSettings,
): Promise<void> {
  const { hashSeed } = settings;
  await database
    .updateTable('split_tests')
    .set({
      ...toColumns(settings),
      ...(hashSeed === undefined ? {} : { hash_seed: hashSeed }),
      updated_at: Date.now(),
    })
    .where('id', '=', id)
    .execute();
  await database.deleteFrom('split_test_goals').where('split_test_id', '=', id).execute();
  await insertGoals(database, propertyId, id, settings);
  await touchProperty(database, propertyId);
}

async function insertGoals(
  database: Database,
  propertyId: string,
  splitTestId: string,
  { goals, guardrails }: SplitTestSettings,
): Promise<void> {
  const roles = [
    ...goals.map((goalId) => ({ goalId, role: 'goal' as const })),
    ...guardrails.map((goalId) => ({ goalId, role: 'guardrail' as const })),
  ];
  if (roles.length === 0) return;
  const rows = roles.map(({ goalId, role }, index) => ({
    split_test_id: splitTestId,
    property_id: propertyId,
    goal_id: goalId,
    role,
    position: index + 1,
  }));
  await database.insertInto('split_test_goals').values(rows).execute();
}

function toColumns(settings: SplitTestSettings) {
  const { exclusion } = settings;
  return {
    name: settings.name ?? null,
    type: settings.type,
    status: settings.status,
    traffic_allocation: settings.trafficAllocation,
    variations: JSON.stringify(settings.variations),
    exclusion: exclusion === null ? null : JSON.stringify(exclusion),
    start_at: settings.startAt,
    stop_at: settings.stopAt,
    winner: settings.winner,
    attribution_days: settings.attributionDays,
    planned_visitors: settings.plannedVisitors,
    smallest_effect: settings.smallestEffect,
  };
}
