import { DEFAULT_SEQUENTIAL_N, sequentialChiSquarePValue } from '../sequential.ts';
import type { GoalComparison } from './goal-comparison.ts';
import { combined, type Effect, effectsIn, type SegmentEffect } from './segment-effects.ts';

/** How much the effect of a variation differs between the variations of another test. */
export interface Interaction {
  /** The variation of the test itself. */
  readonly variation: string;
  readonly unit: 'relative' | 'absolute';
  /** By position of the variation of the other test; only those with enough visitors. */
  readonly effects: readonly { readonly position: number; readonly estimate: number }[];
  /** Of "the effect is the same everywhere"; always-valid, not corrected. */
  readonly pValue: number;
}

/** Where the sequence is tuned for. */
const LEVEL = 0.05;

/**
 * Whether the effect of each variation is the same among the visitors of all variations of another test (difference of
 * differences; with more than two of them, the heterogeneity of the effects). Always-valid, because it is looked at on
 * any day. Variations that are not known well enough are left out.
 *
 * @param comparisons of the primary goal, by variation of the other test; undefined without one
 */
export function interactionsOf(comparisons: readonly (GoalComparison | undefined)[]): Interaction[] {
  const effects = comparisons.flatMap((comparison, position) =>
    comparison === undefined ? [] : effectsIn(comparison, position),
  );
  const variations = [...new Set(effects.map(({ variation }) => variation))];
  return variations.flatMap(
    (variation) =>
      interactionOf(
        variation,
        effects.filter((it) => it.variation === variation),
      ) ?? [],
  );
}

function interactionOf(variation: string, own: readonly SegmentEffect[]): Interaction | null {
  const unit = own.filter(({ relative }) => relative !== null).length > 1 ? 'relative' : 'absolute';
  const known = own.flatMap((it) => {
    const effect = it[unit];
    return effect === null ? [] : [{ position: it.segment, visitors: it.visitors, effect }];
  });
  if (known.length < 2) return null;
  const visitors = known.reduce((sum, it) => sum + it.visitors, 0);
  const test = {
    chiSquared: heterogeneity(known.map(({ effect }) => effect)),
    degreesOfFreedom: known.length - 1,
  };
  return {
    variation,
    unit,
    effects: known.map(({ position, effect }) => ({
      position,
      estimate: unit === 'relative' ? Math.expm1(effect.estimate) : effect.estimate,
    })),
    pValue: sequentialChiSquarePValue(test, visitors, LEVEL, DEFAULT_SEQUENTIAL_N),
  };
}

/** Cochran's Q: squared distances from the common mean, in standard errors. */
function heterogeneity(effects: readonly Effect[]): number {
  const mean = combined(effects)!.estimate;
  return effects.reduce((sum, { estimate, variance }) => sum + (estimate - mean) ** 2 / variance, 0);
}
