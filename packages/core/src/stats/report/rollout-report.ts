import { ON } from '../../evaluation/measured-rules.ts';
import type { RolloutPhase } from '../rollout/guarded-rollout.ts';
import type { PhaseEffect } from '../rollout/phase-effect.ts';
import { describeProblem } from '../words/health-words.ts';
import { blockingProblems, compareAll } from './harm.ts';
import type { HarmedGoal } from './harmed-goal.ts';
import { totalVisitors, variationCounts } from './report-counts.ts';
import type { ReportInput } from './report-input.ts';

/** A phase of a rollout as the decision needs it, with its figures. */
export interface ReportedRolloutPhase extends RolloutPhase {
  readonly visitorsOutside: number;
  /** Why visitors cannot be compared, in words. */
  readonly problems: readonly string[];
  /** In the order of the guardrails. */
  readonly guardrails: readonly { readonly goal: HarmedGoal; readonly effect: PhaseEffect }[];
}

/** @param input of one phase, with nothing but the guardrails as goals */
export function rolloutPhase(input: ReportInput): ReportedRolloutPhase {
  const counts = variationCounts(input);
  const inside = counts.find(({ key }) => key === ON)?.visitors ?? 0;
  const problems = blockingProblems(input).map(describeProblem);
  const guardrails = compareAll(input).map(({ goal, effect }) => ({ goal, effect }));
  return {
    percentage: input.variations.find(({ key }) => key === ON)?.weight ?? 0,
    visitorsInside: inside,
    visitorsOutside: totalVisitors(counts) - inside,
    isComparable: problems.length === 0,
    problems,
    effects: guardrails.map(({ effect }) => effect),
    guardrails,
  };
}
