import { feedbackGoalId } from '@switchyard/core/stats/report/feedback-goal';

/** What a split test is measured by: a goal, by its id, or feedback. */
export type TestOutcome = string | FeedbackOutcome;

/** The share of visitors who answered or, with an option, its share among those who answered. */
interface FeedbackOutcome {
  feedbackType: string;
  option?: string;
  lowerIsBetter: boolean;
}

/** Identifies an outcome within a property; whether lower is better does not make it another one. */
export const outcomeId = (outcome: TestOutcome) =>
  typeof outcome === 'string' ? outcome : feedbackGoalId(outcome.feedbackType, outcome.option);
