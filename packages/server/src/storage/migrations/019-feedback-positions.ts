import { type Kysely, sql } from 'kysely';
import { LOCAL_SOURCE } from '../event-store.ts';
import type { Migration } from './migration.ts';

/** The event store has a position per source: a JSON object instead of the position in the only journal. */
export const feedbackPositionsMigration: Migration = {
  name: '019-feedback-positions',
  async up(schema, database) {
    await schema
      .alterTable('webhook_feedback_positions')
      .addColumn('positions', 'text', (column) => column.notNull().defaultTo('{}'))
      .execute();
    const start = sql.lit(`{"${LOCAL_SOURCE}":`);
    await (database as Kysely<ChangedTables>)
      .updateTable('webhook_feedback_positions')
      .set({ positions: sql`${start} || position || '}'` })
      .execute();
    await schema.alterTable('webhook_feedback_positions').dropColumn('position').execute();
  },
};

interface ChangedTables {
  webhook_feedback_positions: { positions: string };
}
