import type { EventQuestions } from '../../storage/event-log.ts';
import type { PropertyConfiguration } from '../../storage/property-configuration.ts';

const DAY = 24 * 60 * 60 * 1000;

/** Deletes what properties no longer want to keep; returns the rows deleted. */
export async function enforceRetention(
  properties: readonly PropertyConfiguration[],
  questions: Pick<EventQuestions, 'expire'>,
  now: number,
): Promise<number> {
  let rows = 0;
  for (const { id, retentionDays } of properties) {
    if (retentionDays === null) continue;
    rows += (await questions.expire(id, now - retentionDays * DAY)).rows;
  }
  return rows;
}
