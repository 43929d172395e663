import type { Statistics } from '../history.ts';
import {
  type Arm,
  meanInterval,
  normalCritical,
  normalTails,
  pooledStatistic,
  rateInterval,
  rateRatioInterval,
  ratioInterval,
  sequenceOf,
  studentCritical,
  studentTails,
  welchDegrees,
} from './statistics.ts';

/** The sums of a variation that its metrics need. */
export interface VariationSums {
  key: string;
  visitors: number;
  converted: number;
  /** Only for feedback: visitors who answered with any option. */
  answered: number;
  conversions: { sum: number; sumSquares: number };
  amount: { sum: number; sumSquares: number };
  convertedAmount: number;
}

type Kind = 'count' | 'revenue' | 'answers' | 'option';

interface Estimate {
  key: string;
  n: number;
  mean: number | null;
  arm: Arm | null;
  /** Set for rates. */
  converted?: number;
}

const rate =
  (pick: (sums: VariationSums) => { n: number; converted: number }) =>
  (sums: VariationSums): Estimate => {
    const { n, converted } = pick(sums);
    return { key: sums.key, n, mean: n === 0 ? null : converted / n, arm: null, converted };
  };

const mean =
  (pick: (sums: VariationSums) => { sum: number; sumSquares: number }) =>
  (sums: VariationSums): Estimate => {
    const n = sums.visitors;
    if (n === 0) return { key: sums.key, n, mean: null, arm: null };
    const { sum, sumSquares } = pick(sums);
    const variance = (sumSquares - sum ** 2 / n) / (n - 1) / n;
    return { key: sums.key, n, mean: sum / n, arm: { n, mean: sum / n, variance } };
  };

/** Dollars per converted visitor, with the variance of a ratio of two sums (delta method). */
function perConverted({ key, visitors: n, converted, amount, convertedAmount }: VariationSums): Estimate {
  if (converted === 0) return { key, n, mean: null, arm: null };
  const ratio = amount.sum / converted;
  const squares = amount.sumSquares - 2 * ratio * convertedAmount + ratio ** 2 * converted;
  return {
    key,
    n,
    mean: ratio,
    arm: { n, mean: ratio, variance: squares / (n - 1) / n / (converted / n) ** 2 },
  };
}

const conversionRate = rate(({ visitors: n, converted }) => ({ n, converted }));
const answerRate = rate(({ visitors: n, answered }) => ({ n, converted: answered }));
const optionShare = rate(({ answered: n, converted }) => ({ n, converted }));

const METRICS: Record<Kind, [name: string, estimate: (sums: VariationSums) => Estimate][]> = {
  count: [
    ['conversion-rate', conversionRate],
    ['conversions-per-visitor', mean(({ conversions }) => conversions)],
  ],
  revenue: [
    ['revenue-per-visitor', mean(({ amount }) => amount)],
    ['conversion-rate', conversionRate],
    ['revenue-per-converted-visitor', perConverted],
  ],
  answers: [['answer-rate', answerRate]],
  option: [
    ['option-share', optionShare],
    ['answer-rate', answerRate],
  ],
};

export interface MetricOptions {
  /** Null: only the observed means, because the comparison uses the days before the test. */
  statistics: Statistics | null;
  isDecidingOnly?: boolean;
}

/** All metrics of a goal: the observed means and, without CUPED, what they say about the difference. */
export function metricsOf(kind: Kind, variations: readonly VariationSums[], options: MetricOptions) {
  const names = options.isDecidingOnly ? METRICS[kind].slice(0, 1) : METRICS[kind];
  return names.map(([metric, estimate], index) => {
    const estimates = variations.map(estimate);
    const [control] = estimates as [Estimate];
    const canFall = kind === 'revenue' && metric !== 'conversion-rate' && variations.some(hasDebtors);
    return {
      metric,
      decides: index === 0,
      variations: estimates.map(
        (it, at): MetricOfVariation => ({
          key: it.key,
          n: it.n,
          mean: it.mean,
          ...(at > 0 && options.statistics && cut(comparison(control, it, options.statistics), canFall)),
        }),
      ),
    };
  });
}

/** Refunds exceed the purchases of some visitors; by more than a rounding error of the sums. */
const hasDebtors = ({ amount, convertedAmount }: VariationSums) => amount.sum < convertedAmount - 5e-7;

/** What cannot be negative cannot fall by more than 100 %. */
function cut(result: Comparison, canFall: boolean): Comparison {
  const { relative } = result;
  if (canFall || relative?.low === undefined || relative.estimate < -1) return result;
  return { ...result, relative: { ...relative, low: Math.max(-1, relative.low) } };
}

interface MetricOfVariation extends Comparison {
  key: string;
  n: number;
  mean: number | null;
}

interface Comparison {
  absolute?: { estimate: number; low?: number; high?: number };
  relative?: { estimate: number; low?: number; high?: number };
  pValue?: number;
}

/** Beyond the rounding error of its sums. */
const hasVariance = ({ n, mean, variance }: Arm) => n > 2 && variance * n > 1e-9 * mean ** 2 && variance > 0;

/** Only for arms with some variance: what a method says without any is not a matter of counting. */
function comparison(control: Estimate, variation: Estimate, statistics: Statistics): Comparison {
  if (control.mean === null || variation.mean === null) return {};
  const estimate = variation.mean - control.mean;
  const relative = { estimate: estimate / control.mean };
  const estimates = { absolute: { estimate }, ...(control.mean !== 0 && { relative }) };
  if (control.converted !== undefined) return { ...estimates, ...rates(control, variation, statistics) };
  const [a, b] = [control.arm!, variation.arm!];
  if (!hasVariance(a) || !hasVariance(b)) return estimates;
  const z = Math.abs(estimate) / Math.sqrt(a.variance + b.variance);
  const { critical, pValue } = testOf(z, a.n + b.n, statistics, welchDegrees(a, b));
  const ratio = a.mean > 0 ? ratioInterval(a, b, critical) : undefined;
  return {
    absolute: { estimate, ...meanInterval(a, b, critical) },
    ...(control.mean !== 0 && { relative: { ...relative, ...ratio } }),
    pValue,
  };
}

function rates(control: Estimate, variation: Estimate, statistics: Statistics): Comparison {
  const [a, b] = [control, variation].map(({ n, converted = 0 }) => ({ n, converted }));
  const hasBoth = [a!, b!].every(({ n, converted }) => n > 0 && converted > 0 && converted < n);
  if (!hasBoth) return {};
  const { critical, pValue } = testOf(Math.abs(pooledStatistic(a!, b!)), a!.n + b!.n, statistics, null);
  const estimate = variation.mean! - control.mean!;
  return {
    absolute: { estimate, ...rateInterval(a!, b!, critical) },
    relative: { estimate: estimate / control.mean!, ...rateRatioInterval(a!, b!, critical) },
    pValue,
  };
}

/** @param degrees null: the normal distribution */
function testOf(z: number, visitors: number, statistics: Statistics, degrees: number | null) {
  const { engine, alpha, sequentialN } = statistics;
  if (engine === 'sequential') {
    const { critical, pValue } = sequenceOf(visitors, alpha, sequentialN);
    return { critical, pValue: pValue(z) };
  }
  if (degrees === null) return { critical: normalCritical(alpha), pValue: normalTails(z) };
  return { critical: studentCritical(alpha, degrees), pValue: studentTails(z, degrees) };
}
