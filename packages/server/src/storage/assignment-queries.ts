import type { AssignableTest } from '@switchyard/core/evaluation/assignment';
import type { GoalSums } from './event-store.ts';

/** Assigns the visitors of a period to a test that they did not see. */
export interface AssignmentQuery {
  propertyId: string;
  test: AssignableTest;
  /** Visitors with a session that started within the period; `from` inclusive, `to` exclusive. */
  from: number;
  to: number;
  /** Conversions count from the visitor's first session of the period until `to`. */
  goalIds: readonly string[];
  /** Revenue goals among them: after a partial refund the visitor still counts as converted. */
  revenueGoalIds?: readonly string[];
  /** If the period has more sessions, only a random sample of the visitors is counted. */
  maxSessions: number;
}

export interface AssignmentCounts {
  /** Share of the visitors that were counted: 1, or less for a sample. */
  share: number;
  /** In the order of the variations. Sessions without a visitor are left out. */
  variations: { key: string; visitors: number; goals: GoalSums[] }[];
}
