export interface WebhookTables {
  webhook_deliveries: WebhookDeliveryTable;
  webhook_feedback_positions: WebhookFeedbackPositionTable;
  webhook_test_states: WebhookTestStateTable;
  webhook_goal_targets: WebhookGoalTargetTable;
}

interface WebhookDeliveryTable {
  /** Sent as `webhook-id`. */
  id: string;
  property_id: string;
  webhook_id: string;
  /** Order of creation among the deliveries of the webhook. */
  position: number;
  type: string;
  /** JSON, sent as it is. */
  body: string;
  /** An event with the same key is queued once. */
  dedupe_key: string;
  state: 'pending' | 'delivered' | 'failed';
  /** Since it was queued. */
  attempts: number;
  created_at: number;
  /** When it was created, or last sent again on request. */
  queued_at: number;
  /** Null unless it is pending. */
  next_attempt_at: number | null;
  last_attempt_at: number | null;
  last_status: number | null;
  last_error: string | null;
  /** The beginning of the response. */
  last_response: string | null;
  /** Whom the event is about, so that erasing them includes it. */
  session_id: string | null;
  visitor_id: string | null;
  user_id: string | null;
}

/** The feedback that has been queued for a webhook. */
interface WebhookFeedbackPositionTable {
  property_id: string;
  webhook_id: string;
  /** JSON object: the position of the last entry of each source. */
  positions: string;
}

/** What the last look at a split test found. */
interface WebhookTestStateTable {
  property_id: string;
  split_test_id: string;
  phase: number;
  status: string;
  /** Null: no verdict. */
  decision: string | null;
  variation: string | null;
  healthy: number;
  checked_at: number;
}

/** The last period in which a goal reached its target. */
interface WebhookGoalTargetTable {
  property_id: string;
  goal_id: string;
  period: 'week' | 'month' | 'quarter';
  period_start: number;
  /** The target that was reached. */
  value: number;
}
