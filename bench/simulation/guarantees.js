import { options } from './random.js';
import { percent } from './shop.js';

/** Documented guarantees that this run does not confirm. */
export const violations = [];

/** With 3.5 standard errors of slack: a correct implementation fails once in two thousand checks. */
export function checkGuarantee(name, share, low, high, tests = options.tests) {
  const slack = 3.5 * Math.sqrt((0.05 * 0.95) / tests);
  if (share < low - slack || share > high + slack) violations.push(`${name}: ${percent(share)}`);
}

/** Without slack, for statements about this simulation. */
export function checkAtLeast(name, share, low) {
  if (!(share >= low)) violations.push(`${name}: ${percent(share)}, below ${percent(low)}`);
}
