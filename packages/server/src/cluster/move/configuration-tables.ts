import type { TableKeys } from '../../configuration/definitions/collection-definition.ts';
import type { ConfigurationModel } from '../../configuration/definitions/configuration-model.ts';

/** All tables of the configuration; a table comes after those that it refers to. */
export function configurationTables(model: ConfigurationModel): TableKeys {
  const ofItems = model.saved.map(({ tables }) => tables);
  return Object.assign({ properties: ['id'] }, ...ofItems, OTHER_TABLES);
}

/** Those of migrations are the migrator's; journals of nodes stay with their nodes, and salts of a day are not copied. */
const OTHER_TABLES: TableKeys = {
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
