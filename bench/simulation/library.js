import { expectedEffect, expectedTogether } from '../../packages/core/dist/stats/library/shrinkage.js';
import { learnSpreads } from '../../packages/core/dist/stats/report/learned-prior.js';
import { whole } from '../lib/report.js';
import { checkAtLeast, checkAtMost } from './guarantees.js';
import { normal, options } from './random.js';
import { percent } from './shop.js';

const PROPERTIES = Math.ceil(options.tests / 2);

/** Ships what is better beyond chance, and adds up what is true, observed and expected of it. */
function simulate({ tests, spread, error, mean = 0 }) {
  const sums = { shipped: 0, truth: 0, observed: 0, expected: 0, covered: 0, properties: 0 };
  for (let property = 0; property < PROPERTIES; property++) {
    const all = Array.from({ length: tests }, () => {
      const truth = mean + spread * normal();
      return { truth, effect: { estimate: truth + error * normal(), standardError: error } };
    });
    const record = learnSpreads(all.map(({ effect }) => [effect]));
    const shipped = all.filter(({ effect }) => effect.estimate > 1.96 * error);
    if (shipped.length === 0) continue;
    const effects = shipped.map(({ effect }) => effect);
    const total = expectedTogether(effects, record);
    const truth = shipped.reduce((product, it) => product * (1 + it.truth), 1) - 1;
    sums.properties += 1;
    sums.covered += Number(truth >= total.low && truth <= total.high);
    sums.shipped += shipped.length;
    for (const it of shipped) {
      sums.truth += it.truth;
      sums.observed += it.effect.estimate;
      sums.expected += expectedEffect(it.effect, record).estimate;
    }
  }
  return sums;
}

function libraryRows() {
  return [
    { tests: 10, spread: 0.05, error: 0.03 },
    { tests: 50, spread: 0.05, error: 0.03 },
    { tests: 50, spread: 0.03, error: 0.03 },
    { tests: 50, spread: 0.02, error: 0.04 },
    { tests: 50, spread: 0.03, error: 0.03, mean: 0.01 },
  ].map((setting) => {
    const { shipped, truth, observed, expected, covered, properties } = simulate(setting);
    checkAtMost('library, what is left of the curse', Math.abs(expected - truth) / (observed - truth), 0.2);
    checkAtLeast('library, coverage of the total', covered / properties, 0.88);
    return [
      whole(setting.tests),
      `${percent(setting.mean ?? 0)} ± ${percent(setting.spread)}`,
      percent(setting.error),
      percent(truth / shipped),
      percent(observed / shipped),
      percent(expected / shipped),
      percent(covered / properties),
    ];
  });
}

export const sections = [
  {
    title: `Shipped tests: what is true of them, observed and expected; ${whole(PROPERTIES)} properties each`,
    header: [
      'finished tests',
      'true effects',
      'standard error',
      'shipped: true effect',
      'observed',
      'expected',
      'total within its interval',
    ],
    rows: libraryRows,
  },
];
