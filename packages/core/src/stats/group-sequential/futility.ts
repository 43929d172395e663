import { normalUpperQuantile } from '../distributions/normal.ts';

/** Going on is hopeless if the chance of a significant result is below this, even if the planned effect exists. */
const MIN_CONDITIONAL_POWER = 0.1;
/** A test is usually planned to find its smallest effect with this probability. */
const PLANNED_POWER = 0.8;

/**
 * The statistic below which going on is hopeless: a significant result at the planned end would be unlikely even if the
 * effect was as large as planned (conditional power; Lan, Simon and Halperin 1982). Following it is optional: it does
 * not change the other boundary, and costs at most a ninth of the error of missing such an effect. It takes the critical
 * value of a single look for the end, which errs on the side of going on.
 *
 * @param drift the planned effect at the planned end, in standard errors; default: what the plan finds in 80 % of tests
 */
export function futilityBoundary(fraction: number, alpha: number, drift = plannedDrift(alpha)): number {
  if (fraction >= 1) return 0;
  const left = 1 - fraction;
  const lost = normalUpperQuantile(MIN_CONDITIONAL_POWER) * Math.sqrt(left);
  const needed = normalUpperQuantile(alpha / 2) - drift * left - lost;
  return Math.max(0, needed / Math.sqrt(fraction));
}

const plannedDrift = (alpha: number) =>
  normalUpperQuantile(alpha / 2) + normalUpperQuantile(1 - PLANNED_POWER);
