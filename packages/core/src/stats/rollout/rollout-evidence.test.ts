import { describe, expect, it } from 'vitest';
import { meanArm, proportionArm } from '../arm.ts';
import { NO_EFFECT_YET, type PhaseEffect, phaseEffect } from './phase-effect.ts';
import {
  evidenceOfHarm,
  evidenceOfSafety,
  improvementIn,
  newcomersOf,
  PROVEN,
  phaseAlone,
} from './rollout-evidence.ts';

const sourceOf = (...effects: PhaseEffect[]) => ({ effects, share: 1 });

/** With a margin that nothing excludes. */
const evidenceBelow = (...effects: PhaseEffect[]) => evidenceOfHarm(sourceOf(...effects), 0);

const effect = (improvement: number, standardError: number) => ({ improvement, standardError });

/** The same mixture, integrated numerically over the possible sizes of the effect. */
function integrated(improvement: number, standardError: number): number {
  const ratioAt = (size: number) => Math.exp((-improvement * size - size ** 2 / 2) / standardError ** 2);
  const meanOf = (scale: number) => {
    const step = scale / 2000;
    let sum = 0;
    for (let size = step / 2; size < 10 * scale; size += step) {
      const density = (2 * Math.exp(-((size / scale) ** 2) / 2)) / (scale * Math.sqrt(2 * Math.PI));
      sum += density * ratioAt(size) * step;
    }
    return sum;
  };
  return (meanOf(0.05) + meanOf(0.2)) / 2;
}

describe('the evidence of harm in a rollout', () => {
  it.each([
    [-0.2, 0.06],
    [-0.05, 0.03],
    [0.02, 0.05],
    [0.1, 0.04],
  ])('is a likelihood ratio, averaged over the sizes of the effect: %d ± %d', (improvement, error) => {
    const exact = integrated(improvement, error);
    expect(evidenceBelow(effect(improvement, error)) / exact).toBeCloseTo(1, 5);
  });

  it('is one without data, and as small as the share of the source', () => {
    expect(evidenceBelow()).toBe(1);
    expect(evidenceBelow(NO_EFFECT_YET)).toBe(1);
    const clear = effect(-0.2, 0.05);
    const half = evidenceOfHarm({ effects: [clear], share: 0.5 }, 0);
    expect(half).toBeCloseTo(evidenceBelow(clear) / 2, 10);
  });

  it('adds up groups of people as if they were one with more data', () => {
    const one = evidenceBelow(effect(-0.1, 0.05));
    const part = effect(-0.1, 0.05 * Math.SQRT2);
    expect(evidenceBelow(part, part)).toBeCloseTo(one, 10);
    expect(improvementIn(sourceOf(effect(0.1, 1), effect(0.4, 2), NO_EFFECT_YET))).toBeCloseTo(0.16, 10);
    expect(improvementIn(sourceOf(NO_EFFECT_YET))).toBeNull();
  });

  it('is a number for any effect', () => {
    for (const improvement of [-1e6, -1, 0, 1, 1e6]) {
      for (const error of [1e-9, 1e-3, 1, 1e9]) {
        expect(evidenceBelow(effect(improvement, error))).toBeGreaterThanOrEqual(0);
      }
    }
    expect(evidenceBelow(effect(0.5, 0.001))).toBeLessThan(1e-3);
    expect(evidenceBelow(effect(0, 0))).toBe(1);
  });

  it('of safety is that against harm as large as the margin', () => {
    const safety = evidenceOfSafety(sourceOf(effect(0.08, 0.03)), 0.02);
    expect(safety).toBeCloseTo(evidenceBelow(effect(-0.1, 0.03)), 10);
  });

  it('is none if harm beyond the margin is excluded', () => {
    const certain = effect(-0.01, 0.001);
    expect(evidenceOfHarm(sourceOf(certain), 0.02)).toBe(0);
    expect(evidenceOfHarm(sourceOf(certain), 0.005)).toBeGreaterThan(1000);
  });
});

describe('the 5 % of a rollout', () => {
  const none = { everybody: NO_EFFECT_YET, newcomers: NO_EFFECT_YET };

  it.each([1, 2, 10, 51])('are shared by newcomers and all phases, of which %d are planned', (planned) => {
    const later = Array.from({ length: 20_000 }, (_, at) => phaseAlone(none, at + 1, planned).share);
    const all = later.reduce((sum, share) => sum + share, newcomersOf([none]).share);
    expect(all).toBeLessThanOrEqual(1);
    expect(all).toBeGreaterThan(0.999);
    expect(new Set(later.slice(0, planned - 1)).size).toBeLessThanOrEqual(1);
  });

  it('are half for people who are counted for the first time, in whichever phase', () => {
    const phases = [
      { everybody: effect(1, 1), newcomers: effect(1, 1) },
      { everybody: effect(2, 1), newcomers: effect(3, 1) },
    ];
    expect(newcomersOf(phases)).toEqual({ effects: [effect(1, 1), effect(3, 1)], share: 1 / 2 });
    expect(phaseAlone(phases[1]!, 1, 2)).toEqual({ effects: [effect(2, 1)], share: 1 / 4 });
  });
});

describe('the effect of a phase', () => {
  it('is relative to those outside, with the error of the score test', () => {
    const outside = proportionArm({ n: 1000, sum: 100 });
    const inside = proportionArm({ n: 100, sum: 5 });
    const found = phaseEffect(outside, inside, { metric: 'proportion' });
    expect(found.improvement).toBeCloseTo(-0.5, 10);
    const pooled = 105 / 1100;
    const error = Math.sqrt(pooled * (1 - pooled) * (1 / 1000 + 1 / 100)) / 0.1;
    expect(found.standardError).toBeCloseTo(error, 10);
    const worse = phaseEffect(outside, inside, { metric: 'proportion', lowerIsBetter: true });
    expect(worse.improvement).toBeCloseTo(0.5, 10);
  });

  it('has an error even without a difference', () => {
    const arm = meanArm({ n: 100, sum: 300, sumSquares: 1400 });
    const found = phaseEffect(arm, arm, { metric: 'mean' });
    expect(found.improvement).toBe(0);
    expect(found.standardError).toBeGreaterThan(0);
  });

  it('is known of everybody if nobody outside has reached the goal, as with errors', () => {
    const [outside, inside] = [proportionArm({ n: 9000, sum: 0 }), proportionArm({ n: 1000, sum: 250 })];
    const found = phaseEffect(outside, inside, { metric: 'proportion', lowerIsBetter: true });
    expect(found).toMatchObject({ improvement: null, standardError: null });
    expect(found.overall!.improvement).toBeCloseTo(-10, 10);
    expect(evidenceOfHarm({ effects: [found], share: 1 / 6 }, 0.05)).toBeGreaterThan(PROVEN);
    const rare = phaseEffect(proportionArm({ n: 9000, sum: 3 }), proportionArm({ n: 1000, sum: 60 }), {
      metric: 'proportion',
      lowerIsBetter: true,
    });
    expect(evidenceOfHarm({ effects: [rare], share: 1 / 6 }, 0.05)).toBeGreaterThan(PROVEN);
    const equal = phaseEffect(proportionArm({ n: 9000, sum: 9 }), proportionArm({ n: 1000, sum: 1 }), {
      metric: 'proportion',
      lowerIsBetter: true,
    });
    expect(evidenceOfHarm({ effects: [equal], share: 1 / 6 }, 0.05)).toBeLessThan(PROVEN);
  });

  it('is unknown without visitors', () => {
    const none = proportionArm({ n: 0, sum: 0 });
    const some = proportionArm({ n: 100, sum: 5 });
    for (const [outside, inside] of [
      [none, some],
      [some, none],
    ] as const)
      expect(phaseEffect(outside, inside, { metric: 'proportion' })).toEqual(NO_EFFECT_YET);
  });
});
