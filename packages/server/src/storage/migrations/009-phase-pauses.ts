import type { Kysely } from 'kysely';
import type { Migration } from './migration.ts';

interface TablesBefore {
  split_tests: { id: string; status: string; updated_at: number };
  split_test_phases: { split_test_id: string; ended_at: number | null; pauses: string | null };
}

export const phasePausesMigration: Migration = {
  name: '009-phase-pauses',
  async up(schema, database) {
    await schema.alterTable('split_test_phases').addColumn('pauses', 'text').execute();
    await openPauses(database as Kysely<TablesBefore>);
  },
};

/** The last change of a paused test was most likely the pause. */
async function openPauses(database: Kysely<TablesBefore>): Promise<void> {
  const tests = await database.selectFrom('split_tests').selectAll().where('status', '=', 'paused').execute();
  for (const { id, updated_at: from } of tests) {
    await database
      .updateTable('split_test_phases')
      .set({ pauses: JSON.stringify([{ from, to: null }]) })
      .where('split_test_id', '=', id)
      .where('ended_at', 'is', null)
      .execute();
  }
}
