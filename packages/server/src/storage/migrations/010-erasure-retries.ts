import type { Migration } from './migration.ts';

export const erasureRetriesMigration: Migration = {
  name: '010-erasure-retries',
  async up(schema) {
    await schema
      .alterTable('erasures')
      .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await schema.alterTable('erasures').addColumn('next_attempt_at', 'bigint').execute();
  },
};
