import { advancePhases, definitionInForce } from '@switchyard/core/lifecycle/phases';
import { type Database, touchProperty } from '../../storage/database.ts';
import { savePhase } from './phase-store.ts';
import { listSplitTests } from './split-test-store.ts';

/** Ends and starts phases to match the saved tests of a property; the last step of every change. */
export async function updatePhases(database: Database, propertyId: string, at: number): Promise<void> {
  const { hash_seed: hashSeed, holdout } = await database
    .selectFrom('properties')
    .select(['hash_seed', 'holdout'])
    .where('id', '=', propertyId)
    .executeTakeFirstOrThrow();
  for (const test of await listSplitTests(database, propertyId)) {
    const definition = definitionInForce(test, { hashSeed, holdout });
    const phases = advancePhases(test.phases, test.status, definition, at);
    if (phases === test.phases) continue;
    for (const phase of phases) {
      if (!test.phases.includes(phase)) await savePhase(database, propertyId, test.id, phase);
    }
    await touchProperty(database, propertyId);
  }
}
