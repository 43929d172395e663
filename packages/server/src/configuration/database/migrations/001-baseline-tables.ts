/**
 * All tables and indexes. The types are those that SQLite and PostgreSQL share: times are Unix milliseconds in a bigint,
 * JSON is text, booleans are 0 and 1.
 */
export const BASELINE_TABLES = `
create table properties (
  id text primary key, name text not null, retention_days integer, allowed_origins text,
  hash_seed text not null default '', holdout double precision not null default 0, holdout_since bigint,
  holdout_largest double precision, statistics text, aa_test text not null default 'assignment',
  display_currency text not null default 'USD', time_zone text not null default 'UTC', privacy text,
  version integer not null, position integer not null, created_at bigint not null,
  updated_at bigint not null
);

create table environments (
  property_id text not null references properties (id) on delete cascade, id text not null,
  name text not null, protected integer not null default 0, version integer not null default 1,
  position integer not null, created_at bigint not null,
  constraint environments_pk primary key (property_id, id)
);

create table api_keys (
  id text primary key, property_id text not null references properties (id) on delete cascade,
  kind text not null, name text not null, hash text not null unique, prefix text not null,
  last_four text not null, public_key text, position integer not null, created_at bigint not null,
  constraint api_keys_kind_name unique (property_id, kind, name)
);

create table goals (
  property_id text not null references properties (id) on delete cascade, id text not null,
  name text not null, kind text not null, lower_is_better integer not null default 0, target text,
  version integer not null default 1, position integer not null, created_at bigint not null,
  constraint goals_pk primary key (property_id, id)
);

create table feedback_types (
  property_id text not null references properties (id) on delete cascade, id text not null,
  name text not null, options text not null, option_styles text not null default '{}',
  text_input integer not null, version integer not null default 1, position integer not null,
  created_at bigint not null,
  constraint feedback_types_pk primary key (property_id, id)
);

create table aa_verdicts (
  property_id text not null references properties (id) on delete cascade, day integer not null,
  round integer not null, mode text not null, verdict text not null, words text not null,
  visitors_a bigint not null, visitors_b bigint not null, split_p_value double precision,
  goals text not null,
  constraint aa_verdicts_pk primary key (property_id, day)
);

create table split_tests (
  id text primary key, property_id text not null references properties (id) on delete cascade,
  key text not null, name text, description text, hypothesis text, tags text not null default '[]',
  owner text, type text not null, status text not null, hash_seed text not null,
  traffic_allocation double precision not null, variations text not null, exclusion text, start_at bigint,
  stop_at bigint, winner text, decision text, attribution_days integer not null default 7,
  planned_visitors bigint, smallest_effect double precision, unit text not null default 'visitor',
  version integer not null default 1, position integer not null, created_at bigint not null,
  updated_at bigint not null,
  constraint split_tests_key unique (property_id, key)
);

create table split_test_goals (
  split_test_id text not null references split_tests (id) on delete cascade, property_id text not null,
  goal_id text not null, role text not null default 'goal', position integer not null,
  max_harm double precision,
  constraint split_test_goals_pk primary key (split_test_id, goal_id),
  constraint split_test_goals_goal foreign key (property_id, goal_id)
    references goals (property_id, id)
);
create index split_test_goals_by_goal on split_test_goals (property_id, goal_id);

-- position counts together with that of split_test_goals: both are in one list.
create table split_test_feedback (
  split_test_id text not null references split_tests (id) on delete cascade, property_id text not null,
  feedback_type_id text not null, option text, lower_is_better integer not null, role text not null,
  position integer not null, max_harm double precision,
  constraint split_test_feedback_pk primary key (split_test_id, position),
  constraint split_test_feedback_type foreign key (property_id, feedback_type_id)
    references feedback_types (property_id, id)
);
create index split_test_feedback_by_type on split_test_feedback (property_id, feedback_type_id);

create table split_test_phases (
  split_test_id text not null references split_tests (id) on delete cascade, property_id text not null,
  number integer not null, started_at bigint not null, served_from bigint, ended_at bigint,
  reasons text not null, definition text not null, pauses text,
  constraint split_test_phases_pk primary key (split_test_id, number)
);
create index split_test_phases_by_property on split_test_phases (property_id);

create table flags (
  id text primary key, property_id text not null references properties (id) on delete cascade,
  key text not null, name text not null, description text, tags text not null default '[]', owner text,
  type text not null, default_value text not null, version integer not null, position integer not null,
  created_at bigint not null, updated_at bigint not null,
  constraint flags_key unique (property_id, key)
);

create table flag_configurations (
  id text primary key, flag_id text not null references flags (id) on delete cascade,
  property_id text not null, environment_id text not null, enabled integer not null, value text not null,
  rules text not null, prerequisites text not null,
  constraint flag_configurations_environment unique (flag_id, environment_id),
  constraint flag_configurations_environment_fk foreign key (property_id, environment_id)
    references environments (property_id, id) on delete cascade
);
create index flag_configurations_by_environment on flag_configurations (property_id, environment_id);

create table segments (
  property_id text not null references properties (id) on delete cascade, id text not null, name text,
  match text, conditions text not null, version integer not null default 1, position integer not null,
  created_at bigint not null,
  constraint segments_pk primary key (property_id, id)
);

create table accounts (
  id text primary key, email text not null unique, name text not null, password_hash text,
  is_owner integer not null, two_factor_secret text, two_factor_confirmed_at bigint,
  two_factor_last_step bigint, oidc_issuer text, oidc_subject text, disabled_at bigint,
  created_at bigint not null,
  constraint accounts_oidc unique (oidc_issuer, oidc_subject)
);

create table account_sessions (
  id text primary key, hash text not null unique,
  account_id text not null references accounts (id) on delete cascade, created_at bigint not null,
  last_seen_at bigint not null, user_agent text, address text not null
);
create index account_sessions_by_account on account_sessions (account_id, last_seen_at);

create table recovery_codes (
  account_id text not null references accounts (id) on delete cascade, hash text not null,
  constraint recovery_codes_pk primary key (account_id, hash)
);

create table access_tokens (
  id text primary key, account_id text not null references accounts (id) on delete cascade,
  name text not null, hash text not null unique, prefix text not null, last_four text not null,
  role text not null, properties text, expires_at bigint not null, created_at bigint not null,
  last_used_at bigint
);
create index access_tokens_by_account on access_tokens (account_id, created_at);

create table oidc_starts (hash text primary key, created_at bigint not null);
create index oidc_starts_by_time on oidc_starts (created_at);

create table deleted_accounts (
  number integer primary key, account_id text not null unique, deleted_at bigint not null
);

create table members (
  property_id text not null references properties (id) on delete cascade, account_id text not null,
  role text not null, version integer not null, position integer not null, created_at bigint not null,
  constraint members_pk primary key (property_id, account_id)
);

create table invitations (
  id text primary key, hash text not null unique,
  property_id text not null references properties (id) on delete cascade, email text not null,
  role text not null, invited_by text not null, created_at bigint not null, expires_at bigint not null,
  used_at bigint, revoked_at bigint
);
create index invitations_by_property on invitations (property_id, created_at);

-- No foreign key: the history outlives its property.
create table history (
  id text primary key, property_id text not null, sequence integer not null, at bigint not null,
  ordered_at bigint not null, actor_type text not null, actor_id text, actor_name text not null,
  via text not null, entity_type text not null, entity_key text not null, action text not null,
  comment text, changes text not null, version integer not null, property_version integer not null,
  salt text, commitment text not null, hash text not null,
  constraint history_chain unique (property_id, sequence)
);
create index history_of_item on history (property_id, entity_type, entity_key, sequence);
create index history_of_version on history (property_id, property_version, sequence);
create index history_times on history (property_id, sequence, at, ordered_at);

create table history_snapshots (
  property_id text not null, sequence integer not null, state text not null,
  constraint history_snapshots_pk primary key (property_id, sequence)
);

create table clock_corrections (
  property_id text not null, sequence integer not null, at bigint not null,
  constraint clock_corrections_pk primary key (property_id, sequence)
);

create table audit_log (
  sequence integer primary key, at bigint not null, kind text not null, subject text not null, salt text,
  digest text, hash text not null
);
create index audit_log_of_subject on audit_log (kind, subject, sequence);

create table proposals (
  id text primary key, property_id text not null references properties (id) on delete cascade,
  state text not null, collection text not null, key text not null, method text not null, body text,
  base_version integer, comment text, summary text not null, author_id text, author_name text not null,
  created_at bigint not null, decided_by text, decided_at bigint
);
create index proposals_by_property on proposals (property_id, created_at);

create table created_resources (
  id text primary key, request_hash text not null, status integer not null, response text not null,
  created_at bigint not null
);

create table webhooks (
  property_id text not null references properties (id) on delete cascade, id text not null, name text,
  url text not null, events text not null, enabled integer not null, secret text not null,
  version integer not null, position integer not null, created_at bigint not null,
  constraint webhooks_pk primary key (property_id, id)
);

create table webhook_deliveries (
  id text primary key, property_id text not null, webhook_id text not null, position bigint not null,
  type text not null, body text not null, dedupe_key text not null, state text not null,
  attempts integer not null, created_at bigint not null, queued_at bigint not null,
  next_attempt_at bigint, last_attempt_at bigint, last_status integer, last_error text,
  last_response text, session_id text, visitor_id text, user_id text,
  constraint webhook_deliveries_once unique (property_id, webhook_id, dedupe_key),
  constraint webhook_deliveries_webhook foreign key (property_id, webhook_id)
    references webhooks (property_id, id) on delete cascade
);
create index webhook_deliveries_due on webhook_deliveries (state, next_attempt_at);
create index webhook_deliveries_of_webhook on webhook_deliveries (property_id, webhook_id, position);

create table webhook_feedback_positions (
  property_id text not null, webhook_id text not null, positions text not null default '{}',
  constraint webhook_feedback_positions_pk primary key (property_id, webhook_id),
  constraint webhook_feedback_positions_webhook foreign key (property_id, webhook_id)
    references webhooks (property_id, id) on delete cascade
);

create table webhook_test_states (
  property_id text not null references properties (id) on delete cascade, split_test_id text not null,
  phase integer not null, status text not null, decision text, variation text, healthy integer not null,
  checked_at bigint not null,
  constraint webhook_test_states_pk primary key (property_id, split_test_id)
);

create table webhook_goal_targets (
  property_id text not null references properties (id) on delete cascade, goal_id text not null,
  period text not null, period_start bigint not null, value double precision not null,
  constraint webhook_goal_targets_pk primary key (property_id, goal_id)
);

create table flag_usage (
  property_id text not null references properties (id) on delete cascade, hour bigint not null,
  environment_id text not null, flag_key text not null, value text not null, count bigint not null,
  last_at bigint not null,
  constraint flag_usage_pk primary key (property_id, hour, environment_id, flag_key, value)
);

create table flag_latest_values (
  property_id text not null references properties (id) on delete cascade, environment_id text not null,
  flag_key text not null, value text not null, since bigint not null, last_at bigint not null,
  constraint flag_latest_values_pk primary key (property_id, environment_id, flag_key)
);

create table usage_reports (
  property_id text not null references properties (id) on delete cascade, report_id text not null,
  received_at bigint not null,
  constraint usage_reports_pk primary key (property_id, report_id)
);
create index usage_reports_by_time on usage_reports (property_id, received_at);

create table usage_start (counting_since bigint not null);

-- No foreign key: API keys and access tokens are in different tables.
create table credential_usage (credential_id text primary key, last_used_at bigint not null);

create table feedback_states (
  property_id text not null references properties (id) on delete cascade, feedback_id text not null,
  feedback_at bigint not null, status text not null, notes text, updated_by text not null,
  updated_at bigint not null,
  constraint feedback_states_pk primary key (property_id, feedback_id)
);
create index feedback_states_by_time on feedback_states (property_id, status, feedback_at, feedback_id);

-- No foreign key: the record of an erasure outlives the property.
create table erasures (
  id text primary key, property_id text not null, kind text not null, subject text not null,
  requested_at bigint not null, finished_at bigint, rows bigint, error text,
  attempts integer not null default 0, next_attempt_at bigint
);
create index erasures_by_finish on erasures (finished_at);

-- No foreign key: a property may be created again under the same id.
create table suppressions (
  property_id text not null, hash text not null, kind text not null, revision bigint not null,
  created_at bigint not null,
  constraint suppressions_key primary key (property_id, hash)
);
create index suppressions_by_revision on suppressions (revision);

create table suppression_state (
  id integer primary key, salt text not null, revision bigint not null, lifted bigint not null
);

create table daily_salts (day bigint primary key, salt text not null);

create table node_journals (source text primary key, position bigint not null, seen_at bigint not null)`;
