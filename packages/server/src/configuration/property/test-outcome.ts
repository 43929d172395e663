import { metricGoalId } from '@switchyard/core/metrics/metric-goal-id';
import { feedbackGoalId } from '@switchyard/core/stats/report/feedback-goal';

/** What a split test is measured by: a goal, by its id, a metric or feedback. */
export type TestOutcome = string | MetricOutcome | FeedbackOutcome;

/** A metric, by its id. */
interface MetricOutcome {
  metric: string;
}

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
  | (MetricOutcome & { maxHarm?: number })
  | (FeedbackOutcome & { maxHarm?: number });

/** The id of a goal, with or without a margin; undefined for a metric and for feedback. */
export function goalIdOf(outcome: TestOutcome | Guardrail): string | undefined {
  if (typeof outcome === 'string') return outcome;
  return 'goalId' in outcome ? outcome.goalId : undefined;
}

/** The id of a metric, with or without a margin; undefined for a goal and for feedback. */
export function metricIdOf(outcome: TestOutcome | Guardrail): string | undefined {
  return typeof outcome !== 'string' && 'metric' in outcome ? outcome.metric : undefined;
}

/** The part of an outcome that is about feedback; undefined for a goal and for a metric. */
export function feedbackOutcomeOf(outcome: TestOutcome | Guardrail): FeedbackOutcome | undefined {
  return typeof outcome !== 'string' && 'feedbackType' in outcome ? outcome : undefined;
}

export function maxHarmOf(outcome: TestOutcome | Guardrail): number | undefined {
  return typeof outcome !== 'string' && 'maxHarm' in outcome ? outcome.maxHarm : undefined;
}

/** Identifies an outcome within a property; whether lower is better, or how much harm is accepted, does not make it another one. */
export function outcomeId(outcome: TestOutcome | Guardrail): string {
  if (typeof outcome === 'string') return outcome;
  if ('goalId' in outcome) return outcome.goalId;
  if ('metric' in outcome) return metricGoalId(outcome.metric);
  return feedbackGoalId(outcome.feedbackType, outcome.option);
}
