import { describe, expect, it } from 'vitest';
import { meanArm, proportionArm } from '../arm.ts';
import { NO_EFFECT_YET, phaseEffect } from './phase-effect.ts';
import { evidenceOfHarm, evidenceOfSafety, PROVEN } from './rollout-evidence.ts';

/** With a margin that nothing excludes. */
const evidenceBelow = (effects: Parameters<typeof evidenceOfHarm>[0], phases: number) =>
  evidenceOfHarm(effects, phases, 0);

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
    expect(evidenceBelow([effect(improvement, error)], 1) / exact).toBeCloseTo(1, 5);
  });

  it('is one without data, and halves what a second planned phase may add', () => {
    expect(evidenceBelow([], 4)).toBe(1);
    expect(evidenceBelow([NO_EFFECT_YET], 1)).toBe(1);
    const [own] = [evidenceBelow([effect(-0.2, 0.05)], 1)];
    expect(evidenceBelow([effect(-0.2, 0.05)], 2)).toBeCloseTo((own + 1) / 2, 10);
  });

  it('adds up phases as if they were one with more data', () => {
    const one = evidenceBelow([effect(-0.1, 0.05)], 1);
    const both = evidenceBelow([effect(-0.1, 0.05 * Math.SQRT2), effect(-0.1, 0.05 * Math.SQRT2)], 1);
    expect(both).toBeCloseTo(one, 10);
  });

  it('is a number for any effect', () => {
    for (const improvement of [-1e6, -1, 0, 1, 1e6]) {
      for (const error of [1e-9, 1e-3, 1, 1e9]) {
        expect(evidenceBelow([effect(improvement, error)], 3)).toBeGreaterThanOrEqual(0);
      }
    }
    expect(evidenceBelow([effect(0.5, 0.001)], 1)).toBeLessThan(1e-3);
    expect(evidenceBelow([effect(0, 0)], 1)).toBe(1);
  });

  it('of safety is that against harm as large as the margin', () => {
    const safety = evidenceOfSafety([effect(0.08, 0.03)], 2, 0.02);
    expect(safety).toBeCloseTo(evidenceBelow([effect(-0.1, 0.03)], 2), 10);
  });

  it('does not count what excludes harm beyond the margin, for each phase it may have begun with', () => {
    const certain = effect(-0.01, 0.001);
    expect(evidenceOfHarm([certain], 1, 0.02)).toBe(0);
    expect(evidenceOfHarm([certain], 1, 0.005)).toBeGreaterThan(1000);
    expect(evidenceOfHarm([certain, effect(-0.3, 0.03)], 2, 0.02)).toBeGreaterThan(1000);
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
    expect(evidenceOfHarm([found], 3, 0.05)).toBeGreaterThan(PROVEN);
    const rare = phaseEffect(proportionArm({ n: 9000, sum: 3 }), proportionArm({ n: 1000, sum: 60 }), {
      metric: 'proportion',
      lowerIsBetter: true,
    });
    expect(evidenceOfHarm([rare], 3, 0.05)).toBeGreaterThan(PROVEN);
    const equal = phaseEffect(proportionArm({ n: 9000, sum: 9 }), proportionArm({ n: 1000, sum: 1 }), {
      metric: 'proportion',
      lowerIsBetter: true,
    });
    expect(evidenceOfHarm([equal], 3, 0.05)).toBeLessThan(PROVEN);
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
