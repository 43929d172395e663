import type { Migration } from './migration.ts';

/** What happens if a split test does harm. */
export const onHarmMigration: Migration = {
  name: '006-on-harm',
  async up(schema) {
    await schema.alterTable('split_tests').addColumn('on_harm', 'text').execute();
  },
};
