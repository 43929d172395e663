import { ON } from '../../evaluation/measured-rules.ts';
import type { RolloutPhase } from '../rollout/guarded-rollout.ts';
import { describeProblem } from '../words/health-words.ts';
import { blockingProblems, type Compared, compareAll } from './harm.ts';
import type { HarmedGoal } from './harmed-goal.ts';
import { oneSidedDays } from './one-sided-days.ts';
import { totalVisitors, variationCounts } from './report-counts.ts';
import type { ReportInput } from './report-input.ts';

/** A phase of a rollout as the decision needs it, with its figures. */
export interface ReportedRolloutPhase extends RolloutPhase {
  readonly visitorsOutside: number;
  /** Why visitors cannot be compared, in words. */
  readonly problems: readonly string[];
  /** In the order of the guardrails. */
  readonly guardrails: readonly ReportedGuardrail[];
}

interface ReportedGuardrail {
  /** Of everybody. */
  readonly goal: HarmedGoal;
  /** Figures that are worse inside: of everybody, or else of newcomers or of those who return; null without any. */
  readonly worse: HarmedGoal | null;
}

/** @param input of one phase, with nothing but the guardrails as goals */
export function rolloutPhase(input: ReportInput): ReportedRolloutPhase {
  const counts = variationCounts(input);
  const inside = counts.find(({ key }) => key === ON)?.visitors ?? 0;
  const problems = [...blockingProblems(input), ...oneSidedDays(input)].map(describeProblem);
  const [newcomers, returning] = [onlyThose(false, input), onlyThose(true, input)].map(compareAll) as [
    Compared[],
    Compared[],
  ];
  return {
    percentage: input.variations.find(({ key }) => key === ON)?.weight ?? 0,
    visitorsInside: inside,
    visitorsOutside: totalVisitors(counts) - inside,
    isComparable: problems.length === 0,
    problems,
    effects: newcomers.map(({ effect }, at) => ({ newcomers: effect, returning: returning[at]!.effect })),
    guardrails: compareAll(input).map((everybody, at) => ({
      goal: everybody.goal,
      worse: [everybody, newcomers[at]!, returning[at]!].find(isWorse)?.goal ?? null,
    })),
  };
}

const isWorse = ({ effect }: Compared) => (effect.overall?.improvement ?? effect.improvement ?? 0) < 0;

/** Newcomers or returning visitors. Quantiles cannot be divided: they are known of everybody, also of those who return. */
function onlyThose(isReturning: boolean, input: ReportInput): ReportInput {
  const { groups, metrics } = input;
  const isThat = ({ returning = false }: { readonly returning?: boolean }) => returning === isReturning;
  return {
    ...input,
    groups: groups.filter(isThat),
    ...(metrics && {
      metrics: { groups: metrics.groups.filter(isThat), quantiles: isReturning ? metrics.quantiles : [] },
    }),
  };
}
