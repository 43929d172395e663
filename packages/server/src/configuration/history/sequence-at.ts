import type { Database } from '../database/database.ts';

/**
 * The position of the last entry that was in force at a moment by the clock; 0 if there was none. What was saved before
 * it is in force too, whatever time it has: the clock may have been set back. Of a time that the clock has shown twice,
 * the second one counts.
 */
export async function sequenceAt(database: Database, propertyId: string, moment: number): Promise<number> {
  const saved = await database
    .selectFrom('history')
    .select('sequence')
    .where('property_id', '=', propertyId)
    .where('at', '<=', moment)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
  const corrected = await database
    .selectFrom('clock_corrections')
    .select(({ fn }) => fn.max<number | null>('sequence').as('sequence'))
    .where('property_id', '=', propertyId)
    .where('at', '<=', moment)
    .executeTakeFirst();
  return Math.max(saved?.sequence ?? 0, corrected?.sequence ?? 0);
}

/**
 * Times by the clock at which an entry, and with it everything before it, was in force although earlier entries have
 * later times, because the clock was set back.
 */
export async function clockCorrections(
  database: Database,
  propertyId: string,
): Promise<{ sequence: number; at: number }[]> {
  const recorded = await database
    .selectFrom('clock_corrections')
    .select(['sequence', 'at'])
    .where('property_id', '=', propertyId)
    .execute();
  const saved = await database
    .selectFrom('history')
    .select(['sequence', 'at'])
    .where('property_id', '=', propertyId)
    .whereRef('ordered_at', '>', 'at')
    .execute();
  return [...recorded, ...saved];
}

/** The clock was set back to `since`, and shows `now`: what has later times is in force since then, also by the clock. */
export async function recordClockCorrections(
  database: Database,
  { since, now }: { since: number; now: number },
): Promise<void> {
  const ahead = await database
    .selectFrom('history')
    .select(({ fn }) => ['property_id', fn.max<number>('sequence').as('sequence')])
    .where('at', '>', now)
    .groupBy('property_id')
    .execute();
  for (const { property_id, sequence } of ahead) {
    await database
      .insertInto('clock_corrections')
      .values({ property_id, sequence, at: since })
      // It may have been set back again, or another process has noticed it.
      .onConflict((conflict) =>
        conflict
          .columns(['property_id', 'sequence'])
          .doUpdateSet({ at: since })
          .where('clock_corrections.at', '>', since),
      )
      .execute();
  }
}
