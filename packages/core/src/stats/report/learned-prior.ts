import { metricCounts } from '../metrics/metric-counts.ts';
import { compareGoals, comparisonSettings } from './goal-comparison.ts';
import { variationCounts } from './report-counts.ts';
import type { LearnedPrior, ReportInput } from './report-input.ts';

/** With fewer finished tests, their spread says too little about the next one. */
export const MIN_FINISHED_TESTS = 8;
/** Before any test has finished, effects of more than 20 % are unlikely. */
const TYPICAL_SD = 0.1;
/** The standard deviations that are considered: from 0.2 % to 200 %. */
const CANDIDATES = Array.from({ length: 121 }, (_, index) => 0.002 * 10 ** (index / 40));

/** The relative effect of a finished test on its primary goal. */
export interface FinishedEffect {
  readonly estimate: number;
  readonly standardError: number;
}

/** The effect of one variation. */
export interface VariationEffect extends FinishedEffect {
  readonly variation: string;
}

/** A standard deviation of the true effects, and how likely it is. */
export interface Spread {
  readonly sd: number;
  readonly weight: number;
}

/**
 * The prior of the next test, from the effects of finished ones (empirical Bayes): a normal distribution around zero.
 * Undefined with too few tests.
 *
 * @param tests the effects of each test: one for each variation except the control
 */
export function learnPrior(tests: readonly (readonly FinishedEffect[])[]): LearnedPrior | undefined {
  const usable = usableTests(tests);
  if (usable.length < MIN_FINISHED_TESTS) return undefined;
  return { mean: 0, sd: typicalSpread(learnSpreads(tests)), tests: usable.length };
}

/** The standard deviation of all effects that are possible. */
export const typicalSpread = (spreads: readonly Spread[]): number =>
  Math.sqrt(spreads.reduce((sum, { sd, weight }) => sum + weight * sd * sd, 0));

/**
 * How likely each standard deviation of the true effects is, with any number of tests. Effects are estimates, so
 * their spread is that of the true effects plus that of chance. The likelihood of each standard deviation is weighted by
 * how plausible it was before, so that a few tests without an effect do not rule effects out.
 */
export function learnSpreads(tests: readonly (readonly FinishedEffect[])[]): readonly Spread[] {
  const effects = usableTests(tests).flat();
  const logWeights = CANDIDATES.map(
    (sd) => logLikelihood(effects, sd) - 0.5 * (sd / TYPICAL_SD) ** 2 + Math.log(sd),
  );
  const highest = Math.max(...logWeights);
  const weights = logWeights.map((weight) => Math.exp(weight - highest));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return CANDIDATES.map((sd, index) => ({ sd, weight: weights[index]! / total }));
}

export const usableTests = (tests: readonly (readonly FinishedEffect[])[]) =>
  tests.map((effects) => effects.filter(isUsable)).filter((effects) => effects.length > 0);

export const isUsable = ({ estimate, standardError }: FinishedEffect) =>
  Number.isFinite(estimate) && standardError > 0 && standardError < Infinity;

/** Of the estimates, if true effects have this standard deviation. */
function logLikelihood(effects: readonly FinishedEffect[], sd: number): number {
  return effects.reduce((sum, { estimate, standardError }) => {
    const variance = sd * sd + standardError * standardError;
    return sum - 0.5 * (Math.log(variance) + (estimate * estimate) / variance);
  }, 0);
}

/** The effect of each variation of a finished test on its primary goal; none if a relative effect is not known. */
export function finishedEffects(input: ReportInput): VariationEffect[] {
  const counts = variationCounts(input);
  const goals = input.goals.filter(({ role }) => role === 'primary');
  const statistics = { ...input.statistics, engine: 'frequentist' as const };
  const settings = comparisonSettings({ ...input, goals, statistics }, counts, false);
  const [primary] = compareGoals(settings, counts, 'deciding', 'all', metricCounts(input, counts));
  const [control, ...variations] = primary?.metrics[0]?.variations ?? [];
  return variations.flatMap(({ key, relative, standardError }) =>
    relative !== null && standardError !== null && control!.mean! > 0
      ? [
          {
            variation: key,
            estimate: relative.estimate,
            standardError: standardError / control!.mean!,
          },
        ]
      : [],
  );
}
