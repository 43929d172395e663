import { normalSurvival } from '../../packages/core/dist/stats/distributions/normal.js';
import { futilityBoundary } from '../../packages/core/dist/stats/group-sequential/futility.js';
import {
  monitoredCritical,
  monitoredPValue,
} from '../../packages/core/dist/stats/group-sequential/monitoring.js';
import { adjustPValues } from '../../packages/core/dist/stats/multiple-testing.js';
import { planTest } from '../../packages/core/dist/stats/planner.js';
import { RateIntervals } from '../../packages/core/dist/stats/rate-intervals.js';
import { MIN_CONVERSIONS } from '../../packages/core/dist/stats/report/health.js';
import { sequentialCritical, sequentialPValue } from '../../packages/core/dist/stats/sequential.js';
import { whole } from '../lib/report.js';
import { checkAtLeast, violations } from './guarantees.js';
import { binomial, options } from './random.js';
import { goalOf, rateGroup, reportOf } from './reports.js';
import { percent, RATE } from './shop.js';

const LOOKS = 28;
const EFFECT = 0.25;
const CRITICAL = 1.959963984540054;
const SEQUENTIAL_N = 5000;
const TESTS = 2 * options.tests;
/** One in so many decisions is compared with that of a complete report, which has all goals. */
const CHECKED = 40;
const PLANNED = 0.8;
/** Planned and found power must agree to two points, with 3 standard errors for chance. */
const TOLERANCE = 0.02 + 3 * Math.sqrt((PLANNED * (1 - PLANNED)) / TESTS);

const planFor = (method, variations, spending) =>
  planTest({
    method,
    spending,
    variations,
    baseline: { metric: 'proportion', rate: RATE },
    smallestEffect: { kind: 'relative', value: EFFECT },
  }).visitorsPerVariation;

/** Visitors of each variation at each look, with the least that a statistic must exceed. */
function looksOf({ method, size, spending }) {
  if (method === 'frequentist') return [{ n: size, critical: CRITICAL }];
  return Array.from({ length: LOOKS }, (_, index) => {
    const n = Math.round((size * (index + 1)) / LOOKS);
    const fraction = n / size;
    return {
      n,
      critical:
        method === 'sequential'
          ? sequentialCritical(2 * n, 0.05, SEQUENTIAL_N)
          : monitoredCritical({ fraction, spending }, 0.05),
      futility: method === 'sequential' ? 0 : futilityBoundary(fraction, 0.05),
    };
  });
}

function pValueOf(method, z, n, size, spending) {
  if (method === 'frequentist') return 2 * normalSurvival(Math.abs(z));
  if (method === 'sequential') return sequentialPValue(z * z, 2 * n, 0.05, SEQUENTIAL_N);
  return monitoredPValue({ fraction: n / size, spending }, z);
}

/** The decision of a report on the same counts, with goals that the variations do not change. */
function reportedDecision({ method, size, goals, spending }, arms) {
  const names = Array.from({ length: goals }, (_, index) => `goal-${index}`);
  const keys = arms.map((_, index) => `v${index}`);
  const groups = arms.map(({ n, converted }, index) => {
    const counts = names.map((id, goal) => [id, goal === 0 ? converted : binomial(n, RATE)]);
    return rateGroup(keys[index], n, Object.fromEntries(counts));
  });
  const report = reportOf({
    keys,
    days: LOOKS,
    goals: names.map((id, goal) => goalOf(id, goal === 0 ? 'primary' : 'secondary')),
    groups,
    statistics: { engine: method, spending },
    plannedVisitors: method === 'sequential' ? null : size * arms.length,
  });
  return report.verdicts[0].decision;
}

/** Whether variation 1 can be shipped: its p-value is corrected for the number of variations. */
function canShip({ method, size, spending }, arms, n) {
  const pValues = arms
    .slice(1)
    .map((arm) => pValueOf(method, new RateIntervals(arms[0], arm).z, n, size, spending));
  const conversions = arms.reduce((sum, { converted }) => sum + converted, 0);
  return adjustPValues(pValues, 'holm')[0] < 0.05 && conversions >= MIN_CONVERSIONS * arms.length;
}

/** Variation 1 has the effect, the others have none. */
function simulate(plan, looks, isChecked) {
  const arms = Array.from({ length: plan.variations }, () => ({ n: 0, converted: 0 }));
  let isHopeless = false;
  for (const { n, critical, futility } of looks) {
    for (const [index, arm] of arms.entries()) {
      arm.converted += binomial(n - arm.n, index === 1 ? RATE * (1 + EFFECT) : RATE);
      arm.n = n;
    }
    const { z } = new RateIntervals(arms[0], arms[1]);
    const isFound = z > critical && canShip(plan, arms, n);
    if (isFound || n === plan.size) {
      if (isChecked && (reportedDecision(plan, arms) === 'ship') !== isFound)
        violations.push(`planned power, ${plan.method}: a report decides otherwise`);
      return { isFound, isFoundInTime: isFound && !isHopeless };
    }
    isHopeless ||= Math.abs(z) < futility;
  }
}

/** Shares of the tests in which the effect was found, without and with stopping when it seems hopeless. */
function powerOf(plan) {
  let [found, inTime] = [0, 0];
  const looks = looksOf(plan);
  for (let test = 0; test < TESTS; test++) {
    const { isFound, isFoundInTime } = simulate(plan, looks, test % CHECKED === 0);
    found += Number(isFound) / TESTS;
    inTime += Number(isFoundInTime) / TESTS;
  }
  return { found, inTime };
}

function powerRows() {
  return ['group-sequential', 'frequentist'].flatMap((method) =>
    [2, 3, 4, 5].map((variations) => {
      const size = planFor(method, variations, 'obrien-fleming');
      const cells = [1, 2, 3, 4, 5].map((goals) => {
        const plan = { method, size, variations, goals, spending: 'obrien-fleming' };
        const { found, inTime } = powerOf(plan);
        const name = `planned power, ${method}, ${variations} variations, ${goals} goals`;
        for (const power of [found, inTime])
          checkAtLeast(`${name}, distance`, TOLERANCE - Math.abs(power - PLANNED), 0);
        return percent(found);
      });
      return [method, String(variations), whole(size), ...cells];
    }),
  );
}

function methodRows() {
  const methods = [
    ['frequentist', 'frequentist, evaluated once'],
    ['group-sequential', "group-sequential, O'Brien-Fleming", 'obrien-fleming'],
    ['group-sequential', 'group-sequential, Pocock', 'pocock'],
    ['sequential', 'sequential, until the planned number'],
  ];
  return methods.map(([method, name, spending]) => {
    const size = planFor(method, 2, spending);
    const { found, inTime } = powerOf({ method, size, variations: 2, goals: 1, spending });
    const hopeless = method === 'group-sequential' ? percent(inTime) : '';
    return [name, whole(size), percent(PLANNED), percent(found), hopeless];
  });
}

const title = `+${100 * EFFECT} % on a conversion rate of ${100 * RATE} %, ${LOOKS} looks, ${whole(TESTS)} tests each`;

export const sections = [
  {
    title: `Planned for 80 %, and found: one of the variations has ${title}`,
    header: [
      'method',
      'variations',
      'visitors of each',
      '1 goal',
      '2 goals',
      '3 goals',
      '4 goals',
      '5 goals',
    ],
    rows: powerRows,
  },
  {
    title: `Planner: two variations, ${title}`,
    header: ['method', 'visitors of each', 'planned power', 'found', 'found, stopping when hopeless'],
    rows: methodRows,
  },
];
