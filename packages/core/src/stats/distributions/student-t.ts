import { incompleteBeta } from './beta.ts';
import { findRoot } from './find-root.ts';
import { normalSurvival, normalUpperQuantile } from './normal.ts';

/** P(T > t). */
export function studentSurvival(t: number, degreesOfFreedom: number): number {
  const half = studentTwoSided(t, degreesOfFreedom) / 2;
  return t >= 0 ? half : 1 - half;
}

/** P(|T| > |t|): the p-value of a two-sided test. */
export function studentTwoSided(t: number, degreesOfFreedom: number): number {
  if (degreesOfFreedom === Infinity) return 2 * normalSurvival(Math.abs(t));
  const ratio = (t * t) / degreesOfFreedom;
  if (ratio === Infinity) return 0;
  return incompleteBeta(degreesOfFreedom / 2, 0.5, 1 / (1 + ratio), ratio / (1 + ratio)).lower;
}

/** The t with P(T > t) = p. */
export function studentUpperQuantile(p: number, degreesOfFreedom: number): number {
  if (p > 0.5) return -studentUpperQuantile(1 - p, degreesOfFreedom);
  if (p === 0.5) return 0;
  if (p === 0) return Infinity;
  const guess = normalUpperQuantile(p);
  if (degreesOfFreedom === Infinity) return guess;
  const logP = Math.log(2 * p);
  // With few degrees of freedom, t spans orders of magnitude, so search over its logarithm.
  const f = (u: number) => logP - Math.log(studentTwoSided(Math.exp(u), degreesOfFreedom));
  return Math.exp(findRoot(f, Math.log(guess), 0.25));
}
