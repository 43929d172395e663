import type { Interval } from '../comparison.ts';
import type { FinishedEffect, Spread } from '../report/learned-prior.ts';

/** Of 95 % intervals. */
const CRITICAL = 1.959_963_984_540_054;
/** Nothing falls by more than 100 %. */
const LOWEST = -1;
/** A fall to nothing counts as one by 99 %: the logarithm of nothing would outweigh every other change. */
const SMALLEST_FACTOR = 0.01;

export interface Range extends Interval {
  readonly low: number;
  readonly high: number;
}

/** A normal distribution. */
interface Belief {
  readonly mean: number;
  readonly variance: number;
}

/**
 * What is believed of a relative effect after its test: the estimate moves towards zero, the further the less the test
 * knows, and the smaller effects of the property usually are. Tests that happened to look good are shipped more often, so
 * their estimates are too high on average; this is right on average, whatever was shipped.
 *
 * @param record how likely each spread of the true effects is
 */
export function expectedEffect(effect: FinishedEffect, record: readonly Spread[]): Range {
  const belief = mixed(record, (sd) => shrunk(effect, sd));
  const margin = CRITICAL * Math.sqrt(belief.variance);
  return { estimate: belief.mean, low: Math.max(LOWEST, belief.mean - margin), high: belief.mean + margin };
}

/**
 * What is believed of several changes, one after the other. Their own errors are independent, but not what is unknown
 * about the record: all of them are shrunk too much together, or too little.
 */
export function expectedTogether(effects: readonly FinishedEffect[], record: readonly Spread[]): Range {
  const total = mixed(record, (sd) => multiplied(effects.map((effect) => shrunk(effect, sd))));
  const margin = CRITICAL * Math.sqrt(total.variance);
  return {
    estimate: Math.expm1(total.mean),
    low: Math.expm1(total.mean - margin),
    high: Math.expm1(total.mean + margin),
  };
}

/** The observed effects, one after the other. */
export const observedTogether = (effects: readonly FinishedEffect[]): number =>
  Math.expm1(multiplied(effects.map(({ estimate }) => ({ mean: estimate, variance: 0 }))).mean);

/** The posterior of a normal prior around zero. */
function shrunk({ estimate, standardError }: FinishedEffect, sd: number): Belief {
  const [own, before] = [1 / standardError ** 2, 1 / sd ** 2];
  return { mean: (estimate * own) / (own + before), variance: 1 / (own + before) };
}

/** Factors are added as logarithms. */
function multiplied(effects: readonly Belief[]): Belief {
  const factors = effects.map(({ mean, variance }) => ({
    factor: Math.max(SMALLEST_FACTOR, 1 + mean),
    variance,
  }));
  return {
    mean: factors.reduce((sum, { factor }) => sum + Math.log(factor), 0),
    variance: factors.reduce((sum, { factor, variance }) => sum + variance / factor ** 2, 0),
  };
}

/** Over all spreads, as likely as they are. */
function mixed(record: readonly Spread[], beliefOf: (sd: number) => Belief): Belief {
  const beliefs = record.map(({ sd, weight }) => ({ weight, ...beliefOf(sd) }));
  const mean = beliefs.reduce((sum, it) => sum + it.weight * it.mean, 0);
  const variance = beliefs.reduce((sum, it) => sum + it.weight * (it.variance + (it.mean - mean) ** 2), 0);
  return { mean, variance };
}
