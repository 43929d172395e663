import { dueStep, scheduledStatus } from '@switchyard/core/lifecycle/schedule';
import { type Database, touchProperty } from '../../storage/database.ts';
import { derivePerProperty, type PropertyConfiguration } from '../../storage/property-configuration.ts';
import { updatePhases } from './update-phases.ts';

export interface ScheduledChange {
  propertyId: string;
  splitTestKey: string;
  status: string;
  /** When it took effect. */
  at: number;
}

/** Starts and stops tests that are due, including those that became due while no server ran. */
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

/** The time of the next scheduled step, which makes most runs of the schedule cheap. */
const nextStep = derivePerProperty(({ splitTests }) =>
  Math.min(
    ...splitTests.map((test) => dueStep(test, Number.POSITIVE_INFINITY)?.at ?? Number.POSITIVE_INFINITY),
  ),
);

/** Reads the stored test, which may be newer than the configuration in memory. */
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
      // A schedule that was saved late did not apply before it was saved.
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
