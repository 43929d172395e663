import type { DatabaseTables } from '../migrations/database-tables.ts';

/** Those of migrations are the migrator's; journals of nodes stay with their nodes, and salts of a day are not copied. */
export type ConfigurationTable = Exclude<
  keyof DatabaseTables,
  'kysely_migration' | 'node_journals' | 'daily_salts'
>;

type Keys = { readonly [Table in ConfigurationTable]: readonly (keyof DatabaseTables[Table] & string)[] };

/** All tables of the configuration, with the columns that identify a row; a table comes after those that it refers to. */
export const TABLE_KEYS: Keys = {
  properties: ['id'],
  environments: ['property_id', 'id'],
  api_keys: ['id'],
  goals: ['property_id', 'id'],
  feedback_types: ['property_id', 'id'],
  split_tests: ['id'],
  split_test_goals: ['split_test_id', 'goal_id'],
  split_test_feedback: ['split_test_id', 'position'],
  split_test_phases: ['split_test_id', 'number'],
  flags: ['id'],
  flag_configurations: ['id'],
  segments: ['property_id', 'id'],
  members: ['property_id', 'account_id'],
  webhooks: ['property_id', 'id'],
  history: ['id'],
  history_snapshots: ['property_id', 'sequence'],
  clock_corrections: ['property_id', 'sequence'],
  audit_log: ['sequence'],
  proposals: ['id'],
  created_resources: ['id'],
  accounts: ['id'],
  account_sessions: ['id'],
  recovery_codes: ['account_id', 'hash'],
  access_tokens: ['id'],
  invitations: ['id'],
  oidc_starts: ['hash'],
  deleted_accounts: ['number'],
  erasures: ['id'],
  suppressions: ['property_id', 'hash'],
  suppression_state: ['id'],
  aa_verdicts: ['property_id', 'day'],
  webhook_deliveries: ['id'],
  webhook_feedback_positions: ['property_id', 'webhook_id'],
  webhook_test_states: ['property_id', 'split_test_id'],
  webhook_goal_targets: ['property_id', 'goal_id'],
  flag_usage: ['property_id', 'hour', 'environment_id', 'flag_key', 'value'],
  flag_latest_values: ['property_id', 'environment_id', 'flag_key'],
  usage_reports: ['property_id', 'report_id'],
  usage_start: ['counting_since'],
  credential_usage: ['credential_id'],
  feedback_states: ['property_id', 'feedback_id'],
};

export const CONFIGURATION_TABLES = Object.keys(TABLE_KEYS) as readonly ConfigurationTable[];
