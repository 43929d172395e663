import {
  type AssignableTest,
  assign,
  type Holdout,
  isInHoldout,
} from '@switchyard/core/evaluation/assignment';
import { HELD_OUT, OTHERS } from '@switchyard/core/stats/report/holdout-groups';
import type { GoalSums } from './split-test-queries.ts';

/** Assigns the visitors of a period to groups while it counts them, without any exposures. */
export interface AssignmentQuery {
  propertyId: string;
  split: AssignmentSplit;
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

export type AssignmentSplit =
  /** The variations of a test, without regard to the holdout. */
  | { kind: 'test'; test: AssignableTest }
  /**
   * `held-out` and `others`. Visitors between the percentage of the holdout and `largest`, which it had before, were
   * released: they are in neither group.
   */
  | { kind: 'holdout'; holdout: Holdout; largest: number };

export interface AssignmentCounts {
  /** Share of the visitors that were counted: 1, or less for a sample. */
  share: number;
  /**
   * In the order of `groupKeys`. Sessions without a visitor are left out, and so are visitors with a session of a
   * crawler in the period. Only `collect` requests tell who is one: visitors of the holdout have no exposures, so marks
   * of exposures would remove crawlers from one group only.
   */
  groups: { key: string; visitors: number; goals: GoalSums[] }[];
}

export const groupKeys = (split: AssignmentSplit): string[] =>
  split.kind === 'test' ? split.test.variations.map(({ key }) => key) : [HELD_OUT, OTHERS];

/** Index of the visitor's group; -1 for visitors who are in none. */
export function groupOf(split: AssignmentSplit, visitorId: string): number {
  if (split.kind === 'test') {
    const { included, index } = assign(split.test, visitorId);
    return included ? index : -1;
  }
  const { holdout, largest } = split;
  if (isInHoldout(holdout, visitorId)) return 0;
  return isInHoldout({ seed: holdout.seed, percentage: largest }, visitorId) ? -1 : 1;
}
