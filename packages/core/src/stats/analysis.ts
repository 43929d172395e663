import { type Arm, meanArm, proportionArm, ratioArm } from './arm.ts';
import { compareBayesian, FLAT_PRIOR, type Prior } from './bayesian.ts';
import type { Comparison } from './comparison.ts';
import { cupedArm, cupedTheta, haveCovariates } from './cuped.ts';
import { effectOf } from './effect.ts';
import { compareMeans, compareProportions } from './frequentist.ts';
import { type SampleRatio, sampleRatio } from './sample-ratio.ts';
import { compareSequentially, DEFAULT_SEQUENTIAL_N } from './sequential.ts';
import type { Metric, RatioSums, VariationSums } from './sums.ts';

export type Method = 'sequential' | 'frequentist' | 'bayesian';

export const METHODS: readonly Method[] = ['sequential', 'frequentist', 'bayesian'];

export const DEFAULT_ALPHA = 0.05;

export interface MethodSettings {
  readonly method: Method;
  /** Errors that are accepted; the intervals hold 1 - alpha. */
  readonly alpha?: number | undefined;
  /** Visitors at which the sequential interval is tightest. */
  readonly sequentialN?: number | undefined;
  /** For the Bayesian method. */
  readonly prior?: Prior | undefined;
}

type Keyed<S> = S & { readonly key: string };

interface AnalysisOf<M extends Metric, S> extends MethodSettings {
  readonly metric: M;
  /** Key of the variation that the others are compared with. */
  readonly control: string;
  readonly variations: readonly Keyed<S>[];
  /** Planned shares, in the order of the variations; without them the split is not judged. */
  readonly weights?: readonly number[] | undefined;
}

export type Analysis = AnalysisOf<'mean' | 'proportion', VariationSums> | AnalysisOf<'ratio', RatioSums>;

export interface VariationResult extends Comparison {
  readonly key: string;
  readonly n: number;
  /** As observed, also when a covariate is taken off the comparison. */
  readonly mean: number | null;
}

/** What the numbers were asked with; null is what the method does not use. */
export interface UsedSettings {
  readonly method: Method;
  readonly alpha: number;
  readonly sequentialN: number | null;
  readonly prior: Prior | null;
}

export interface AnalysisResult {
  readonly settings: UsedSettings;
  /** In the order given; the control's own comparison is null throughout. */
  readonly variations: readonly VariationResult[];
  readonly srm: SampleRatio | null;
}

const NO_COMPARISON: Comparison = {
  absolute: null,
  relative: null,
  pValue: null,
  chanceToBeat: null,
  expectedLoss: null,
};

/**
 * Compares every variation with the control. Covariates, when all variations bring them, are taken off first (CUPED).
 *
 * @example
 * analyse({ method: 'frequentist', metric: 'proportion', control: 'a', variations: [
 *   { key: 'a', n: 1000, sum: 100, sumSquares: 100 }, { key: 'b', n: 1000, sum: 130, sumSquares: 130 } ] })
 */
export function analyse(analysis: Analysis): AnalysisResult {
  const { variations, control, metric, weights } = analysis;
  const arms = armsOf(analysis);
  const controlArm = arms[variations.findIndex(({ key }) => key === control)];
  if (controlArm === undefined) throw new Error(`There is no variation "${control}" to compare with.`);
  return {
    settings: usedSettings(analysis),
    variations: variations.map(({ key, n }, index) => {
      const arm = arms[index]!;
      const comparison = arm === controlArm ? NO_COMPARISON : compareArms(metric, controlArm, arm, analysis);
      return { key, n, mean: arm.mean, ...comparison };
    }),
    srm:
      weights === undefined
        ? null
        : sampleRatio(
            variations.map(({ n }) => n),
            weights,
          ),
  };
}

/** One variation beside the control, by the method of choice. */
export function compareArms(
  metric: Metric,
  control: Arm,
  variation: Arm,
  { method, alpha = DEFAULT_ALPHA, sequentialN = DEFAULT_SEQUENTIAL_N, prior = FLAT_PRIOR }: MethodSettings,
): Comparison {
  const effect = effectOf(control, variation);
  if (method === 'sequential') return compareSequentially(effect, alpha, sequentialN);
  if (method === 'bayesian') return compareBayesian(effect, alpha, prior);
  if (metric === 'proportion') return compareProportions(effect, control, variation, alpha);
  return compareMeans(effect, alpha);
}

function usedSettings({ method, alpha, sequentialN, prior }: MethodSettings): UsedSettings {
  return {
    method,
    alpha: alpha ?? DEFAULT_ALPHA,
    sequentialN: method === 'sequential' ? (sequentialN ?? DEFAULT_SEQUENTIAL_N) : null,
    prior: method === 'bayesian' ? (prior ?? FLAT_PRIOR) : null,
  };
}

function armsOf(analysis: Analysis): Arm[] {
  if (analysis.metric === 'ratio') return analysis.variations.map(ratioArm);
  const { metric, variations } = analysis;
  if (haveCovariates(variations)) {
    const theta = cupedTheta(variations);
    return variations.map((sums) => cupedArm(metric, sums, theta));
  }
  return variations.map(metric === 'mean' ? meanArm : proportionArm);
}
