import { describe, expect, it } from 'vitest';
import { type AssignableTest, assign } from './assignment.ts';

const VISITORS = 100_000;

function test(hashSeed: string, weights: number[], trafficAllocation = 100): AssignableTest {
  return { hashSeed, trafficAllocation, variations: weights.map((weight, i) => ({ key: `v${i}`, weight })) };
}

function indexes(of: AssignableTest): number[] {
  return Array.from({ length: VISITORS }, (_, i) => assign(of, `visitor-${i}`).index);
}

describe('assignment of 100,000 visitors', () => {
  // Critical values of chi-square at p = 0.001 for 1, 2 and 3 degrees of freedom.
  const critical = [0, 10.828, 13.816, 16.266];

  it.each([
    ['even', [50, 50]],
    ['three ways', [1, 1, 1]],
    ['uneven', [10, 20, 30, 40]],
    ['very uneven', [99, 1]],
    ['with a zero in between', [30, 0, 70]],
  ])('is uniform: %s', (name, weights) => {
    const counts = weights.map(() => 0);
    for (const index of indexes(test(`uniform ${name}`, weights))) counts[index] = (counts[index] ?? 0) + 1;
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    let chiSquare = 0;
    for (const [i, weight] of weights.entries()) {
      const expectedCount = (VISITORS * weight) / total;
      if (weight === 0) expect(counts[i]).toBe(0);
      else chiSquare += ((counts[i] ?? 0) - expectedCount) ** 2 / expectedCount;
    }
    expect(chiSquare).toBeLessThan(critical[weights.filter((weight) => weight > 0).length - 1] ?? 0);
  });

  it.each([5, 20, 50, 99.5])('includes %s percent', (traffic) => {
    const of = test(`traffic ${traffic}`, [50, 50], traffic);
    let included = 0;
    for (let i = 0; i < VISITORS; i++) if (assign(of, `visitor-${i}`).included) included++;
    const share = traffic / 100;
    expect(Math.abs(included - VISITORS * share)).toBeLessThan(4 * Math.sqrt(VISITORS * share * (1 - share)));
  });

  it.each([1, 5, 20])('holds out %s percent', (percentage) => {
    let held = 0;
    for (let i = 0; i < VISITORS; i++) {
      if (!assign(test('any', [1]), `visitor-${i}`, { seed: 'shop', percentage }).included) held++;
    }
    const share = percentage / 100;
    expect(Math.abs(held - VISITORS * share)).toBeLessThan(4 * Math.sqrt(VISITORS * share * (1 - share)));
  });

  it('is independent between two tests', () => {
    expect(
      Math.abs(correlation(indexes(test('first', [1, 1])), indexes(test('second', [1, 1])))),
    ).toBeLessThan(0.02);
  });

  it('is independent of inclusion', () => {
    const of = test('both draws', [1, 1]);
    const included = Array.from({ length: VISITORS }, (_, i) =>
      assign({ ...of, trafficAllocation: 50 }, `visitor-${i}`).included ? 1 : 0,
    );
    expect(Math.abs(correlation(included, indexes(of)))).toBeLessThan(0.02);
  });
});

function correlation(a: readonly number[], b: readonly number[]): number {
  const mean = (of: readonly number[]) => of.reduce((sum, x) => sum + x, 0) / of.length;
  const [meanA, meanB] = [mean(a), mean(b)];
  let [ab, aa, bb] = [0, 0, 0];
  for (const [i, x] of a.entries()) {
    const [dx, dy] = [x - meanA, (b[i] ?? 0) - meanB];
    ab += dx * dy;
    aa += dx * dx;
    bb += dy * dy;
  }
  return ab / Math.sqrt(aa * bb);
}
