import { baselineMigration } from './001-baseline.ts';
import { audiencesMigration } from './002-audiences.ts';
import { flagFormatsMigration } from './003-flag-formats.ts';
import { measuredRulesMigration } from './004-measured-rules.ts';
import { metricsMigration } from './005-metrics.ts';
import { onHarmMigration } from './006-on-harm.ts';
import { decisionRulesMigration } from './007-decision-rules.ts';
import { guardedRolloutsMigration } from './008-guarded-rollouts.ts';
import type { Migration } from './migration.ts';

export const ALL_MIGRATIONS: readonly Migration[] = [
  baselineMigration,
  audiencesMigration,
  flagFormatsMigration,
  measuredRulesMigration,
  metricsMigration,
  onHarmMigration,
  decisionRulesMigration,
  guardedRolloutsMigration,
];
