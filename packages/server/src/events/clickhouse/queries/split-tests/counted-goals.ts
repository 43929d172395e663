import type { SplitTestQuery } from '../../../store/split-test-queries.ts';

/** A goal, or answers that are counted like one. Statements use its number: its index in the list plus 1. */
export interface CountedGoal {
  goalId: string;
  isRevenue: boolean;
  feedback?: { type: string; option: string | undefined };
}

/** Goals first, then feedback. */
export function countedGoals({
  goalIds,
  revenueGoalIds = [],
  feedback = [],
}: Pick<SplitTestQuery, 'goalIds' | 'revenueGoalIds' | 'feedback'>): CountedGoal[] {
  const goals = goalIds.map((goalId) => ({ goalId, isRevenue: revenueGoalIds.includes(goalId) }));
  const answers = feedback.map(({ goalId, feedbackTypeId: type, option }) => ({
    goalId,
    isRevenue: false,
    feedback: { type, option },
  }));
  return [...goals, ...answers];
}

/** The goals whose revenue is a covariate but that are not counted; their numbers follow those of the counted ones. */
export function uncountedGoals({
  goalIds,
  covariateGoalIds = [],
}: Pick<SplitTestQuery, 'goalIds' | 'covariateGoalIds'>): CountedGoal[] {
  return covariateGoalIds
    .filter((goalId) => !goalIds.includes(goalId))
    .map((goalId) => ({ goalId, isRevenue: true }));
}

/**
 * Condition on a visitor with net count `n` and net amount `a` of the goal with the number `goal`; after a partial refund
 * the visitor is still converted.
 */
export function isConverted(goals: readonly Pick<CountedGoal, 'isRevenue'>[], n: string, a: string): string {
  const revenue = goals.flatMap(({ isRevenue }, index) => (isRevenue ? [index + 1] : []));
  if (revenue.length === 0) return `${n} > 0`;
  return `if(goal IN (${revenue.join(', ')}) AND ${a} <> 0, ${a}, ${n}) > 0`;
}
