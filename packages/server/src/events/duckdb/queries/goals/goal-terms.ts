import type { SplitTestQuery } from '../../../store/split-test-queries.ts';
import type { QueryContext } from '../query-context.ts';

/** A goal by its term id. */
export interface GoalTerm {
  term: number;
  isRevenue: boolean;
  /** Set for answers that are counted like a goal; such a goal has no term of its own but a negative number. */
  feedback?: { type: number; option: string | undefined };
}

/** The goals, and the feedback, that have stored events. */
export function goalTermsOf(
  { terms }: QueryContext,
  {
    goalIds,
    revenueGoalIds = [],
    feedback = [],
  }: Pick<SplitTestQuery, 'goalIds' | 'revenueGoalIds' | 'feedback'>,
): (GoalTerm & { goalId: string })[] {
  const goals = goalIds.flatMap((goalId) => {
    const term = terms.find(goalId);
    return term === undefined ? [] : [{ goalId, term, isRevenue: revenueGoalIds.includes(goalId) }];
  });
  const answers = feedback.flatMap(({ goalId, feedbackTypeId, option }, index) => {
    const type = terms.find(feedbackTypeId);
    return type === undefined
      ? []
      : [{ goalId, term: -1 - index, isRevenue: false, feedback: { type, option } }];
  });
  return [...goals, ...answers];
}

/** Condition on a visitor with net count `n` and net amount `a`; after a partial refund the visitor is still converted. */
export function isConverted(goals: readonly GoalTerm[], n: string, a: string): string {
  const revenue = goals.filter(({ isRevenue }) => isRevenue).map(({ term }) => term);
  if (revenue.length === 0) return `${n} > 0`;
  return `(CASE WHEN goal IN (${revenue.join(', ')}) AND ${a} <> 0 THEN ${a} ELSE ${n} END) > 0`;
}
