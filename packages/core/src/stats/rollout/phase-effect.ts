import type { Arm } from '../arm.ts';
import { type EffectOptions, normalEffect } from '../effect.ts';

/** A guardrail in one phase of a rollout: those inside compared with those outside. */
export interface PhaseEffect {
  /** Relative to those outside; negative is worse. Null if they cannot be compared yet. */
  readonly improvement: number | null;
  /** Of the improvement, if in truth there is none. */
  readonly standardError: number | null;
  /**
   * Relative to the mean of everybody: harm is found with this, because it is also known of what is rare or missing
   * outside, such as errors. Default: the same as relative to those outside.
   */
  readonly overall?: { readonly improvement: number; readonly standardError: number };
}

export const NO_EFFECT_YET: PhaseEffect = { improvement: null, standardError: null };

/** A guardrail in one phase. */
export interface GuardrailEffects {
  /** Of everybody who came in the phase, by the side that they are on in it. */
  readonly everybody: PhaseEffect;
  /** Of those whom no earlier phase has counted; in the first phase, of everybody. */
  readonly newcomers: PhaseEffect;
}

export const NO_EFFECTS_YET: GuardrailEffects = { everybody: NO_EFFECT_YET, newcomers: NO_EFFECT_YET };

/**
 * Only for groups with enough conversions, see `hasEnoughConversions`.
 *
 * @param options `lowerIsBetter` for goals such as errors; default: false
 */
export function phaseEffect(
  outside: Arm,
  inside: Arm,
  { lowerIsBetter = false, ...options }: EffectOptions & { readonly lowerIsBetter?: boolean },
): PhaseEffect {
  const { z, standardError, intervals } = normalEffect(outside, inside, options);
  const difference = intervals(null).absolute?.estimate;
  const mean = (outside.n * (outside.mean ?? 0) + inside.n * (inside.mean ?? 0)) / (outside.n + inside.n);
  // Shares of a value that is zero or negative would mislead.
  if (z === null || standardError === null || difference === undefined || !(mean > 0)) return NO_EFFECT_YET;
  const error = z === 0 ? standardError : Math.abs(difference / z);
  const relativeTo = (base: number) => ({
    improvement: ((lowerIsBetter ? -1 : 1) * difference) / base,
    standardError: error / base,
  });
  const overall = relativeTo(mean);
  return (outside.mean ?? 0) > 0 ? { ...relativeTo(outside.mean!), overall } : { ...NO_EFFECT_YET, overall };
}
