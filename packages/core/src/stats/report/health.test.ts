import { describe, expect, it } from 'vitest';
import { sumVisitors } from '../../testing/sum-visitors.ts';
import { meanArm, proportionArm } from '../arm.ts';
import { checkHealth, collectingOf, type HealthInput } from './health.ts';
import { noveltyOf } from './novelty.ts';

const HEALTHY: HealthInput = {
  variations: [
    { key: 'a', visitors: 5000, weight: 50, conversions: 300 },
    { key: 'b', visitors: 5080, weight: 50, conversions: 320 },
  ],
  mixedVisitors: 50,
  dailyVisitors: [1400, 1500, 1450, 1390, 1440, 1460, 1440],
};

const withVisitors = (a: number, b: number, weights = [50, 50]): HealthInput => ({
  variations: [
    { key: 'a', visitors: a, weight: weights[0]! },
    { key: 'b', visitors: b, weight: weights[1]! },
  ],
  mixedVisitors: 0,
});

const problems = (input: HealthInput) => checkHealth(input).map(({ problem }) => problem);

it('finds no problems in a healthy test or in a test without visitors', () => {
  expect(checkHealth(HEALTHY)).toEqual([]);
  expect(checkHealth(withVisitors(0, 0))).toEqual([]);
});

describe('sample ratio mismatch', () => {
  it('is an alarm below p = 0.001', () => {
    // P-values of 0.00106 and 0.00098; a single chi-square test would already alarm at 165.
    expect(problems(withVisitors(5000 - 224, 5000 + 224))).toEqual([]);
    expect(problems(withVisitors(5000 - 225, 5000 + 225))).toEqual(['sample-ratio-mismatch']);
  });

  it('compares with the weights', () => {
    expect(problems(withVisitors(9000, 1000, [90, 10]))).toEqual([]);
    expect(problems(withVisitors(9000, 1000))).toEqual(['sample-ratio-mismatch']);
  });

  it('needs at least 100 visitors', () => {
    expect(problems(withVisitors(80, 19))).toEqual([]);
    expect(problems(withVisitors(81, 19))).toEqual(['sample-ratio-mismatch']);
  });
});

it('tolerates up to 1 % of visitors with more than one variation', () => {
  expect(problems({ ...HEALTHY, mixedVisitors: 101 })).toEqual([]);
  expect(checkHealth({ ...HEALTHY, mixedVisitors: 102 })).toEqual([
    { problem: 'mixed-visitors', mixed: 102, share: 102 / 10182 },
  ]);
});

describe('conversions', () => {
  const converted = (...conversions: number[]): HealthInput => ({
    ...HEALTHY,
    goal: 'Sign-ups',
    variations: HEALTHY.variations.map((it, index) => ({ ...it, conversions: conversions[index]! })),
  });

  it('are collected until 25 are expected in the smallest variation', () => {
    expect(collectingOf(converted(20, 29))).toEqual({ conversions: 49, required: 50 });
    expect(collectingOf(converted(20, 30))).toBeNull();
    const [a, b] = converted(200, 40).variations;
    const uneven = {
      ...HEALTHY,
      variations: [
        { ...a!, weight: 90 },
        { ...b!, weight: 10 },
      ],
    };
    expect(collectingOf(uneven)).toEqual({ conversions: 240, required: 250 });
    expect(collectingOf(withVisitors(0, 0))).toEqual({ conversions: 0, required: 50 });
    expect(checkHealth(converted(3, 4))).toEqual([]);
  });

  it('that are all missing in one variation are a problem', () => {
    expect(checkHealth(converted(0, 49))).toEqual([]);
    expect(checkHealth(converted(0, 300))).toMatchObject([
      {
        problem: 'missing-conversions',
        variation: 'a',
        goal: 'Sign-ups',
        expected: expect.closeTo(148.8, 1),
      },
    ]);
  });
});

it('detects days and variations without exposures', () => {
  expect(checkHealth({ ...HEALTHY, dailyVisitors: [300, 0, 280, 0, 310] })).toEqual([
    { problem: 'missing-exposures', variations: [], days: 2 },
  ]);
  expect(problems({ ...HEALTHY, dailyVisitors: [3, 0, 2, 1] })).toEqual([]);
  expect(problems(withVisitors(200, 0))).toEqual(['sample-ratio-mismatch', 'missing-exposures']);
  expect(problems(withVisitors(200, 0, [100, 0]))).toEqual([]);
});

describe('novelty', () => {
  const arm = (level: number) => meanArm(sumVisitors(Array.from({ length: 500 }, (_, i) => level + (i % 5))));

  it('is an early effect that later visitors do not show', () => {
    const faded = noveltyOf(
      { control: arm(10), variation: arm(12) },
      { control: arm(10), variation: arm(10.1) },
    );
    // The arms average 12 and 14, then 12 and 12.1.
    expect(faded).toMatchObject({ early: expect.closeTo(1 / 6, 9), unit: 'relative' });
    const [a, b] = HEALTHY.variations;
    const found = checkHealth({ ...HEALTHY, variations: [a!, { ...b!, novelty: faded }] });
    expect(found).toMatchObject([{ problem: 'novelty', variation: 'b' }]);
  });

  it('is not caused by the longer time that early visitors have had to convert', () => {
    const rates = (control: number, variation: number) => ({
      control: proportionArm({ n: 150_000, sum: control }),
      variation: proportionArm({ n: 150_000, sum: variation }),
    });
    expect(noveltyOf(rates(15_000, 18_000), rates(9000, 10_800))?.pValue).toBeCloseTo(1, 9);
  });

  it('compares differences if a mean is not positive', () => {
    const pair = { control: arm(-10), variation: arm(-9) };
    const later = { control: arm(-10), variation: arm(-10) };
    expect(noveltyOf(pair, later)).toMatchObject({ early: 1, late: 0, unit: 'absolute' });
  });

  it('is not reported for a lasting or unknown effect', () => {
    const pair = { control: arm(10), variation: arm(11) };
    expect(noveltyOf(pair, pair)).toMatchObject({ pValue: 1 });
    const empty = { control: arm(10), variation: meanArm({ n: 0, sum: 0, sumSquares: 0 }) };
    expect(noveltyOf(pair, empty)).toBeNull();
  });
});
