import { decideRollout } from '../../packages/core/dist/stats/rollout/guarded-rollout.js';
import { whole } from '../lib/report.js';
import { checkGuarantee } from './guarantees.js';
import { options } from './random.js';
import { bothPeople, otherPeople, Phase, samePeople } from './rollout-people.js';
import { percent, RATE } from './shop.js';

const LOOKS_A_DAY = 4;
const MAX_MISTAKES = 0.05;
const MARGIN = 0.02;
const GUARDRAILS = ['signup', 'refund', 'visit'].map((id) => ({ id, maxHarm: MARGIN }));
/** The last is the most that a schedule can have. */
const PERCENTAGES = [1, 3, 6, 10, 25, 51];
const VISITORS = [10_000, 100_000];

const PEOPLE = [
  { words: 'others in each', come: () => otherPeople() },
  { words: 'half the same', come: (steps) => bothPeople(steps, LOOKS_A_DAY) },
  { words: 'the same', come: (steps) => samePeople(steps, LOOKS_A_DAY) },
];

/** In equal steps. */
const equalSteps = (count) => Array.from({ length: count }, (_, at) => (100 * (at + 1)) / (count + 1));

/**
 * Every step is made when it is due, unless harm is proven.
 *
 * @param dueAt the look of each percentage from which on the next step may be made
 */
function roll({
  people,
  steps,
  visitors,
  days = 1,
  changeAt,
  guardrails = GUARDRAILS,
  dueAt = days * LOOKS_A_DAY - 1,
}) {
  const come = people.come(steps);
  const phases = [];
  let excluded = false;
  for (const [index, percentage] of steps.entries()) {
    const phase = new Phase(index, percentage, changeAt(index), guardrails.length);
    for (let look = 0; look < days * LOOKS_A_DAY; look++) {
      come(phase, visitors / LOOKS_A_DAY, look);
      phases[index] = snapshot(phase);
      const rollout = {
        guardrails,
        phases,
        skippedPhases: 0,
        plannedPhases: steps.length,
        next: { percentage: 100, at: dueAt },
        minVisitors: 0,
        maxWaitDays: 1,
      };
      const { action, reason } = decideRollout(rollout, look);
      const day = index * days + (look + 1) / LOOKS_A_DAY;
      if (action === 'roll-back') return { isRolledBack: true, excluded, day };
      if (reason === 'safe') excluded = true;
    }
  }
  return { isRolledBack: false, excluded };
}

/** Its effects are computed once. */
const snapshot = ({ percentage, visitorsInside, isComparable, effects }) => ({
  percentage,
  visitorsInside,
  isComparable,
  effects,
});

const ends = (tests, setup) => Array.from({ length: tests }, () => roll(setup));
const shareOf = (all, matches) => all.filter(matches).length / all.length;

function mistakeRows() {
  return PERCENTAGES.flatMap((count) =>
    PEOPLE.map((people) => {
      // With many percentages, a rollout has many looks.
      const tests = Math.ceil(options.tests / Math.max(1, count / 6));
      const setup = { people, steps: equalSteps(count) };
      const mistakes = VISITORS.flatMap((visitors) => {
        const harmless = ends(tests, { ...setup, visitors, changeAt: () => 0 });
        // To be excluded at all, it has to be the only one, and every look may do it.
        const guardrails = GUARDRAILS.slice(0, 1);
        const harmful = ends(tests, { ...setup, visitors, changeAt: () => -MARGIN, guardrails, dueAt: 0 });
        return [shareOf(harmless, (end) => end.isRolledBack), shareOf(harmful, (end) => end.excluded)];
      });
      for (const share of mistakes)
        checkGuarantee('rollouts of returning people', share, 0, MAX_MISTAKES, tests);
      return [`${count}`, people.words, ...mistakes.map((share) => percent(share))];
    }),
  );
}

function harmRows() {
  const tests = Math.ceil(options.tests / 5);
  const steps = [10, 25, 50, 75];
  return [1000, 100_000].flatMap((visitors) =>
    ['start', 'last step'].flatMap((from) =>
      [-0.05, -0.1, -0.3].map((change) => {
        const changeAt = (index) => (from === 'start' || index === steps.length - 1 ? change : 0);
        const found = PEOPLE.map((people) => {
          const all = ends(tests, { people, steps, visitors, days: daysOf(visitors), changeAt });
          const rolledBack = all.filter((end) => end.isRolledBack).map(({ day }) => day);
          const median = rolledBack.toSorted((a, b) => a - b)[Math.floor(rolledBack.length / 2)];
          const share = percent(rolledBack.length / tests);
          return rolledBack.length < tests / 5 ? share : `${share}, day ${Math.ceil(median)}`;
        });
        return [`${Math.round(100 * change)} %`, from, whole(visitors), `${daysOf(visitors)}`, ...found];
      }),
    ),
  );
}

const daysOf = (visitors) => (visitors === 1000 ? 7 : 1);

export const sections = [
  {
    title: `Guarded rollouts whose people come back: mistakes over all percentages, ${whole(options.tests)} rollouts each`,
    header: [
      'percentages',
      'people',
      ...VISITORS.flatMap((visitors) => [
        `rolled back without harm, ${whole(visitors)} a day`,
        `harm of ${100 * MARGIN} % excluded, ${whole(visitors)} a day`,
      ]),
    ],
    rows: mistakeRows,
  },
  {
    title: `Guarded rollouts whose people come back: harm to one of three guardrails with a rate of ${100 * RATE} %, found at 10 % → 25 % → 50 % → 75 %, ${whole(Math.ceil(options.tests / 5))} rollouts each`,
    header: ['harm', 'from', 'visitors a day', 'days of a step', ...PEOPLE.map(({ words }) => words)],
    rows: harmRows,
  },
];
