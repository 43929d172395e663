import type { AaTestMode } from '@switchyard/core/api/aa-test';
import type { MetricFormat, MetricKind } from '@switchyard/core/api/metrics';
import type { Generated } from 'kysely';
import type { AccountTables } from './account-tables.ts';
import type { HistoryTables } from './history-tables.ts';
import type { SuppressedKind, SuppressionTables } from './suppression-tables.ts';
import type { UsageTables } from './usage-tables.ts';
import type { WebhookTables } from './webhook-tables.ts';

/**
 * The tables as the newest migration leaves them. Types are those that SQLite and PostgreSQL share:
 * times are Unix milliseconds in a bigint, JSON is text, booleans are 0 and 1.
 */
export interface DatabaseTables
  extends HistoryTables,
    AccountTables,
    WebhookTables,
    UsageTables,
    SuppressionTables {
  kysely_migration: MigrationTable;
  properties: PropertyTable;
  environments: EnvironmentTable;
  api_keys: ApiKeyTable;
  goals: GoalTable;
  feedback_types: FeedbackTypeTable;
  metrics: MetricTable;
  split_tests: SplitTestTable;
  split_test_goals: SplitTestGoalTable;
  split_test_feedback: SplitTestFeedbackTable;
  split_test_metrics: SplitTestMetricTable;
  split_test_phases: SplitTestPhaseTable;
  flags: FlagTable;
  flag_configurations: FlagConfigurationTable;
  measured_rules: MeasuredRuleTable;
  segments: SegmentTable;
  erasures: ErasureTable;
  aa_verdicts: AaVerdictTable;
  node_journals: NodeJournalTable;
  daily_salts: DailySaltTable;
}

interface MigrationTable {
  name: string;
  /** ISO 8601. */
  timestamp: string;
}

interface PropertyTable {
  id: string;
  name: string;
  retention_days: number | null;
  /** JSON array of strings. */
  allowed_origins: string | null;
  hash_seed: string;
  /** Percentage. */
  holdout: number;
  /** Null without a holdout. */
  holdout_since: number | null;
  holdout_largest: number | null;
  /** JSON object of explicit settings; null: all defaults. */
  statistics: string | null;
  aa_test: Generated<AaTestMode>;
  record_evaluations: Generated<number>;
  display_currency: Generated<string>;
  time_zone: Generated<string>;
  /** JSON object of explicit settings; null: all defaults. */
  privacy: string | null;
  version: number;
  /** Order of creation, used to sort lists. */
  position: number;
  created_at: number;
  updated_at: number;
}

interface EnvironmentTable {
  property_id: string;
  id: string;
  name: string;
  protected: Generated<number>;
  version: Generated<number>;
  position: number;
  created_at: number;
}

interface ApiKeyTable {
  id: string;
  property_id: string;
  kind: 'public' | 'secret';
  name: string;
  hash: string;
  prefix: string;
  last_four: string;
  public_key: string | null;
  position: number;
  created_at: number;
}

interface GoalTable {
  property_id: string;
  id: string;
  name: string;
  kind: 'count' | 'revenue';
  lower_is_better: number;
  /** JSON object. */
  target: string | null;
  version: Generated<number>;
  position: number;
  created_at: number;
}

interface FeedbackTypeTable {
  property_id: string;
  id: string;
  name: string;
  /** JSON array of strings. */
  options: string;
  /** JSON object by option. */
  option_styles: Generated<string>;
  text_input: number;
  version: Generated<number>;
  position: number;
  created_at: number;
}

interface MetricTable {
  property_id: string;
  id: string;
  name: string;
  kind: MetricKind;
  description: string | null;
  /** JSON array of strings. */
  tags: Generated<string>;
  lower_is_better: number;
  cap: number | null;
  /** Null: the one that fits the kind. */
  format: MetricFormat | null;
  /** JSON object: the members that depend on the kind. */
  computation: string;
  version: Generated<number>;
  position: number;
  created_at: number;
}

interface SplitTestTable {
  id: string;
  property_id: string;
  key: string;
  name: string | null;
  description: string | null;
  hypothesis: string | null;
  /** JSON array of strings. */
  tags: Generated<string>;
  owner: string | null;
  type: 'id' | 'text' | 'json';
  status: 'draft' | 'running' | 'paused' | 'stopped' | 'archived';
  hash_seed: string;
  traffic_allocation: number;
  /** JSON array. */
  variations: string;
  /** JSON object. */
  exclusion: string | null;
  start_at: number | null;
  stop_at: number | null;
  winner: string | null;
  /** JSON object. */
  decision: string | null;
  attribution_days: number;
  /** JSON object; null: all visitors. */
  audience: string | null;
  /** Null: notify. */
  on_harm: 'stop' | null;
  planned_visitors: number | null;
  smallest_effect: number | null;
  unit: Generated<'visitor' | 'user'>;
  /** JSON object; null for tests that have not started, or did before rules were fixed. */
  decision_rule: string | null;
  version: Generated<number>;
  position: number;
  created_at: number;
  updated_at: number;
}

interface SplitTestGoalTable {
  split_test_id: string;
  property_id: string;
  goal_id: string;
  role: 'goal' | 'guardrail';
  position: number;
  /** Of a guardrail; null: the default. */
  max_harm: number | null;
}

interface SplitTestFeedbackTable {
  split_test_id: string;
  property_id: string;
  feedback_type_id: string;
  option: string | null;
  lower_is_better: number;
  role: 'goal' | 'guardrail';
  /** Counted together with the rows of `split_test_goals`. */
  position: number;
  /** Of a guardrail; null: the default. */
  max_harm: number | null;
}

interface SplitTestMetricTable {
  split_test_id: string;
  property_id: string;
  metric_id: string;
  role: 'goal' | 'guardrail';
  /** Counted together with the rows of `split_test_goals`. */
  position: number;
  /** Of a guardrail; null: the default. */
  max_harm: number | null;
}

interface SplitTestPhaseTable {
  split_test_id: string;
  property_id: string;
  number: number;
  started_at: number;
  /** Null: since `started_at`. */
  served_from: number | null;
  ended_at: number | null;
  /** JSON array. */
  reasons: string;
  /** JSON object. */
  definition: string;
  /** JSON array; null: none. */
  pauses: string | null;
}

interface FlagTable {
  id: string;
  property_id: string;
  key: string;
  name: string;
  description: string | null;
  /** JSON array of strings. */
  tags: Generated<string>;
  owner: string | null;
  type: 'boolean' | 'string';
  format: 'number' | 'json' | null;
  /** JSON schema. */
  schema: string | null;
  /** JSON. */
  default_value: string;
  version: number;
  position: number;
  created_at: number;
  updated_at: number;
}

interface FlagConfigurationTable {
  id: string;
  flag_id: string;
  property_id: string;
  environment_id: string;
  enabled: number;
  /** JSON. */
  value: string;
  /** JSON array. */
  rules: string;
  /** JSON array. */
  prerequisites: string;
}

/** What the writer derives for rules that are or were measured. */
interface MeasuredRuleTable {
  configuration_id: string;
  rule_id: string;
  property_id: string;
  /** Order of the rules. */
  position: number;
  /** JSON object. */
  measure: string;
  winner: string | null;
  /** JSON array. */
  phases: string;
  /** JSON object; null if the rollout of the rule never had guardrails. */
  plan: string | null;
}

interface SegmentTable {
  property_id: string;
  id: string;
  name: string | null;
  match: 'all' | 'any' | null;
  /** JSON array. */
  conditions: string;
  version: Generated<number>;
  position: number;
  created_at: number;
}

interface ErasureTable {
  id: string;
  property_id: string;
  kind: SuppressedKind | 'property';
  /** Id to erase, empty for a property; replaced by its SHA-256 once that is done. */
  subject: string;
  requested_at: number;
  finished_at: number | null;
  rows: number | null;
  /** Error of the last failed attempt. */
  error: string | null;
  /** Number of failed attempts. */
  attempts: Generated<number>;
  /** Null: immediately. */
  next_attempt_at: number | null;
}

interface AaVerdictTable {
  property_id: string;
  /** The last day that was counted, in days since the Unix epoch. */
  day: number;
  round: number;
  mode: Exclude<AaTestMode, 'off'>;
  verdict: 'sound' | 'alarm' | 'collecting';
  words: string;
  visitors_a: number;
  visitors_b: number;
  split_p_value: number | null;
  /** JSON array. */
  goals: string;
}

/** One row per node that shares this database; none without other nodes. */
interface NodeJournalTable {
  /** Id of the node, which is the name of its journal. */
  source: string;
  /** Of the last accepted request, at `seen_at` or later. */
  position: number;
  seen_at: number;
}

/** Deleted when the day is over. */
interface DailySaltTable {
  /** Days since the Unix epoch, UTC. */
  day: number;
  /** 32 random bytes, hex. */
  salt: string;
}
