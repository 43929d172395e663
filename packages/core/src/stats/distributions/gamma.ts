import { continuedFraction } from './continued-fraction.ts';
import { findRoot } from './find-root.ts';
import { deviance, stirlingError } from './stirling.ts';

/** Lower and upper tail, each with full relative precision where it is small. */
export interface Tails {
  readonly lower: number;
  readonly upper: number;
}

/** P(a, x) and Q(a, x): the probabilities of at most x and of more than x in a gamma distribution of shape a. */
export function incompleteGamma(a: number, x: number): Tails {
  if (x <= 0) return { lower: 0, upper: 1 };
  if (x === Infinity) return { lower: 1, upper: 0 };
  // x^a e^-x / Γ(a)
  const factor = Math.sqrt(a / (2 * Math.PI)) * Math.exp(-stirlingError(a) - deviance(a, x));
  if (x < a + 1) {
    const lower = (factor / a) * series(a, x);
    return { lower, upper: 1 - lower };
  }
  const upper =
    factor /
    continuedFraction(
      (m) => m * (a - m),
      (m) => x - a + 2 * m + 1,
    );
  return { lower: 1 - upper, upper };
}

export function gammaCdf(x: number, shape: number, scale = 1): number {
  return incompleteGamma(shape, x / scale).lower;
}

export function gammaSurvival(x: number, shape: number, scale = 1): number {
  return incompleteGamma(shape, x / scale).upper;
}

/** The x with P(X ≤ x) = p. */
export function gammaQuantile(p: number, shape: number, scale = 1): number {
  return scale * quantile(p, shape, 'lower');
}

/** The x with P(X > x) = p. */
export function gammaUpperQuantile(p: number, shape: number, scale = 1): number {
  return scale * quantile(p, shape, 'upper');
}

export function chiSquareCdf(x: number, degreesOfFreedom: number): number {
  return incompleteGamma(degreesOfFreedom / 2, x / 2).lower;
}

export function chiSquareSurvival(x: number, degreesOfFreedom: number): number {
  return incompleteGamma(degreesOfFreedom / 2, x / 2).upper;
}

/** The x with P(X > x) = p. */
export function chiSquareUpperQuantile(p: number, degreesOfFreedom: number): number {
  return 2 * quantile(p, degreesOfFreedom / 2, 'upper');
}

function quantile(p: number, shape: number, tail: keyof Tails): number {
  if (p === 0) return tail === 'lower' ? 0 : Infinity;
  if (p === 1) return tail === 'lower' ? Infinity : 0;
  // Use the smaller tail, whose logarithm is precise.
  const small = p <= 0.5 ? tail : tail === 'lower' ? 'upper' : 'lower';
  const logP = Math.log(p <= 0.5 ? p : 1 - p);
  const sign = small === 'lower' ? 1 : -1;
  const f = (u: number) => sign * (Math.log(incompleteGamma(shape, Math.exp(u))[small]) - logP);
  return Math.exp(findRoot(f, Math.log(shape), 0.5));
}

function series(a: number, x: number): number {
  let term = 1;
  let sum = 1;
  for (let k = 1; ; k++) {
    term *= x / (a + k);
    sum += term;
    if (!(term > Number.EPSILON * sum)) return sum;
  }
}
