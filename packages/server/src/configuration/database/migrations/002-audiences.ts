import type { Migration } from './migration.ts';

/** Who takes part in a split test. */
export const audiencesMigration: Migration = {
  name: '002-audiences',
  async up(schema) {
    await schema.alterTable('split_tests').addColumn('audience', 'text').execute();
  },
};
