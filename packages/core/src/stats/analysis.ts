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
  /** Accepted error rate; the confidence level of the intervals is 1 - alpha. */
  readonly alpha?: number | undefined;
  /** Number of visitors at which the sequential interval is tightest. */
  readonly sequentialN?: number | undefined;
  /** For the Bayesian method. */
  readonly prior?: Prior | undefined;
}

type Keyed<S> = S & { readonly key: string };

interface AnalysisOf<M extends Metric, S> extends MethodSettings {
  readonly metric: M;
  /** Key of the control. */
  readonly control: string;
  readonly variations: readonly Keyed<S>[];
  /** Planned weights, in the order of the variations; without them, the split is not tested. */
  readonly weights?: readonly number[] | undefined;
}

export type Analysis = AnalysisOf<'mean' | 'proportion', VariationSums> | AnalysisOf<'ratio', RatioSums>;

export interface VariationResult extends Comparison {
  readonly key: string;
  readonly n: number;
  /** The observed mean, even if the comparison uses a covariate. */
  readonly mean: number | null;
}

/** The settings used; null if the method does not use them. */
export interface UsedSettings {
  readonly method: Method;
  readonly alpha: number;
  readonly sequentialN: number | null;
  readonly prior: Prior | null;
}

export interface AnalysisResult {
  readonly settings: UsedSettings;
  /** In the given order; the comparison of the control itself is null. */
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
 * Compares every variation with the control. Covariates are used (CUPED) if all variations have them.
 *
 * @example
 * analyse({ method: 'frequentist', metric: 'proportion', control: 'a', variations: [
 *   { key: 'a', n: 1000, sum: 100, sumSquares: 100 }, { key: 'b', n: 1000, sum: 130, sumSquares: 130 } ] })
 */
export function analyse(analysis: Analysis): AnalysisResult {
  const { variations, control, metric, weights } = analysis;
  const arms = armsOf(analysis);
  const controlArm = arms[variations.findIndex(({ key }) => key === control)];
  if (controlArm === undefined) throw new Error(`The control "${control}" is not one of the variations.`);
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

/** Compares one variation with the control. */
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
