import { decideRollout } from '../../packages/core/dist/stats/rollout/guarded-rollout.js';
import { whole } from '../lib/report.js';
import { checkAtLeast, checkGuarantee } from './guarantees.js';
import { options } from './random.js';
import { DAY_MS } from './reports.js';
import { otherPeople, Phase } from './rollout-people.js';
import { percent, RATE } from './shop.js';

const STEPS = [1, 5, 25, 50, 100];
const LARGE_STEPS = [10, 25, 50, 100];
const LOOKS_A_DAY = 4;
const MAX_DAYS = 60;
const MAX_WAIT_DAYS = 14;
const MAX_FALSE_ROLL_BACKS = 0.05;
const GUARDRAILS = ['signup', 'refund', 'visit'].map((id) => ({ id, maxHarm: 0.02 }));

/** What becomes of a rollout: the day on which it ends, and the visitors inside until then. */
function roll({ visitors, change, minVisitors, steps = STEPS }) {
  const come = otherPeople();
  const phases = [new Phase(0, steps[0], change, GUARDRAILS.length)];
  let [dueAt, looks] = [1, 0];
  for (let look = 1; look <= MAX_DAYS * LOOKS_A_DAY; look++) {
    const day = look / LOOKS_A_DAY;
    come(phases.at(-1), visitors / LOOKS_A_DAY, looks++);
    const next = { percentage: steps[phases.length], at: dueAt * DAY_MS };
    const rollout = {
      guardrails: GUARDRAILS,
      phases,
      skippedPhases: 0,
      plannedPhases: steps.length - 1,
      next,
      minVisitors,
      maxWaitDays: MAX_WAIT_DAYS,
    };
    const { action } = decideRollout(rollout, day * DAY_MS);
    const inside = phases.reduce((sum, { visitorsInside }) => sum + visitorsInside, 0);
    if (action === 'roll-back') return { outcome: 'rolled back', day, inside };
    if (action !== 'go') continue;
    if (next.percentage === 100) return { outcome: 'finished', day, inside };
    phases.push(new Phase(phases.length, next.percentage, change, GUARDRAILS.length));
    [dueAt, looks] = [Math.floor(day) + 1, 0];
  }
  return { outcome: 'stays', day: MAX_DAYS };
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const SETUPS = [
  { visitors: 1000, minVisitors: 100 },
  { visitors: 1000, minVisitors: 1000 },
  { visitors: 1000, minVisitors: 1000, steps: LARGE_STEPS },
  { visitors: 100_000, minVisitors: 1000 },
  { visitors: 100_000, minVisitors: 10_000 },
  { visitors: 100_000, minVisitors: null },
];

function shares(tests, setup) {
  const ends = Array.from({ length: tests }, () => roll(setup));
  const of = (outcome) => ends.filter((end) => end.outcome === outcome);
  return { of, share: (outcome) => of(outcome).length / tests };
}

const words = ({ visitors, minVisitors, steps = STEPS }) => [
  whole(visitors),
  `${steps[0]} %`,
  minVisitors === null ? 'until harm is excluded' : whole(minVisitors),
];

function falseRows() {
  const tests = options.tests;
  return SETUPS.map((setup) => {
    const { of, share } = shares(tests, { ...setup, change: 0 });
    checkGuarantee('rollouts without harm', share('rolled back'), 0, MAX_FALSE_ROLL_BACKS, tests);
    const days = of('finished').map(({ day }) => day);
    return [
      ...words(setup),
      percent(share('rolled back')),
      percent(share('finished')),
      days.length < tests / 20 ? '' : `day ${Math.ceil(median(days))}`,
      percent(share('stays')),
    ];
  });
}

function harmRows() {
  const tests = Math.ceil(options.tests / 4);
  return SETUPS.flatMap((setup) =>
    [-0.05, -0.1, -0.3].map((change) => {
      const { of, share } = shares(tests, { ...setup, change });
      if (change <= -0.3 && setup.visitors > 1000)
        checkAtLeast('rollouts, harm of 30 %', share('rolled back'), 0.95);
      const stopped = of('rolled back');
      const isKnown = stopped.length >= tests / 20;
      return [
        `${Math.round(100 * change)} %`,
        ...words(setup),
        percent(share('rolled back')),
        isKnown ? `day ${Math.ceil(median(stopped.map(({ day }) => day)))}` : '',
        isKnown ? whole(median(stopped.map(({ inside }) => inside))) : '',
        percent(share('finished')),
      ];
    }),
  );
}

export const sections = [
  {
    title: `Guarded rollouts without harm: 1 % → 5 % or 10 % → 25 % → 50 % → 100 %, three guardrails with a rate of ${100 * RATE} %, ${LOOKS_A_DAY} looks a day for ${MAX_DAYS} days, ${whole(options.tests)} rollouts each`,
    header: [
      'visitors a day',
      'first step',
      'visitors inside for a step',
      'rolled back by mistake',
      'finished',
      'median day',
      'not finished',
    ],
    rows: falseRows,
  },
  {
    title: `Guarded rollouts that do harm: one of three guardrails gets worse, ${whole(Math.ceil(options.tests / 4))} rollouts each`,
    header: [
      'harm',
      'visitors a day',
      'first step',
      'visitors inside for a step',
      'rolled back',
      'median day',
      'visitors inside by then',
      'finished nevertheless',
    ],
    rows: harmRows,
  },
];
