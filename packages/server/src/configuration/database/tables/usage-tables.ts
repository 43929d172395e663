import type { FeedbackStatus } from '@switchyard/core/api/feedback';

export interface UsageTables {
  flag_usage: FlagUsageTable;
  flag_latest_values: FlagLatestValueTable;
  usage_reports: UsageReportTable;
  usage_start: UsageStartTable;
  credential_usage: CredentialUsageTable;
  feedback_states: FeedbackStateTable;
}

/** Evaluations per hour. */
interface FlagUsageTable {
  property_id: string;
  /** Start of the hour, Unix milliseconds. */
  hour: number;
  environment_id: string;
  flag_key: string;
  /** JSON; empty for values beyond the limit, counted together. */
  value: string;
  count: number;
  last_at: number;
}

/** The value that was returned last, one row per flag and environment. */
interface FlagLatestValueTable {
  property_id: string;
  environment_id: string;
  flag_key: string;
  /** JSON. */
  value: string;
  /** No other value was returned after this time. */
  since: number;
  last_at: number;
}

/** Reports of the last 24 hours, so that a retried report counts once. */
interface UsageReportTable {
  property_id: string;
  report_id: string;
  received_at: number;
}

/** A single row. */
interface UsageStartTable {
  counting_since: number;
}

interface CredentialUsageTable {
  credential_id: string;
  last_used_at: number;
}

/** Entries without a row are new and have no notes. */
interface FeedbackStateTable {
  property_id: string;
  feedback_id: string;
  /** When the entry was submitted, for paging in its order. */
  feedback_at: number;
  status: FeedbackStatus;
  notes: string | null;
  updated_by: string;
  updated_at: number;
}
