import { DEFAULT_ALPHA } from './alpha.ts';
import { type Arm, meanArm, proportionArm, ratioArm } from './arm.ts';
import { compareBayesian, FLAT_PRIOR, type Prior } from './bayesian.ts';
import { type Comparison, finiteComparison, NO_COMPARISON } from './comparison.ts';
import { cupedArm, haveCovariates, regress } from './cuped.ts';
import { type EffectOptions, normalEffect } from './effect.ts';
import { compareOnce } from './frequentist.ts';
import { compareAtLook, FINAL_LOOK, type Looks } from './group-sequential/compare.ts';
import { type SampleRatio, sampleRatio } from './sample-ratio.ts';
import { compareSequentially, DEFAULT_SEQUENTIAL_N } from './sequential.ts';
import { combineStrata } from './strata.ts';
import type { Metric, RatioSums, VariationSums } from './sums.ts';

export type Method = 'sequential' | 'group-sequential' | 'frequentist' | 'bayesian';

export const METHODS: readonly Method[] = ['sequential', 'group-sequential', 'frequentist', 'bayesian'];

export interface MethodSettings {
  readonly method: Method;
  /** Accepted error rate; the confidence level of the intervals is 1 - alpha. */
  readonly alpha?: number | undefined;
  /** For the group-sequential method; default: a single look at the planned size. */
  readonly looks?: Looks | undefined;
  /** Number of visitors at which the sequential interval is tightest. */
  readonly sequentialN?: number | undefined;
  /** For the Bayesian method. */
  readonly prior?: Prior | undefined;
}

type Keyed<S> = S & { readonly key: string };

interface AnalysisOf<M extends Metric, S> extends MethodSettings {
  readonly metric: M;
  /** For a mean or ratio: no visitor's value is negative, so it cannot fall by more than 100 %. */
  readonly nonNegative?: boolean | undefined;
  /** Key of the control. */
  readonly control: string;
  readonly variations: readonly Keyed<S>[];
  /** The same visitors in strata, which are compared each on its own; each stratum lists all variations in the same order. */
  readonly strata?: readonly (readonly S[])[] | undefined;
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
  readonly looks: Looks | null;
  readonly sequentialN: number | null;
  readonly prior: Prior | null;
}

export interface AnalysisResult {
  readonly settings: UsedSettings;
  /** In the given order; the comparison of the control itself is null. */
  readonly variations: readonly VariationResult[];
  readonly srm: SampleRatio | null;
}

/**
 * Compares every variation with the control. Covariates are used (CUPED) if all variations have them.
 *
 * @example
 * analyse({ method: 'frequentist', metric: 'proportion', control: 'a', variations: [
 *   { key: 'a', n: 1000, sum: 100, sumSquares: 100 }, { key: 'b', n: 1000, sum: 130, sumSquares: 130 } ] })
 */
export function analyse(analysis: Analysis): AnalysisResult {
  const { variations, control, weights } = analysis;
  const arms = armsOf(analysis);
  const controlArm = arms[variations.findIndex(({ key }) => key === control)];
  if (controlArm === undefined) throw new Error(`The control "${control}" is not one of the variations.`);
  return {
    settings: usedSettings(analysis),
    variations: variations.map(({ key, n }, index) => {
      const arm = arms[index]!;
      return { key, n, mean: arm.mean, ...compareToControl(controlArm, arm, analysis) };
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

/** Compares one variation with the control, by whatever arms they have; nothing for the control itself. */
export const compareToControl = (control: Arm, arm: Arm, settings: ArmSettings): Comparison =>
  arm === control ? NO_COMPARISON : finiteComparison(compareArms(control, arm, settings));

export interface ArmSettings extends MethodSettings, EffectOptions {}

function compareArms(control: Arm, variation: Arm, settings: ArmSettings): Comparison {
  const { method, alpha, looks, sequentialN, prior } = usedSettings(settings);
  if (method === 'bayesian') return compareBayesian(control, variation, alpha, prior!, settings);
  if (method === 'frequentist') return compareOnce(control, variation, alpha, settings);
  const effect = normalEffect(control, variation, settings);
  if (method === 'sequential') return compareSequentially(effect, alpha, sequentialN!);
  return compareAtLook(effect, alpha, looks!);
}

function usedSettings({ method, alpha, looks, sequentialN, prior }: MethodSettings): UsedSettings {
  return {
    method,
    alpha: alpha ?? DEFAULT_ALPHA,
    looks: method === 'group-sequential' ? (looks ?? FINAL_LOOK) : null,
    sequentialN: method === 'sequential' ? (sequentialN ?? DEFAULT_SEQUENTIAL_N) : null,
    prior: method === 'bayesian' ? (prior ?? FLAT_PRIOR) : null,
  };
}

/** In the order of the variations. */
export function armsOf(analysis: Analysis): readonly Arm[] {
  if (analysis.metric === 'ratio') return analysis.variations.map(ratioArm);
  const { metric, variations, strata = [variations] } = analysis;
  const armOf = adjustedArms(metric, strata);
  return combineStrata(
    strata.map((stratum) => stratum.map(armOf)),
    variations.map(metric === 'mean' ? meanArm : proportionArm),
  );
}

/** How the arm of a variation, or of its visitors in a stratum, is estimated: with covariates, if all have them. */
function adjustedArms(
  metric: 'mean' | 'proportion',
  strata: readonly (readonly VariationSums[])[],
): (sums: VariationSums) => Arm {
  const withCovariates = strata.filter(haveCovariates);
  if (withCovariates.length < strata.length) return metric === 'mean' ? meanArm : proportionArm;
  const coefficients = regress(withCovariates);
  return (sums) => cupedArm(metric, sums as (typeof withCovariates)[number][number], coefficients);
}
