import { type Arm, meanArm, plainArm, proportionArm, ratioArm, residualVariance } from '../arm.ts';
import { largeStrata } from '../report/report-strata.ts';
import { combineStrata } from '../strata.ts';
import type { RatioSums } from '../sums.ts';
import { addMetricCounts, type MetricCounts, type VariationMetricCounts } from './metric-counts.ts';

/** How the visitors of all variations are turned into estimates, the control first. */
export type ArmsOf = (counts: readonly VariationMetricCounts[]) => readonly Arm[];

/** An arm with fewer visitors that its estimate rests on has no usable standard error. */
export const MIN_EVIDENCE = 25;

interface Share {
  /** Those that the share is of. */
  readonly visitors: number;
  readonly sum: number;
}

/** The share of visitors. The score test is right with any number of them, so nothing is left out. */
export const shareArms =
  (read: (counts: MetricCounts) => Share): ArmsOf =>
  (counts) => {
    const shares = counts.map((it) => ({ ...read(it), strata: it.strata.map(read) }));
    const armOf = ({ visitors, sum }: Share) => proportionArm({ n: visitors, sum });
    return combineStrata(
      largeStrata<Share>(shares, addShares).map((stratum) => stratum.map(armOf)),
      shares.map(armOf),
    );
  };

const addShares = (shares: readonly Share[]): Share => ({
  visitors: shares.reduce((total, { visitors }) => total + visitors, 0),
  sum: shares.reduce((total, { sum }) => total + sum, 0),
});

const strataOf = (counts: readonly VariationMetricCounts[]) =>
  largeStrata<MetricCounts>(counts, addMetricCounts);

/** The mean per visitor. */
export const meanArms: ArmsOf = (counts) => {
  const read = (it: MetricCounts) => meanArm({ n: it.visitors, ...it.value });
  const arms = combineStrata(
    strataOf(counts).map((stratum) => stratum.map(read)),
    counts.map(read),
  );
  return withEvidence(
    arms,
    counts.map(({ reached }) => reached),
  );
};

/** The ratio of two sums. */
export const ratioArms: ArmsOf = (counts) => {
  const strata = strataOf(counts);
  const arms = counts.map((it, index) =>
    stratifiedRatio(
      ratioSums(it),
      strata.map((stratum) => stratum.map(ratioSums)),
      index,
    ),
  );
  return withEvidence(
    arms,
    counts.map(({ reached, denominator }) => Math.min(reached, effectiveVisitors(denominator))),
  );
};

const ratioSums = ({ visitors, value, denominator, product }: MetricCounts): RatioSums => ({
  n: visitors,
  ...value,
  denominatorSum: denominator.sum,
  denominatorSumSquares: denominator.sumSquares,
  product,
});

/**
 * Numerator and denominator are combined over the strata, not the ratios: a visitor with ten page views has ten times
 * the weight of one with a single page view, in a stratum as among all visitors.
 */
function stratifiedRatio(all: RatioSums, strata: readonly (readonly RatioSums[])[], index: number): Arm {
  const observed = ratioArm(all);
  if (strata.length <= 1 || observed.mean === null) return observed;
  const sizes = strata.map((stratum) => stratum.reduce((sum, { n }) => sum + n, 0));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const own = strata.map((stratum, at) => ({ sums: stratum[index]!, weight: sizes[at]! / total }));
  const mean = (of: (sums: RatioSums) => number) =>
    own.reduce((sum, { sums, weight }) => sum + (weight * of(sums)) / sums.n, 0);
  const denominator = mean(({ denominatorSum }) => denominatorSum);
  if (!(Math.abs(denominator) > 0)) return observed;
  const ratio = mean(({ sum }) => sum) / denominator;
  const variance =
    own.reduce((sum, { sums, weight }) => {
      return sum + (all.n * weight * weight * residualVariance(sums, ratio)) / sums.n;
    }, 0) /
    denominator ** 2;
  return { ...plainArm(all.n, ratio, variance), mean: observed.mean, isAdjusted: true };
}

/** How many visitors with the same denominator would say as much: a few visitors may have most of the page views. */
const effectiveVisitors = ({ sum, sumSquares }: { sum: number; sumSquares: number }) =>
  sumSquares > 0 ? sum ** 2 / sumSquares : 0;

/**
 * Of a variation and the control together: if one of them has many values and the other hardly any, that is a result. The
 * arm without enough has no variance, so that its difference is known and the range is not.
 */
function withEvidence(arms: readonly Arm[], evidence: readonly number[]): readonly Arm[] {
  return arms.map((arm, index) =>
    index > 0 && evidence[0]! + evidence[index]! < 2 * MIN_EVIDENCE ? withoutVariance(arm) : arm,
  );
}

const withoutVariance = (arm: Arm): Arm => ({
  ...arm,
  variance: null,
  rawVariance: null,
  rawCovariance: null,
});

/** Visitors with values that a quantile of these needs: enough of them must be on either side of it. */
export const visitorsForQuantile = (quantile: number) =>
  Math.ceil(MIN_EVIDENCE / (2 * Math.min(quantile, 1 - quantile)) - ROUNDING);

/** 1 - 0.9 is a little less than 0.1. */
const ROUNDING = 1e-6;

/** A quantile of the values of visitors, whose standard error was estimated by visitor. */
export const quantileArms =
  (quantile: number): ArmsOf =>
  (counts) =>
    counts.map(({ visitors, quantile: estimate }) => {
      const { value = null, standardError = null } = estimate ?? {};
      // All values around the quantile are the same: how far off it may be is not known.
      const isKnown = standardError !== null && standardError > 0;
      const isEnough = visitors >= visitorsForQuantile(quantile);
      return plainArm(visitors, value, isKnown && isEnough ? visitors * standardError ** 2 : null);
    });
