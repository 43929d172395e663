import { incompleteBeta } from './beta.ts';
import { findRoot } from './find-root.ts';
import { normalUpperQuantile } from './normal.ts';

/** P(|T| > |t|): the p-value of a two-sided test. */
export function studentTwoSided(t: number, degreesOfFreedom: number): number {
  const ratio = (t * t) / degreesOfFreedom;
  if (ratio === Infinity) return 0;
  return incompleteBeta(degreesOfFreedom / 2, 0.5, 1 / (1 + ratio), ratio / (1 + ratio)).lower;
}

/** The t with P(T > t) = p, for p below 0.5. */
export function studentUpperQuantile(p: number, degreesOfFreedom: number): number {
  const guess = normalUpperQuantile(p);
  const logP = Math.log(2 * p);
  // With few degrees of freedom, t spans orders of magnitude, so search over its logarithm.
  const f = (u: number) => logP - Math.log(studentTwoSided(Math.exp(u), degreesOfFreedom));
  return Math.exp(findRoot(f, Math.log(guess), 0.25));
}
