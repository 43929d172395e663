import { describe, expect, it } from 'vitest';
import type { SplitEntry } from '../api/targeting.ts';
import { AttributeReaders } from './once-per-pass.ts';
import { explainDraw } from './rollout.ts';
import { compileSplit, rangesOf } from './split.ts';

const entries = (...weights: number[]): SplitEntry[] =>
  weights.map((weight, index) => ({ value: `v${index}`, weight }));

const UNITS = Array.from({ length: 20_000 }, (_, index) => `u${index}`);

/** The entry of every unit; -1 for those that the rollout does not include. */
function served(split: SplitEntry[], percentage = 100): number[] {
  const rule = { flagKey: 'f', ruleId: 'r', rollout: { percentage }, split };
  // A pass reads an attribute once.
  const pass = { id: 0 };
  const pick = compileSplit({ ...rule, attributes: new AttributeReaders(pass) });
  return UNITS.map((userId) => {
    pass.id++;
    return pick({ userId });
  });
}

const shareOf = (index: number, of: readonly number[]) =>
  of.filter((each) => each === index).length / of.length;

describe('a split', () => {
  it('serves each entry to its share', () => {
    const all = served(entries(10, 30, 60));
    expect(shareOf(0, all)).toBeCloseTo(0.1, 1.7);
    expect(shareOf(1, all)).toBeCloseTo(0.3, 1.7);
    expect(shareOf(2, all)).toBeCloseTo(0.6, 1.7);
  });

  it('includes the same share of every entry in a rollout, and moves nobody when that is raised', () => {
    const all = served(entries(20, 80));
    let before = served(entries(20, 80), 0);
    expect(before.every((each) => each === -1)).toBe(true);
    for (const percentage of [1, 10, 50, 99.5, 100]) {
      const now = served(entries(20, 80), percentage);
      expect(shareOf(0, now)).toBeCloseTo(0.2 * (percentage / 100), 1.7);
      expect(shareOf(1, now)).toBeCloseTo(0.8 * (percentage / 100), 1.7);
      expect(now.every((each, unit) => before[unit] === -1 || each === before[unit])).toBe(true);
      expect(now.every((each, unit) => each === -1 || each === all[unit])).toBe(true);
      before = now;
    }
  });

  it('moves only those who get more weight when entries are raised in order', () => {
    const steps = [entries(5, 5, 90), entries(5, 20, 75), entries(20, 20, 60), entries(20, 80, 0)];
    let before = served(steps[0]!);
    for (const step of steps.slice(1)) {
      const now = served(step);
      // Weight only moves towards the front, so nobody moves towards the end.
      expect(now.every((each, unit) => each <= before[unit]!)).toBe(true);
      before = now;
    }
    const raised = served(entries(5, 20, 75));
    expect(served(entries(5, 5, 90)).every((each, unit) => each === 2 || each === raised[unit])).toBe(true);
  });

  it('leaves those of a plain rollout where they are when its value becomes the first entry', () => {
    const plain = UNITS.filter((userId) => {
      return explainDraw('f', { id: 'r', rollout: { percentage: 10 } }, { userId }).included;
    });
    const all = served(entries(10, 90));
    const first = UNITS.filter((_, index) => all[index] === 0);
    expect(first).toEqual(plain);
  });

  it('covers 0 to 100 without a gap, whatever the weights', () => {
    for (const weights of [[1, 1, 1], [0.1, 0.2, 0.7], [1e-9, 1e6], [0, 3, 0], Array(19).fill(1 / 19)]) {
      const ranges = rangesOf(entries(...weights), 100);
      expect(ranges[0]!.from).toBe(0);
      expect(ranges.at(-1)!.to).toBe(100);
      for (const [index, { from }] of ranges.entries()) {
        if (index > 0) expect(from).toBe(ranges[index - 1]!.to);
      }
    }
  });
});

describe('explainDraw with a split', () => {
  const split: SplitEntry[] = [
    { value: 'a', weight: 1 },
    { key: 'bold', value: 'b', weight: 3 },
  ];

  it('shows the ranges and which one was drawn', () => {
    const explained = explainDraw('f', { id: 'r', rollout: { percentage: 40 }, split }, { userId: 'u1' });
    expect(explained.split).toEqual([
      { variant: '0', value: 'a', from: 0, to: 10, served: false },
      { variant: 'bold', value: 'b', from: 25, to: 55, served: explained.included },
    ]);
    const { bucket } = explained;
    expect(explained.included).toBe((bucket! >= 0 && bucket! < 10) || (bucket! >= 25 && bucket! < 55));
  });

  it('serves nobody without an id', () => {
    expect(explainDraw('f', { id: 'r', split }, {})).toMatchObject({
      percentage: 100,
      attribute: null,
      bucket: null,
      included: false,
      split: [{ served: false }, { served: false }],
    });
  });
});
