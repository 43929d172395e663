import { describe, expect, it } from 'vitest';
import { aaGoal, aaVerdictOn, side } from '../../testing/aa-rounds.ts';
import { checkHealth, collectingOf, type HealthInput } from './health.ts';

// The last value that is fine, and the first that is not.

const input = (
  visitors: readonly number[],
  more: Partial<HealthInput> = {},
  each: object = {},
): HealthInput => ({
  variations: visitors.map((own, index) => ({ key: 'abc'[index]!, visitors: own, weight: 1, ...each })),
  mixedVisitors: 0,
  ...more,
});

describe('a wrong split', () => {
  it('has the visitors that were expected by the weights', () => {
    const weights = [1, 1, 2];
    const given = input([1000, 2000, 3000]);
    const variations = given.variations.map((it, index) => ({ ...it, weight: weights[index]! }));
    expect(checkHealth({ ...given, variations })).toEqual([
      {
        problem: 'sample-ratio-mismatch',
        pValue: expect.any(Number),
        visitors: [
          { key: 'a', visitors: 1000, expected: 1500 },
          { key: 'b', visitors: 2000, expected: 1500 },
          { key: 'c', visitors: 3000, expected: 3000 },
        ],
      },
    ]);
  });

  it('is that of what visitors saw first', () => {
    const given = input([1000, 2000]);
    const variations = given.variations.map((it) => ({ ...it, firstVisitors: 1500 }));
    expect(checkHealth({ ...given, variations })).toEqual([]);
    const wrong = input([1500, 1500]).variations.map((it, index) => ({
      ...it,
      firstVisitors: 1000 + 1000 * index,
    }));
    expect(checkHealth({ ...given, variations: wrong })).toMatchObject([
      { visitors: [{ visitors: 1000, expected: 1500 }, { visitors: 2000 }] },
    ]);
  });
});

describe('missing exposures', () => {
  const gaps = (dailyVisitors: readonly number[]) => {
    const [found] = checkHealth(input([500, 500], { dailyVisitors }));
    return found?.problem === 'missing-exposures' ? found.days : 0;
  };

  it('are days without any, if the median day has 20', () => {
    expect([gaps([20, 20, 0]), gaps([19, 19, 0])]).toEqual([1, 0]);
    expect(gaps([0, 900, 3, 25, 30])).toBe(1);
    expect(gaps([900, 0, 3, 4, 30])).toBe(0);
    expect([gaps([]), gaps([0])]).toEqual([0, 0]);
  });

  it('are variations with a weight but without visitors, if all have 100', () => {
    const found = (visitors: readonly number[], dailyVisitors: readonly number[] = []) =>
      checkHealth(input(visitors, { dailyVisitors })).filter(
        ({ problem }) => problem === 'missing-exposures',
      );
    expect(found([100, 0, 0])).toEqual([{ problem: 'missing-exposures', variations: ['b', 'c'], days: 0 }]);
    expect(found([99, 0, 0])).toEqual([]);
    expect(found([100, 0, 1], [20, 20, 0])).toEqual([
      { problem: 'missing-exposures', variations: ['b'], days: 1 },
    ]);
  });
});

it('visitors of several variations are a problem beyond 1 %', () => {
  expect(checkHealth(input([99, 99], { mixedVisitors: 2 }))).toEqual([]);
  expect(checkHealth(input([98, 99], { mixedVisitors: 2 }))).toEqual([
    { problem: 'mixed-visitors', mixed: 2, share: 2 / 199 },
  ]);
});

describe('conversions', () => {
  const converted = (visitors: readonly number[], conversions: readonly number[]) => {
    const given = input(visitors, { goal: 'Sign-ups' });
    return {
      ...given,
      variations: given.variations.map((it, index) => ({ ...it, conversions: conversions[index]! })),
    };
  };

  it('are missing if 25 are expected', () => {
    expect(checkHealth(converted([1000, 1000], [0, 50]))).toEqual([
      { problem: 'missing-conversions', variation: 'a', goal: 'Sign-ups', expected: 25 },
    ]);
    expect(checkHealth(converted([1000, 1000], [0, 49]))).toEqual([]);
    expect(checkHealth(converted([1000, 1000], [1, 99]))).toEqual([]);
  });

  it('are collected for variations with a weight', () => {
    const given = converted([1000, 1000, 0], [20, 29, 0]);
    const variations = given.variations.map((it, index) => ({ ...it, weight: index === 2 ? 0 : 3 }));
    expect(collectingOf({ ...given, variations })).toEqual({ conversions: 49, required: 50 });
  });
});

describe('an A/A test', () => {
  it('needs 100 visitors, and 50 conversions of a goal', () => {
    expect(aaVerdictOn([side(50, 25), side(50, 24)])).toMatchObject({
      verdict: 'collecting',
      splitPValue: 1,
      goals: [{ pValue: null }],
    });
    expect(aaVerdictOn([side(50, 25), side(50, 25)])).toMatchObject({
      verdict: 'sound',
      goals: [{ pValue: 1 }],
    });
    expect(aaVerdictOn([side(50, 25), side(49, 25)])).toMatchObject({
      verdict: 'collecting',
      splitPValue: null,
    });
  });

  it('has the probability that all conversions are in one variation by chance', () => {
    expect(aaVerdictOn([side(3000, 0), side(3000, 50)]).goals[0]!.pValue).toBe(2 ** -49);
    expect(aaVerdictOn([side(3000, 51), side(3000, 0)]).goals[0]!.pValue).toBe(2 ** -50);
  });

  it('corrects for its goals by Holm', () => {
    const goals = ['signup', 'order'].map((id) => aaGoal(id));
    const alone = aaVerdictOn([side(3000, 300), side(3000, 350)]).goals[0]!.pValue!;
    const { goals: both } = aaVerdictOn(
      [side(3000, 300, { order: 90 }), side(3000, 350, { order: 90 })],
      goals,
    );
    expect(both[0]!.pValue! / Math.min(1, 2 * alone)).toBeCloseTo(1, 12);
  });

  it('reports problems of tracking, but not fading effects', () => {
    const recorded = { mode: 'exposures', mixed: 500 } as const;
    const { verdict, words } = aaVerdictOn([side(3000, 150), side(3000, 150)], undefined, recorded);
    expect(verdict).toBe('alarm');
    expect(words).toMatch(/^Alarm: 500 visitors \(7\.7 %\) saw more than one variation/);
    // A wrong split is reported once.
    const split = aaVerdictOn([side(3600, 150), side(3000, 150)], undefined, { mode: 'exposures' });
    expect(split.words.match(/split/g)).toHaveLength(1);
    expect(aaVerdictOn([side(0, 0), side(0, 0)], [], { mode: 'exposures' }).goals).toEqual([]);
  });
});
