import { dueStep, scheduledStatus } from '@switchyard/core/lifecycle/schedule';
import { SYSTEM } from '../../configuration/property/actor.ts';
import {
  derivePerProperty,
  type PropertyConfiguration,
} from '../../configuration/property/property-configuration.ts';
import type { ChangeInput, ConfigurationWriter } from '../../configuration/writer/configuration-writer.ts';

export interface ScheduledChange {
  propertyId: string;
  splitTestKey: string;
  status: string;
  /** When it took effect. */
  at: number;
}

/** Starts and stops tests that are due, including those that became due while no server ran. */
export async function runSchedule(
  writer: ConfigurationWriter,
  properties: readonly PropertyConfiguration[],
  now: number,
): Promise<ScheduledChange[]> {
  const changes: ScheduledChange[] = [];
  for (const property of properties) {
    if (nextStep(property) > now) continue;
    for (const test of property.splitTests) {
      if (scheduledStatus(test, now) === test.status) continue;
      changes.push(...(await followSchedule(writer, property.id, test.id, now)));
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

async function followSchedule(
  writer: ConfigurationWriter,
  propertyId: string,
  id: string,
  now: number,
): Promise<ScheduledChange[]> {
  const changes: ScheduledChange[] = [];
  for (;;) {
    let step: ScheduledChange | undefined;
    await writer.changeProperty(propertyId, { actor: SYSTEM, via: 'schedule' }, async (input) => {
      const taken = await takeStep(input, id, now);
      step = taken?.step;
      return taken?.property ?? input.current;
    });
    if (step === undefined) return changes;
    changes.push(step);
  }
}

/** Uses the stored test, which may be newer than the configuration in memory. */
async function takeStep(
  { current, database, setEffectiveTime }: ChangeInput,
  id: string,
  now: number,
): Promise<{ property: PropertyConfiguration; step: ScheduledChange } | undefined> {
  const test = current?.splitTests.find((candidate) => candidate.id === id);
  const due = test && dueStep(test, now);
  if (current === undefined || test === undefined || due === undefined) return undefined;
  const { updated_at } = await database
    .selectFrom('split_tests')
    .select('updated_at')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  // A schedule that was saved late did not apply before it was saved.
  const at = Math.max(due.at, updated_at);
  setEffectiveTime(at);
  const splitTests = current.splitTests.map((each) =>
    each === test ? { ...test, status: due.status } : each,
  );
  const step = { propertyId: current.id, splitTestKey: test.key, status: due.status, at };
  return { property: { ...current, splitTests }, step };
}
