import { normalCdf } from '../distributions/normal.ts';
import type { PhaseEffect } from './phase-effect.ts';

/** Half-normal mixtures over small and large effects, relative to those outside. */
const SCALES = [0.05, 0.2] as const;
/** Below this, the normal distribution underflows before the factor that cancels it overflows. */
const FAR_TAIL = -25;

/** At this evidence, something is proven: without it, there is as much in at most 5 % of the rollouts. */
export const PROVEN = 20;

/**
 * Evidence that an effect is harm, over all phases of a rollout: without harm, it is above 1/p at any time with a
 * probability of p at most. It is the mean of processes that start with each of the planned phases and go on through all
 * later ones, so that harm is found which was there from the start, and harm which came with the load. A process that
 * excludes harm beyond the margin counts nothing: a small harm may be certain, and still be accepted.
 *
 * @param effects oldest phase first
 * @param phases the planned number of phases, which must not change during the rollout
 */
export function evidenceOfHarm(effects: readonly PhaseEffect[], phases: number, maxHarm: number): number {
  return meanOverStarts(effects, phases, (since, overall) =>
    likelihood(since, maxHarm) >= PROVEN ? 0 : likelihood({ ...overall, score: -overall.score }, 0),
  );
}

/** Evidence that an effect is no harm beyond the margin. */
export const evidenceOfSafety = (effects: readonly PhaseEffect[], phases: number, maxHarm: number): number =>
  meanOverStarts(effects, phases, (since) => likelihood(since, maxHarm));

/** What is known since the start of a phase. */
interface Known {
  /** Improvements, weighted by their information. */
  readonly score: number;
  readonly information: number;
}

/** @param evidence of what is known relative to those outside, and relative to everybody */
function meanOverStarts(
  effects: readonly PhaseEffect[],
  phases: number,
  evidence: (since: Known, overall: Known) => number,
): number {
  let since: Known = { score: 0, information: 0 };
  let overall = since;
  let total = 0;
  for (const [phase, effect] of [...effects.entries()].toReversed()) {
    since = withEffect(since, effect);
    overall = withEffect(overall, effect.overall ?? effect);
    if (phase < phases) total += evidence(since, overall);
  }
  const notStarted = Math.max(0, phases - effects.length);
  return (total + notStarted) / phases;
}

function withEffect({ score, information }: Known, { improvement, standardError }: PhaseEffect): Known {
  if (improvement === null || standardError === null || standardError <= 0) return { score, information };
  return {
    score: score + improvement / standardError ** 2,
    information: information + 1 / standardError ** 2,
  };
}

/** That the improvement is above `-margin`. */
const likelihood = ({ score, information }: Known, margin: number) =>
  mixture(score + margin * information, information);

/** The likelihood of an effect above zero, averaged over its possible sizes, relative to that of none. */
function mixture(score: number, information: number): number {
  const ratios = SCALES.map((scale) => {
    const spread = Math.sqrt(1 + scale ** 2 * information);
    return tiltedTail((score * scale) / spread) / spread;
  });
  return ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
}

/** 2 Φ(z) exp(z² / 2). */
const tiltedTail = (z: number): number =>
  z < FAR_TAIL ? -Math.SQRT2 / (z * Math.sqrt(Math.PI)) : 2 * normalCdf(z) * Math.exp((z * z) / 2);
