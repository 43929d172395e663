import { options } from './random.js';
import { percent } from './shop.js';

/** Documented guarantees that this run does not confirm. */
export const violations = [];

/** With 3.5 standard errors of slack: a correct implementation fails once in two thousand checks. */
export function checkGuarantee(name, share, low, high, tests = options.tests) {
  const slack = (bound) => 3.5 * Math.sqrt((Math.min(0.95, bound) * (1 - Math.min(0.95, bound))) / tests);
  if (!(share >= low - slack(low) && share <= high + slack(high)))
    violations.push(`${name}: ${percent(share)}`);
}

/** Without slack, for statements about this simulation. */
export function checkAtLeast(name, share, low) {
  if (!(share >= low)) violations.push(`${name}: ${percent(share)}, below ${percent(low)}`);
}

export const checkAtMost = (name, share, high) => {
  if (!(share <= high)) violations.push(`${name}: ${percent(share)}, above ${percent(high)}`);
};

/** For a mean: within four of its standard errors. */
export function checkMean(name, mean, standardError, truth) {
  if (!(Math.abs(mean - truth) <= 4 * standardError))
    violations.push(`${name}: ${percent(mean)} instead of ${percent(truth)}`);
}
