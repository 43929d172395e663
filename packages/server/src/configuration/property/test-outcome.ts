import { feedbackGoalId } from '@switchyard/core/stats/report/feedback-goal';

/** What a split test is measured by: a goal, by its id, or feedback. */
export type TestOutcome = string | FeedbackOutcome;

/** The share of visitors who answered or, with an option, its share among those who answered. */
export interface FeedbackOutcome {
  feedbackType: string;
  option?: string;
  lowerIsBetter: boolean;
}

/** An outcome that must not get worse by more than `maxHarm`, relative to the control; default: the test's smallest effect. */
export type Guardrail =
  | string
  | { goalId: string; maxHarm: number }
  | (FeedbackOutcome & { maxHarm?: number });

/** The id of a goal, with or without a margin; undefined for feedback. */
export function goalIdOf(outcome: TestOutcome | Guardrail): string | undefined {
  if (typeof outcome === 'string') return outcome;
  return 'goalId' in outcome ? outcome.goalId : undefined;
}

/** The part of an outcome that is about feedback; undefined for a goal. */
export function feedbackOutcomeOf(outcome: TestOutcome | Guardrail): FeedbackOutcome | undefined {
  return typeof outcome === 'string' || 'goalId' in outcome ? undefined : outcome;
}

export function maxHarmOf(outcome: TestOutcome | Guardrail): number | undefined {
  return typeof outcome !== 'string' && 'maxHarm' in outcome ? outcome.maxHarm : undefined;
}

/** Identifies an outcome within a property; whether lower is better, or how much harm is accepted, does not make it another one. */
export function outcomeId(outcome: TestOutcome | Guardrail): string {
  if (typeof outcome === 'string') return outcome;
  return 'goalId' in outcome ? outcome.goalId : feedbackGoalId(outcome.feedbackType, outcome.option);
}
