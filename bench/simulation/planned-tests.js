import { futilityBoundary } from '../../packages/core/dist/stats/group-sequential/futility.js';
import { monitoredCritical } from '../../packages/core/dist/stats/group-sequential/monitoring.js';
import { planTest } from '../../packages/core/dist/stats/planner.js';
import { RateIntervals } from '../../packages/core/dist/stats/rate-intervals.js';
import { whole } from '../lib/report.js';
import { checkAtLeast, checkGuarantee } from './guarantees.js';
import { binomial, options } from './random.js';
import { percent, RATE } from './shop.js';

const DAYS = 28;
/** Half an hour. */
const STEPS_PER_DAY = 48;
const STEPS = DAYS * STEPS_PER_DAY;
const EFFECT = 0.25;
const CRITICAL = 1.959963984540054;
const TESTS = 4 * options.tests;

/** The size at which a test that is evaluated once finds the effect in 80 % of the cases. */
const size = planTest({
  method: 'frequentist',
  baseline: { metric: 'proportion', rate: RATE },
  smallestEffect: { kind: 'relative', value: EFFECT },
}).visitorsPerVariation;

const stepsOf = (of) => Array.from({ length: STEPS }, (_, index) => of((index + 1) / STEPS));

/** Criticals are computed when they are first needed, because those of Pocock take a second. */
const rulesOf = () => {
  const critical = (spending) => stepsOf((fraction) => monitoredCritical({ fraction, spending }, 0.05));
  const [obrienFleming, pocock] = ['obrien-fleming', 'pocock'].map(critical);
  const futilities = stepsOf((fraction) => futilityBoundary(fraction, 0.05));
  const once = stepsOf((fraction) => (fraction === 1 ? CRITICAL : Number.POSITIVE_INFINITY));
  const everyDay = STEPS_PER_DAY;
  return [
    { name: 'once, at the end', every: STEPS, criticals: once },
    { name: "every day, O'Brien-Fleming", every: everyDay, criticals: obrienFleming },
    { name: "8 times a day, O'Brien-Fleming", every: everyDay / 8, criticals: obrienFleming },
    { name: "48 times a day, O'Brien-Fleming", every: 1, criticals: obrienFleming },
    {
      name: "every day, O'Brien-Fleming, stopping when hopeless",
      every: everyDay,
      criticals: obrienFleming,
      futilities,
    },
    {
      name: "48 times a day, O'Brien-Fleming, stopping when hopeless",
      every: 1,
      criticals: obrienFleming,
      futilities,
    },
    { name: 'every day, Pocock', every: everyDay, criticals: pocock },
    { name: '8 times a day, Pocock', every: everyDay / 8, criticals: pocock },
    { name: '48 times a day, Pocock', every: 1, criticals: pocock },
  ];
};

/** Share of tests that found a difference, and the mean share of the planned visitors that they used. */
function simulateMany(rules, uplift) {
  const found = rules.map(() => ({ significant: 0, used: 0 }));
  for (let test = 0; test < TESTS; test++) {
    let open = rules.map((rule, index) => ({ ...rule, index }));
    const [a, b] = [
      { n: 0, converted: 0 },
      { n: 0, converted: 0 },
    ];
    for (let step = 1; step <= STEPS && open.length > 0; step++) {
      const n = Math.round((size * step) / STEPS);
      a.converted += binomial(n - a.n, RATE);
      b.converted += binomial(n - b.n, RATE * (1 + uplift));
      [a.n, b.n] = [n, n];
      const z = Math.abs(new RateIntervals(a, b).z);
      open = open.filter(({ every, criticals, futilities, index }) => {
        if (step % every !== 0) return true;
        const significant = z > criticals[step - 1];
        if (!significant && !(z < futilities?.[step - 1]) && step < STEPS) return true;
        found[index].significant += Number(significant) / TESTS;
        found[index].used += step / STEPS / TESTS;
        return false;
      });
    }
  }
  return found;
}

function plannedRows() {
  const rules = rulesOf();
  const [none, effect] = [simulateMany(rules, 0), simulateMany(rules, EFFECT)];
  for (const [index, { name }] of rules.entries())
    checkGuarantee(`planned test, ${name}, false alarms`, none[index].significant, 0, 0.05, TESTS);
  const loss = effect[0].significant - effect[3].significant;
  checkAtLeast('planned test, power within five points of a single look', 0.05 - loss, 0);
  checkAtLeast('planned test, visitors saved with an effect', 1 - effect[1].used, 0.15);
  return rules.map(({ name }, index) => [
    name,
    percent(none[index].significant),
    percent(effect[index].significant),
    percent(effect[index].used),
    percent(none[index].used),
  ]);
}

export const sections = [
  {
    title: `Planned tests: ${whole(TESTS)} tests of 2 × ${whole(size)} visitors over ${DAYS} days, +${100 * EFFECT} % on a conversion rate of ${100 * RATE} %`,
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
