import type { Migration } from './migration.ts';

/** What decided about a split test when it started; null for those that started before. */
export const decisionRulesMigration: Migration = {
  name: '007-decision-rules',
  async up(schema) {
    await schema.alterTable('split_tests').addColumn('decision_rule', 'text').execute();
  },
};
