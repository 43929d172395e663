import type { Migration } from './migration.ts';

/** How far the journal of each node is, so that an erasure can wait until all of it is in the event store. */
export const nodeJournalsMigration: Migration = {
  name: '020-node-journals',
  async up(schema) {
    await schema
      .createTable('node_journals')
      .addColumn('source', 'text', (column) => column.primaryKey())
      .addColumn('position', 'bigint', (column) => column.notNull())
      .addColumn('seen_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};
