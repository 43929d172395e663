import { analyse, METHODS } from '../../packages/core/dist/stats/analysis.js';
import { planTest } from '../../packages/core/dist/stats/planner.js';
import { whole } from '../lib/report.js';
import { violations } from './guarantees.js';
import { options, random } from './random.js';
import { goalOf, rateGroup, reportOf } from './reports.js';

const COMPARISONS = 10 * options.tests;
const REPORTS = options.tests;

const oneOf = (values) => values[Math.floor(values.length * random())];
const between = (low, high) => low + (high - low) * random();

/** From 0 to 1e9. */
const visitors = () => (random() < 0.2 ? oneOf([0, 1, 2, 1e9]) : Math.floor(10 ** between(0, 9)));
/** From -100 % to 1,000,000 %. */
const effect = () =>
  random() < 0.2 ? oneOf([-1, 0, 1e4]) : random() < 0.5 ? between(-1, 1) : 10 ** between(0, 4);
const rate = () => (random() < 0.1 ? oneOf([0, 1]) : random() < 0.5 ? random() : 10 ** between(-9, 0));
/** The share of the planned visitors, from a millionth to all and more. */
const fraction = () => (random() < 0.2 ? oneOf([1e-6, 1, 1.5]) : 10 ** between(-6, 0));
const alpha = () => oneOf([0.001, 0.05, 0.2]);
const spending = () => oneOf(['obrien-fleming', 'pocock']);

/** The number of figures and texts that are not finite, and of probabilities outside of 0 to 1. */
function wrongFigures(value, key = '') {
  if (typeof value === 'number') {
    const isProbability = /pValue|PValue|chanceToBeat/.test(key);
    return Number(!Number.isFinite(value) || (isProbability && !(value >= 0 && value <= 1)));
  }
  if (typeof value === 'string') return Number(/NaN|Infinity/.test(value));
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  for (const name of Object.keys(value)) count += wrongFigures(value[name], name);
  return count;
}

/** An interval without a p-value, where the method has one. */
const lacksPValue = (method, { absolute, pValue }) =>
  method !== 'bayesian' && absolute !== null && absolute.low !== null && pValue === null;

const converted = (n, probability) => Math.round(n * Math.min(1, probability));

function rates() {
  const [n, otherN, base, change] = [visitors(), visitors(), rate(), effect()];
  const [sum, otherSum] = [converted(n, base), converted(otherN, base * (1 + change))];
  return {
    metric: 'proportion',
    variations: [
      { key: 'a', n, sum, sumSquares: sum },
      { key: 'b', n: otherN, sum: otherSum, sumSquares: otherSum },
    ],
  };
}

/** Revenue, with a covariate. */
function means() {
  const variance = random() < 0.2 ? oneOf([0, 1e-9, 1e12]) : between(0, 1e6);
  const base = between(-1e6, 1e6);
  const sums = (n, mean) => ({
    n,
    sum: n * mean,
    sumSquares: n * (mean * mean + variance),
    covariates: { sums: [n], products: [[2 * n]], shared: [n * mean] },
  });
  return {
    metric: 'mean',
    variations: [
      { key: 'a', ...sums(visitors(), base) },
      { key: 'b', ...sums(visitors(), base * (1 + effect())) },
    ],
  };
}

function comparison(input) {
  const method = oneOf(METHODS);
  const looks = { fraction: fraction(), spending: spending() };
  const result = analyse({ ...input, method, alpha: alpha(), looks, control: 'a' });
  return {
    wrong: wrongFigures(result),
    silent: Number(lacksPValue(method, result.variations[1])),
  };
}

const GOALS = [goalOf('signup', 'primary'), goalOf('order', 'secondary'), goalOf('return', 'guardrail')];

function report() {
  const [base, change, sizes] = [rate(), effect(), ['a', 'b', 'c'].map(visitors)];
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const groups = ['a', 'b', 'c'].map((key, index) => {
    const sum = converted(sizes[index], index === 1 ? base * (1 + change) : base);
    return rateGroup(key, sizes[index], { signup: sum, order: sum, return: sum });
  });
  const engine = oneOf(['auto', 'sequential', 'frequentist', 'bayesian']);
  const result = reportOf({
    keys: ['a', 'b', 'c'],
    days: Math.floor(between(0, 40)),
    goals: GOALS,
    groups,
    statistics: { engine, alpha: alpha(), spending: spending(), cuped: random() < 0.5 },
    smallestEffect: 0.02,
    plannedVisitors: Math.max(1, Math.ceil(total / fraction())),
  });
  const [decisive] = result.goals[0].metrics;
  return {
    wrong: wrongFigures(result),
    silent: Number(decisive.variations.slice(1).some((it) => lacksPValue(result.engine, it))),
  };
}

function plan() {
  const result = planTest({
    method: oneOf(METHODS),
    alpha: alpha(),
    baseline: { metric: 'proportion', rate: rate() },
    smallestEffect: { kind: 'relative', value: effect() },
    variations: oneOf([2, 3, 5]),
    dailyVisitors: 1000,
  });
  return { wrong: wrongFigures(result), silent: 0 };
}

function finiteRows() {
  const kinds = [
    ['comparisons of rates', COMPARISONS, () => comparison(rates())],
    ['comparisons of means, with a covariate', COMPARISONS, () => comparison(means())],
    ['complete reports', REPORTS, report],
    ['plans', Math.ceil(REPORTS / 10), plan],
  ];
  return kinds.map(([name, count, draw]) => {
    let [wrong, silent] = [0, 0];
    for (let i = 0; i < count; i++) {
      const found = draw();
      wrong += Number(found.wrong > 0);
      silent += found.silent;
    }
    if (wrong + silent > 0) violations.push(`${name}: ${wrong} not finite, ${silent} without a p-value`);
    return [name, whole(count), String(wrong), name === 'plans' ? '' : String(silent)];
  });
}

export const sections = [
  {
    title:
      'Figures that are not finite: 0 to 1e9 visitors, effects of -100 % to 1,000,000 %, a millionth to all of the plan',
    header: ['random', 'number', 'with a figure that is not finite', 'with an interval, without a p-value'],
    rows: finiteRows,
  },
];
