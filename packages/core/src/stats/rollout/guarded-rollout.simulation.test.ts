import { expect, it } from 'vitest';
import { DAY_MS } from '../../time.ts';
import { proportionArm } from '../arm.ts';
import { decideRollout, type RolloutPhase } from './guarded-rollout.ts';
import { NO_EFFECT_YET, phaseEffect } from './phase-effect.ts';

const SEED = 20_261_121;
const STEPS = [20, 40, 60];
const LOOKS = 12;
const VISITORS = 150;
const GUARDRAILS = [
  { id: 'signup', maxHarm: 0.02 },
  { id: 'renewal', maxHarm: 0.02 },
];

/** What a rollout ends with: the guardrails that were harmed; none if it went through all steps. */
function harmedIn(random: () => number, rateInside: number): readonly string[] {
  const phases: RolloutPhase[] = [];
  for (const percentage of STEPS) {
    const counts = GUARDRAILS.map(() => ({ inside: { n: 0, sum: 0 }, outside: { n: 0, sum: 0 } }));
    phases.push({ percentage, visitorsInside: 0, isComparable: true, effects: [] });
    for (let look = 0; look < LOOKS; look++) {
      for (const [at, { inside, outside }] of counts.entries()) {
        for (let visitor = 0; visitor < VISITORS; visitor++) {
          const isInside = visitor < (VISITORS * percentage) / 100;
          const side = isInside ? inside : outside;
          side.n++;
          if (random() < (isInside && at === 1 ? rateInside : 0.2)) side.sum++;
        }
      }
      const effects = counts.map(({ inside, outside }) => {
        const effect = phaseEffect(proportionArm(outside), proportionArm(inside), { metric: 'proportion' });
        return { everybody: effect, newcomers: effect };
      });
      phases[phases.length - 1] = { ...phases.at(-1)!, visitorsInside: counts[0]!.inside.n, effects };
      const rollout = {
        guardrails: GUARDRAILS,
        phases,
        skippedPhases: 0,
        plannedPhases: STEPS.length,
        next: { percentage: 100, at: 0 },
        minVisitors: null,
        maxWaitDays: 1,
      };
      const decision = decideRollout(rollout, DAY_MS);
      if (decision.action === 'roll-back') return decision.harmed;
    }
  }
  return [];
}

it(`rolls back at most 5 % of the rollouts without harm, over all steps and guardrails (seed ${SEED})`, () => {
  const random = randomFrom(SEED);
  const rollouts = 200;
  const ends = Array.from({ length: rollouts }, () => harmedIn(random, 0.2));
  expect(ends.filter((harmed) => harmed.length > 0).length / rollouts).toBeLessThanOrEqual(0.05);
});

it(`rolls back what takes a third of a guardrail, and names it (seed ${SEED})`, () => {
  const random = randomFrom(SEED);
  const ends = Array.from({ length: 40 }, () => harmedIn(random, 0.13));
  expect(
    ends.filter(([first, ...others]) => first === 'renewal' && others.length === 0).length,
  ).toBeGreaterThan(36);
});

it(`rolls back as few if the same people come in each of ten phases, and excludes no harm (seed ${SEED})`, () => {
  const random = randomFrom(SEED);
  const rollouts = 300;
  const ends = Array.from({ length: rollouts }, () => mistakesAmongTheSame(random));
  expect(ends.filter(({ isRolledBack }) => isRolledBack).length / rollouts).toBeLessThanOrEqual(0.05);
  expect(ends.filter(({ isSafe }) => isSafe).length / rollouts).toBeLessThanOrEqual(0.05);
});

/** Without an effect, everybody does the same in each phase. So harm of nothing at all must not be excluded either. */
function mistakesAmongTheSame(random: () => number) {
  const percentages = [10, 18, 26, 34, 42, 50, 58, 66, 74, 82];
  const people = Array.from({ length: 1000 }, () => random() < 0.2);
  const phases = percentages.map((percentage, index): RolloutPhase => {
    const n = people.length * (percentage / 100);
    const [inside, outside] = [people.slice(0, n), people.slice(n)].map((group) =>
      proportionArm({ n: group.length, sum: group.filter(Boolean).length }),
    );
    const effect = phaseEffect(outside!, inside!, { metric: 'proportion' });
    const effects = [{ everybody: effect, newcomers: index === 0 ? effect : NO_EFFECT_YET }];
    return { percentage, visitorsInside: n, isComparable: true, effects };
  });
  const decisions = phases.map((_, at) =>
    decideRollout(
      {
        guardrails: [{ id: 'signup', maxHarm: 0 }],
        phases: phases.slice(0, at + 1),
        skippedPhases: 0,
        plannedPhases: phases.length,
        next: { percentage: 100, at: 0 },
        minVisitors: null,
        maxWaitDays: 1,
      },
      0,
    ),
  );
  return {
    isRolledBack: decisions.some(({ action }) => action === 'roll-back'),
    isSafe: decisions.some(({ action }) => action === 'go'),
  };
}

/** A linear congruential generator; its high bits are random enough here. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
