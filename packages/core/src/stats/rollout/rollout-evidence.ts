import { normalCdf } from '../distributions/normal.ts';
import type { GuardrailEffects, PhaseEffect } from './phase-effect.ts';

/** Half-normal mixtures over small and large effects, relative to those outside. */
const SCALES = [0.05, 0.2] as const;
/** Below this, the normal distribution underflows before the factor that cancels it overflows. */
const FAR_TAIL = -25;

/** At this evidence, something is proven: without it, there is as much in at most 5 % of the rollouts. */
export const PROVEN = 20;

/** Of the 5 %: one half is for people, the other one for phases. */
const HALF = 1 / 2;

/** Effects whose information may be added up, because nobody is in two of them. */
export interface EvidenceSource {
  readonly effects: readonly PhaseEffect[];
  /** Of the 5 %; those of all sources together are one at most. */
  readonly share: number;
}

/** Newcomers are other people in each phase, so their information adds up. */
export const newcomersOf = (effects: readonly GuardrailEffects[]): EvidenceSource => ({
  effects: effects.map(({ newcomers }) => newcomers),
  share: HALF,
});

/**
 * Everybody of a phase, by what they did in it: those who come back may do what they did before, so phases are not added
 * up. The first phase needs no share of its own, because all its visitors are newcomers; that share is for phases on top
 * of the plan, as 1/2, 1/6, 1/12 and so on.
 *
 * @param phase from 0 on
 * @param planned phases, which must not change during the rollout
 */
export function phaseAlone({ everybody }: GuardrailEffects, phase: number, planned: number): EvidenceSource {
  const extra = phase - Math.max(1, planned) + 1;
  const ofOne = extra > 0 ? 1 / (extra * (extra + 1)) : 1;
  return { effects: [everybody], share: phase === 0 ? HALF : (HALF * ofOne) / Math.max(1, planned) };
}

/**
 * Evidence that an effect is harm: without harm, it is above 1/p at any time with a probability of `share · p` at most.
 * None if harm beyond the margin is excluded: a small harm may be certain, and still be accepted.
 */
export function evidenceOfHarm(source: EvidenceSource, maxHarm: number): number {
  if (evidenceOfSafety(source, maxHarm) >= PROVEN) return 0;
  const overall = knownOf(source.effects.map((effect) => effect.overall ?? effect));
  return source.share * likelihood({ ...overall, score: -overall.score }, 0);
}

/** Evidence that an effect is no harm beyond the margin; with such harm, it is as rare as that of harm without any. */
export const evidenceOfSafety = ({ effects, share }: EvidenceSource, maxHarm: number): number =>
  share * likelihood(knownOf(effects), maxHarm);

/** The improvement that is most likely; null if nothing is known. */
export function improvementIn({ effects }: EvidenceSource): number | null {
  const { score, information } = knownOf(effects);
  return information === 0 ? null : score / information;
}

interface Known {
  /** Improvements, weighted by their information. */
  readonly score: number;
  readonly information: number;
}

function knownOf(effects: readonly Pick<PhaseEffect, 'improvement' | 'standardError'>[]): Known {
  let [score, information] = [0, 0];
  for (const { improvement, standardError } of effects) {
    if (improvement === null || standardError === null || standardError <= 0) continue;
    score += improvement / standardError ** 2;
    information += 1 / standardError ** 2;
  }
  return { score, information };
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
