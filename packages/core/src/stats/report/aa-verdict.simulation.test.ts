import { expect, it } from 'vitest';
import { AA_ROUND_DAYS } from '../../lifecycle/aa-test.ts';
import { aaGoal, aaVerdictOn, side } from '../../testing/aa-rounds.ts';
import { AA_METHOD } from './aa-method.ts';

const SEED = 20_261_115;

it(`an A/A test raises an alarm by chance in at most 5 % of rounds that are checked daily (seed ${SEED})`, () => {
  const random = randomFrom(SEED);
  const goals = ['signup', 'order'].map((id) => aaGoal(id));
  const rounds = 200;
  let alarms = 0;
  for (let round = 0; round < rounds; round++) {
    const sides = [side(0, 0, { order: 0 }), side(0, 0, { order: 0 })] as const;
    const isAlarm = Array.from({ length: AA_ROUND_DAYS }, () => {
      for (let visitor = 0; visitor < 60; visitor++) {
        const own = sides[random() < 0.5 ? 0 : 1];
        own.visitors++;
        if (random() < 0.2) own.converted!.signup!++;
        if (random() < 0.06) own.converted!.order!++;
      }
      return aaVerdictOn(sides, goals).verdict === 'alarm';
    });
    if (isAlarm.includes(true)) alarms++;
  }
  expect(alarms / rounds).toBeLessThanOrEqual(AA_METHOD.falseAlarms);
});

/** A linear congruential generator; its high bits are random enough here. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
