import { dueStep, scheduledStatus } from '@switchyard/core/lifecycle/schedule';
import { type Database, touchProperty } from '../../storage/database.ts';
import { derivePerProperty, type PropertyConfiguration } from '../../storage/property-configuration.ts';
import { updatePhases } from './update-phases.ts';

export interface ScheduledChange {
  propertyId: string;
  splitTestKey: string;
  status: string;
  /** From when on it counts. */
  at: number;
}

/** Starts and stops the tests whose time has come, also those whose time came while no server ran. */
export async function runSchedule(
  database: Database,
  properties: readonly PropertyConfiguration[],
  now: number,
): Promise<ScheduledChange[]> {
  const changes: ScheduledChange[] = [];
  for (const property of properties) {
    if (nextStep(property) > now) continue;
    for (const test of property.splitTests) {
      if (scheduledStatus(test, now) === test.status) continue;
      changes.push(...(await followSchedule(database, property.id, test.id, now)));
    }
  }
  return changes;
}

/** When the schedule next asks for something; most looks at it end here. */
const nextStep = derivePerProperty(({ splitTests }) =>
  Math.min(
    ...splitTests.map((test) => dueStep(test, Number.POSITIVE_INFINITY)?.at ?? Number.POSITIVE_INFINITY),
  ),
);

/** Decides on what is stored, which may be newer than the configuration in memory. */
function followSchedule(
  database: Database,
  propertyId: string,
  id: string,
  now: number,
): Promise<ScheduledChange[]> {
  return database.transaction().execute(async (transaction) => {
    const changes: ScheduledChange[] = [];
    for (;;) {
      const test = await transaction
        .selectFrom('split_tests')
        .select(['key', 'status', 'start_at as startAt', 'stop_at as stopAt', 'updated_at as updatedAt'])
        .where('id', '=', id)
        .executeTakeFirst();
      const step = test && dueStep(test, now);
      if (test === undefined || step === undefined) return changes;
      // What was saved after its time had come cannot have been in force before.
      const at = Math.max(step.at, test.updatedAt);
      await transaction
        .updateTable('split_tests')
        .set({ status: step.status, updated_at: at })
        .where('id', '=', id)
        .execute();
      await touchProperty(transaction, propertyId);
      await updatePhases(transaction, propertyId, at);
      changes.push({ propertyId, splitTestKey: test.key, status: step.status, at });
    }
  });
}
