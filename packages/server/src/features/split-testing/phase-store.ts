import type { Phase } from '@switchyard/core/lifecycle/phases';
import type { Database } from '../../configuration/database/database.ts';

/** Phases by test id, oldest first. */
export async function phasesByTest(database: Database, propertyId: string): Promise<Map<string, Phase[]>> {
  const rows = await database
    .selectFrom('split_test_phases')
    .selectAll()
    .where('property_id', '=', propertyId)
    .orderBy('number')
    .execute();
  const phases = new Map<string, Phase[]>();
  for (const row of rows) {
    const phase = {
      number: row.number,
      startedAt: row.started_at,
      endedAt: row.ended_at,
      ...(row.served_from === null ? {} : { servedFrom: row.served_from }),
      reasons: JSON.parse(row.reasons),
      definition: JSON.parse(row.definition),
      ...(row.pauses === null ? {} : { pauses: JSON.parse(row.pauses) }),
    };
    phases.set(row.split_test_id, [...(phases.get(row.split_test_id) ?? []), phase]);
  }
  return phases;
}

/** Inserts or updates a phase. */
export async function savePhase(
  database: Database,
  propertyId: string,
  splitTestId: string,
  { number, startedAt, servedFrom, endedAt, reasons, definition, pauses }: Phase,
): Promise<void> {
  const columns = {
    ended_at: endedAt,
    definition: JSON.stringify(definition),
    pauses: pauses === undefined ? null : JSON.stringify(pauses),
  };
  await database
    .insertInto('split_test_phases')
    .values({
      split_test_id: splitTestId,
      property_id: propertyId,
      number,
      started_at: startedAt,
      served_from: servedFrom ?? null,
      reasons: JSON.stringify(reasons),
      ...columns,
    })
    .onConflict((conflict) => conflict.columns(['split_test_id', 'number']).doUpdateSet(columns))
    .execute();
}
