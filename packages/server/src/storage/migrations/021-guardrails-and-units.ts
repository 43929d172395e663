import type { Kysely } from 'kysely';
import type { Migration } from './migration.ts';

interface TablesBefore {
  split_test_phases: { split_test_id: string; number: number; definition: string };
}

/** How much harm a guardrail has to rule out, and whether a test counts visitors or users. */
export const guardrailsAndUnitsMigration: Migration = {
  name: '021-guardrails-and-units',
  async up(schema, database) {
    for (const table of ['split_test_goals', 'split_test_feedback']) {
      await schema.alterTable(table).addColumn('max_harm', 'double precision').execute();
    }
    await schema
      .alterTable('split_tests')
      .addColumn('unit', 'text', (column) => column.notNull().defaultTo('visitor'))
      .execute();
    await addUnitToPhases(database as Kysely<TablesBefore>);
  },
};

/** Without it, the next change of a running test would look like a change of its unit. */
async function addUnitToPhases(database: Kysely<TablesBefore>): Promise<void> {
  for (const phase of await database.selectFrom('split_test_phases').selectAll().execute()) {
    await database
      .updateTable('split_test_phases')
      .set({ definition: JSON.stringify({ ...JSON.parse(phase.definition), unit: 'visitor' }) })
      .where('split_test_id', '=', phase.split_test_id)
      .where('number', '=', phase.number)
      .execute();
  }
}
