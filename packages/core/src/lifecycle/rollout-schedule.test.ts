import { describe, expect, it } from 'vitest';
import { applyDueSteps, nextStepAt } from './rollout-schedule.ts';

const ROLLOUT = {
  percentage: 1,
  by: 'userId',
  schedule: [
    { at: 100, percentage: 10 },
    { at: 200, percentage: 50 },
    { at: 300, percentage: 100 },
  ],
};

describe('applyDueSteps', () => {
  it('makes the due steps and keeps the others', () => {
    expect(applyDueSteps(ROLLOUT, 99)).toBe(ROLLOUT);
    expect(applyDueSteps(ROLLOUT, 100)).toEqual({
      percentage: 10,
      by: 'userId',
      schedule: ROLLOUT.schedule.slice(1),
    });
    expect(applyDueSteps(ROLLOUT, 299)).toEqual({
      percentage: 50,
      by: 'userId',
      schedule: ROLLOUT.schedule.slice(2),
    });
  });

  it('leaves no schedule after the last step', () => {
    expect(applyDueSteps(ROLLOUT, 300)).toStrictEqual({ percentage: 100, by: 'userId' });
  });

  it('has the same result at once as step by step', () => {
    for (const [first, second] of [
      [100, 250],
      [150, 300],
      [200, 999],
    ] as const) {
      expect(applyDueSteps(applyDueSteps(ROLLOUT, first), second)).toEqual(applyDueSteps(ROLLOUT, second));
    }
  });

  it('leaves a rollout without a schedule alone', () => {
    const rollout = { percentage: 30 };
    expect(applyDueSteps(rollout, 1000)).toBe(rollout);
  });
});

it('the next step is the earliest of all rules', () => {
  const rule = (id: string, rollout?: typeof ROLLOUT) => ({ id, value: true, ...(rollout && { rollout }) });
  const later = { ...ROLLOUT, schedule: ROLLOUT.schedule.slice(1) };
  expect(nextStepAt([rule('a'), rule('b', later), rule('c', ROLLOUT)])).toBe(100);
  for (const rollout of [undefined, { percentage: 1 }]) {
    expect(nextStepAt([{ id: 'a', value: true, ...(rollout && { rollout }) }])).toBe(
      Number.POSITIVE_INFINITY,
    );
  }
  expect(nextStepAt([])).toBe(Number.POSITIVE_INFINITY);
});
