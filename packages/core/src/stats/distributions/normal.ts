import { continuedFraction } from './continued-fraction.ts';
import { findRoot } from './find-root.ts';

const SQRT_TWO_PI = 2.5066282746310002;

/** From here on, use the continued fraction instead of the series. */
const TAIL = 2;

/** Density of the standard normal distribution. */
export function normalDensity(z: number): number {
  return Math.exp(-0.5 * z * z) / SQRT_TWO_PI;
}

/** P(Z ≤ z). */
export function normalCdf(z: number): number {
  return normalSurvival(-z);
}

/** P(Z > z), with full relative precision in the tail. */
export function normalSurvival(z: number): number {
  if (z < -TAIL) return 1 - normalSurvival(-z);
  if (z <= TAIL) return 0.5 - centralArea(z);
  if (z === Infinity) return 0;
  return normalDensity(z) / tailFraction(z, 0);
}

/** The z with P(Z > z) = p. */
export function normalUpperQuantile(p: number): number {
  if (p > 0.5) return -normalUpperQuantile(1 - p);
  if (p === 0.5) return 0;
  if (p === 0) return Infinity;
  const logP = Math.log(p);
  // Initial guess: the first term of the tail expansion.
  const guess = Math.sqrt(-2 * logP) / 1.1;
  return findRoot((z) => logP - Math.log(normalSurvival(z)), guess, 0.5);
}

/** E[max(0, Z - z)] for a standard normal Z. */
export function normalLoss(z: number): number {
  if (z <= TAIL) return normalDensity(z) - z * normalSurvival(z);
  // density - z * survival would cancel in the tail; the continued fractions do not.
  return normalDensity(z) / (tailFraction(z, 0) * tailFraction(z, 1));
}

/** Area between 0 and z. */
function centralArea(z: number): number {
  let term = z;
  let sum = z;
  for (let k = 3; ; k += 2) {
    term *= (z * z) / k;
    sum += term;
    if (!(Math.abs(term) > Number.EPSILON * Math.abs(sum))) return sum * normalDensity(z);
  }
}

/** z + (s+1) / (z + (s+2) / (z + …)): tails of Laplace's continued fraction of the Mills ratio. */
function tailFraction(z: number, start: number): number {
  return continuedFraction(
    (m) => start + m,
    () => z,
  );
}
