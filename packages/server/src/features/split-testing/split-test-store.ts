import { type Database, nextPosition } from '../../configuration/database/database.ts';
import type { ItemRows } from '../../configuration/definitions/collection-definition.ts';
import type { SplitTest } from '../../configuration/property/property-configuration.ts';
import { outcomesByTest, saveOutcomes } from './outcome-store.ts';
import { phasesByTest, savePhase } from './phase-store.ts';

async function listSplitTests(database: Database, propertyId: string): Promise<SplitTest[]> {
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
    ...(row.audience === null ? {} : { audience: JSON.parse(row.audience) }),
    ...(row.on_harm === null ? {} : { onHarm: row.on_harm }),
    startAt: row.start_at,
    stopAt: row.stop_at,
    winner: row.winner,
    decision: row.decision === null ? null : JSON.parse(row.decision),
    attributionDays: row.attribution_days,
    plannedVisitors: row.planned_visitors,
    smallestEffect: row.smallest_effect,
    unit: row.unit,
    phases: phases.get(row.id) ?? [],
    ...(row.decision_rule === null ? {} : { decisionRule: JSON.parse(row.decision_rule) }),
    createdAt: row.created_at,
    version: row.version,
  }));
}

export const splitTestRows: ItemRows<SplitTest> = {
  list: listSplitTests,
  async insert(database, propertyId, test, at) {
    await database
      .insertInto('split_tests')
      .values({
        id: test.id,
        property_id: propertyId,
        key: test.key,
        ...toColumns(test),
        position: await nextPosition(database, 'split_tests', propertyId),
        created_at: test.createdAt,
        updated_at: at,
      })
      .execute();
    await saveParts(database, propertyId, test);
  },
  async update(database, propertyId, test, at) {
    await database
      .updateTable('split_tests')
      .set({ ...toColumns(test), updated_at: at })
      .where('id', '=', test.id)
      .execute();
    await saveParts(database, propertyId, test);
  },
  async remove(database, _propertyId, { id }) {
    await database.deleteFrom('split_tests').where('id', '=', id).execute();
  },
};

async function saveParts(database: Database, propertyId: string, test: SplitTest): Promise<void> {
  await saveOutcomes(database, propertyId, test.id, test);
  // A change ends at most one phase and starts one.
  for (const phase of test.phases.slice(-2)) await savePhase(database, propertyId, test.id, phase);
}

function toColumns(test: SplitTest) {
  const { exclusion, decision, decisionRule, audience } = test;
  return {
    name: test.name ?? null,
    description: test.description,
    hypothesis: test.hypothesis,
    tags: JSON.stringify(test.tags),
    owner: test.owner,
    type: test.type,
    status: test.status,
    hash_seed: test.hashSeed,
    traffic_allocation: test.trafficAllocation,
    variations: JSON.stringify(test.variations),
    exclusion: exclusion === null ? null : JSON.stringify(exclusion),
    audience: audience === undefined ? null : JSON.stringify(audience),
    on_harm: test.onHarm ?? null,
    start_at: test.startAt,
    stop_at: test.stopAt,
    winner: test.winner,
    decision: decision === null ? null : JSON.stringify(decision),
    attribution_days: test.attributionDays,
    planned_visitors: test.plannedVisitors,
    smallest_effect: test.smallestEffect,
    unit: test.unit,
    decision_rule: decisionRule === undefined ? null : JSON.stringify(decisionRule),
    version: test.version,
  };
}
