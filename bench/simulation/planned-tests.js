import { boundariesOf } from '../../packages/core/dist/stats/group-sequential/boundaries.js';
import { futilityBoundary } from '../../packages/core/dist/stats/group-sequential/futility.js';
import { planTest } from '../../packages/core/dist/stats/planner.js';
import { ScoreTest } from '../../packages/core/dist/stats/score-test.js';
import { checkAtLeast, checkGuarantee } from './guarantees.js';
import { binomial, options } from './random.js';
import { percent, RATE } from './shop.js';

const DAYS = 28;
const LOOKS_PER_DAY = 8;
const EFFECT = 0.25;
const CRITICAL = 1.959963984540054;
const TESTS = 5 * options.tests;

const fractions = Array.from({ length: DAYS }, (_, index) => (index + 1) / DAYS);
const criticals = Object.fromEntries(
  ['obrien-fleming', 'pocock'].map((spending) => [
    spending,
    boundariesOf(fractions, spending).cutCriticals(0.05),
  ]),
);
const futilities = fractions.map((fraction) => futilityBoundary(fraction, 0.05));

/** The size at which a test that is evaluated once finds the effect in 80 % of the cases. */
const size = planTest({
  method: 'frequentist',
  baseline: { metric: 'proportion', rate: RATE },
  smallestEffect: { kind: 'relative', value: EFFECT },
}).visitorsPerVariation;

const RULES = {
  'once, at the end': { isSignificant: (day, z) => day === DAYS && z > CRITICAL },
  "every day, O'Brien-Fleming": { isSignificant: (day, z) => z > criticals['obrien-fleming'][day - 1] },
  'every day, Pocock': { isSignificant: (day, z) => z > criticals.pocock[day - 1] },
  "every day, O'Brien-Fleming, stopping when hopeless": {
    isSignificant: (day, z) => z > criticals['obrien-fleming'][day - 1],
    isHopeless: (day, z) => z < futilities[day - 1],
  },
  [`${LOOKS_PER_DAY} times a day, O'Brien-Fleming of the day before`]: {
    looks: LOOKS_PER_DAY,
    isSignificant: (day, z, isMidnight) =>
      z > (criticals['obrien-fleming'][day - (isMidnight ? 1 : 2)] ?? Infinity),
  },
};

/** Share of tests that found a difference, and the mean share of the planned visitors that they used. */
function simulateMany(uplift) {
  const found = Object.fromEntries(Object.keys(RULES).map((name) => [name, { significant: 0, used: 0 }]));
  const steps = DAYS * LOOKS_PER_DAY;
  for (let test = 0; test < TESTS; test++) {
    const open = new Map(Object.entries(RULES));
    const [a, b] = [
      { n: 0, converted: 0 },
      { n: 0, converted: 0 },
    ];
    for (let step = 1; step <= steps && open.size > 0; step++) {
      const n = Math.round((size * step) / steps);
      a.converted += binomial(n - a.n, RATE);
      b.converted += binomial(n - b.n, RATE * (1 + uplift));
      [a.n, b.n] = [n, n];
      const isMidnight = step % LOOKS_PER_DAY === 0;
      const day = Math.ceil(step / LOOKS_PER_DAY);
      const z = Math.abs(new ScoreTest(a, b).z);
      for (const [name, { looks, isSignificant, isHopeless }] of open) {
        if (!isMidnight && looks === undefined) continue;
        const significant = isSignificant(day, z, isMidnight);
        if (!significant && !isHopeless?.(day, z) && step < steps) continue;
        found[name].significant += Number(significant) / TESTS;
        found[name].used += step / steps / TESTS;
        open.delete(name);
      }
    }
  }
  return found;
}

function plannedRows() {
  const [none, effect] = [simulateMany(0), simulateMany(EFFECT)];
  const daily = "every day, O'Brien-Fleming";
  for (const name of Object.keys(RULES).slice(0, 4)) {
    checkGuarantee(`planned test, ${name}, false alarms`, none[name].significant, 0, 0.05, TESTS);
  }
  const loss = effect['once, at the end'].significant - effect[daily].significant;
  checkAtLeast('planned test, power within two points of a single look', 0.02 - loss, 0);
  checkAtLeast('planned test, visitors saved with an effect', 1 - effect[daily].used, 0.2);
  return Object.keys(RULES).map((name) => [
    name,
    percent(none[name].significant),
    percent(effect[name].significant),
    percent(effect[name].used),
    percent(none[name].used),
  ]);
}

export const sections = [
  {
    title: `Planned tests: ${TESTS.toLocaleString('en-US')} tests of 2 × ${size.toLocaleString('en-US')} visitors over ${DAYS} days, planned for +${100 * EFFECT} % on a conversion rate of ${100 * RATE} %`,
    header: [
      'evaluated',
      'false alarms',
      'effect found',
      'visitors used with the effect',
      'visitors used without',
    ],
    rows: plannedRows,
  },
];
