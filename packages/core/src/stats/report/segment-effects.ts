import type { VariationResult } from '../analysis.ts';
import { adjustPValues } from '../multiple-testing.ts';
import { DEFAULT_SEQUENTIAL_N, sequentialPValue } from '../sequential.ts';
import type { GoalComparison } from './goal-comparison.ts';
import { MIN_CONVERSIONS } from './health.ts';
import { unitOf } from './report-metrics.ts';

/** Of a variation in a segment; with fewer, its effect is not known well enough to be compared. */
const MIN_VISITORS = 100;

/** A group of visitors in which a variation has another effect than in all others. */
export interface DifferingSegment {
  /** Index of the segment. */
  readonly segment: number;
  readonly variation: string;
  /** The relative effect in the segment, and in the rest; absolute if the control's mean is not positive. */
  readonly effect: number;
  readonly effectElsewhere: number;
  readonly unit: 'relative' | 'absolute';
  /** Corrected for the number of segments and variations. */
  readonly pValue: number;
}

/** The effect of a variation on the primary goal in a segment. */
export interface SegmentEffect {
  readonly segment: number;
  readonly variation: string;
  readonly visitors: number;
  readonly relative: Effect | null;
  readonly absolute: Effect | null;
}

export interface Effect {
  readonly estimate: number;
  readonly variance: number;
}

/**
 * Which segments differ from the rest, beyond chance (interaction test, corrected by Holm): the effect in the segment is
 * compared with that of all other segments together. Breakdowns are looked at any day, so always-valid.
 *
 * @param segments the comparison of the primary goal in each segment; undefined without one
 */
export function differingSegments(
  segments: readonly (GoalComparison | undefined)[],
  alpha: number,
): DifferingSegment[] {
  const effects = segments.flatMap((comparison, segment) =>
    comparison === undefined ? [] : effectsIn(comparison, segment),
  );
  const compared = effects.flatMap((own) => {
    const others = effects.filter((it) => it.variation === own.variation && it.segment !== own.segment);
    return compare(own, others) ?? [];
  });
  const corrected = adjustPValues(
    compared.map(({ pValue }) => pValue),
    'holm',
  );
  return compared
    .map((it, index) => ({ ...it, pValue: corrected[index]! }))
    .filter(({ pValue }) => pValue < alpha)
    .toSorted((a, b) => a.pValue - b.pValue);
}

/** The effects of a segment that are known well enough to be compared. */
export function effectsIn({ metrics }: GoalComparison, segment: number): SegmentEffect[] {
  const deciding = metrics.find(({ decides }) => decides)!;
  const { variations } = deciding;
  const [control, ...others] = variations;
  const isUsable = (it: VariationResult) =>
    it.n >= MIN_VISITORS && (unitOf(deciding) !== 'rate' || it.n * (it.mean ?? 0) >= MIN_CONVERSIONS);
  if (!isUsable(control!)) return [];
  return others.filter(isUsable).map(({ key, n, absolute, relative, standardError }) => {
    const variance = standardError === null ? null : standardError ** 2;
    const mean = control!.mean;
    return {
      segment,
      variation: key,
      visitors: control!.n + n,
      absolute: absolute && variance ? { estimate: absolute.estimate, variance } : null,
      relative:
        relative && variance && mean !== null && mean > 0
          ? onLogScale(relative.estimate, variance, mean)
          : null,
    };
  });
}

/** Ratios are compared by their logarithm, in which their errors are nearly normal. */
function onLogScale(estimate: number, variance: number, mean: number): Effect | null {
  if (!(estimate > -1)) return null;
  return { estimate: Math.log1p(estimate), variance: variance / (mean * (1 + estimate)) ** 2 };
}

function compare(own: SegmentEffect, others: readonly SegmentEffect[]): DifferingSegment | null {
  const unit =
    own.relative !== null && others.some(({ relative }) => relative !== null) ? 'relative' : 'absolute';
  const effect = own[unit];
  const elsewhere = combined(others.flatMap((it) => it[unit] ?? []));
  if (effect === null || elsewhere === null) return null;
  const zSquared = (effect.estimate - elsewhere.estimate) ** 2 / (effect.variance + elsewhere.variance);
  const read = (value: number) => (unit === 'relative' ? Math.expm1(value) : value);
  return {
    segment: own.segment,
    variation: own.variation,
    effect: read(effect.estimate),
    effectElsewhere: read(elsewhere.estimate),
    unit,
    pValue: sequentialPValue(zSquared, own.visitors, LEVEL, DEFAULT_SEQUENTIAL_N),
  };
}

/** Where the sequence is tuned for. */
const LEVEL = 0.05;

/** The mean of several effects, weighted by their precision. */
export function combined(effects: readonly Effect[]): Effect | null {
  if (effects.length === 0) return null;
  const weights = effects.map(({ variance }) => 1 / variance);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const estimate = effects.reduce((sum, effect, index) => sum + weights[index]! * effect.estimate, 0) / total;
  return { estimate, variance: 1 / total };
}
