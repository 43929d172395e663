import type { SplitTestQuery } from '../../event-store.ts';
import type { QueryContext } from './query-context.ts';

/** A goal by its term id. */
export interface GoalTerm {
  term: number;
  isRevenue: boolean;
}

/** The goals that have stored events. */
export function goalTermsOf(
  { terms }: QueryContext,
  { goalIds, revenueGoalIds = [] }: Pick<SplitTestQuery, 'goalIds' | 'revenueGoalIds'>,
): (GoalTerm & { goalId: string })[] {
  return goalIds.flatMap((goalId) => {
    const term = terms.find(goalId);
    return term === undefined ? [] : [{ goalId, term, isRevenue: revenueGoalIds.includes(goalId) }];
  });
}

/** Condition on a visitor with net count `n` and net amount `a`; after a partial refund the visitor is still converted. */
export function isConverted(goals: readonly GoalTerm[], n: string, a: string): string {
  const revenue = goals.filter(({ isRevenue }) => isRevenue).map(({ term }) => term);
  if (revenue.length === 0) return `${n} > 0`;
  return `(CASE WHEN goal IN (${revenue.join(', ')}) AND ${a} <> 0 THEN ${a} ELSE ${n} END) > 0`;
}
