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
  /** Figures that are worse inside: of everybody, or else of newcomers; null without any. */
  readonly worse: HarmedGoal | null;
}

/**
 * @param everybody input of one phase, with nothing but the guardrails as goals, as if there were no earlier phases:
 *   whoever is inside by now counts as inside
 * @param known the same with earlier phases; undefined for the first phase of a rollout
 */
export function rolloutPhase(everybody: ReportInput, known?: ReportInput): ReportedRolloutPhase {
  const counts = variationCounts(everybody);
  const inside = counts.find(({ key }) => key === ON)?.visitors ?? 0;
  const problems = [...blockingProblems(everybody), ...oneSidedDays(everybody)].map(describeProblem);
  const compared = compareAll(everybody);
  const newcomers = known === undefined ? compared : compareAll(onlyNewcomers(known));
  return {
    percentage: everybody.variations.find(({ key }) => key === ON)?.weight ?? 0,
    visitorsInside: inside,
    visitorsOutside: totalVisitors(counts) - inside,
    isComparable: problems.length === 0,
    problems,
    effects: compared.map(({ effect }, at) => ({ everybody: effect, newcomers: newcomers[at]!.effect })),
    guardrails: compared.map((own, at) => ({
      goal: own.goal,
      worse: [own, newcomers[at]!].find(isWorse)?.goal ?? null,
    })),
  };
}

const isWorse = ({ effect }: Compared) => (effect.overall?.improvement ?? effect.improvement ?? 0) < 0;

/** Without quantiles, which cannot be divided. */
const onlyNewcomers = (input: ReportInput): ReportInput => ({
  ...input,
  groups: input.groups.filter(({ returning = false }) => !returning),
  ...(input.metrics && {
    metrics: { groups: input.metrics.groups.filter(({ returning }) => !returning), quantiles: [] },
  }),
});
