import type { Migration } from './migration.ts';

/** What a rollout with guardrails was going to be when it began, and how it ended. */
export const guardedRolloutsMigration: Migration = {
  name: '008-guarded-rollouts',
  async up(schema) {
    await schema.alterTable('measured_rules').addColumn('plan', 'text').execute();
  },
};
