import { randomBytes } from 'node:crypto';
import type { SplitTestSettings } from '../../storage/configuration-settings.ts';
import { type Database, newId, nextPosition, touchProperty } from '../../storage/database.ts';
import type { SplitTest } from '../../storage/property-configuration.ts';
import { outcomesByTest, saveOutcomes } from './outcome-store.ts';
import { phasesByTest } from './phase-store.ts';

export async function listSplitTests(database: Database, propertyId: string): Promise<SplitTest[]> {
  const rows = await database
    .selectFrom('split_tests')
    .selectAll()
    .where('property_id', '=', propertyId)
    .orderBy('position')
    .execute();
  const outcomes = await outcomesByTest(database, propertyId);
  const phases = await phasesByTest(database, propertyId);
  return rows.map((row) => ({
    id: row.id,
    key: row.key,
    ...(row.name === null ? {} : { name: row.name }),
    description: row.description,
    hypothesis: row.hypothesis,
    tags: JSON.parse(row.tags),
    owner: row.owner,
    type: row.type,
    status: row.status,
    hashSeed: row.hash_seed,
    trafficAllocation: row.traffic_allocation,
    variations: JSON.parse(row.variations),
    ...(outcomes.get(row.id) ?? { goals: [], guardrails: [] }),
    exclusion: row.exclusion === null ? null : JSON.parse(row.exclusion),
    startAt: row.start_at,
    stopAt: row.stop_at,
    winner: row.winner,
    decision: row.decision === null ? null : JSON.parse(row.decision),
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
  await saveOutcomes(database, propertyId, id, settings);
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
  await saveOutcomes(database, propertyId, id, settings);
  await touchProperty(database, propertyId);
}

function toColumns(settings: SplitTestSettings) {
  const { exclusion, decision } = settings;
  return {
    name: settings.name ?? null,
    description: settings.description,
    hypothesis: settings.hypothesis,
    tags: JSON.stringify(settings.tags),
    owner: settings.owner,
    type: settings.type,
    status: settings.status,
    traffic_allocation: settings.trafficAllocation,
    variations: JSON.stringify(settings.variations),
    exclusion: exclusion === null ? null : JSON.stringify(exclusion),
    start_at: settings.startAt,
    stop_at: settings.stopAt,
    winner: settings.winner,
    decision: decision === null ? null : JSON.stringify(decision),
    attribution_days: settings.attributionDays,
    planned_visitors: settings.plannedVisitors,
    smallest_effect: settings.smallestEffect,
  };
}
