import { analyse } from '../../packages/core/dist/stats/analysis.js';
import { whole } from '../lib/report.js';
import { checkAtLeast, checkGuarantee } from './guarantees.js';
import { normal, options, random } from './random.js';
import { percent } from './shop.js';

const VISITORS = 1000;
const TESTS = Math.ceil(options.tests / 2);

/** Sums of a value and of any number of covariates. */
class RegressionSums {
  n = 0;
  sum = 0;
  sumSquares = 0;

  constructor(count) {
    const zeros = () => Array.from({ length: count }, () => 0);
    this.covariates = { sums: zeros(), products: zeros().map(zeros), shared: zeros() };
  }

  add(value, before) {
    const { sums, products, shared } = this.covariates;
    this.n++;
    this.sum += value;
    this.sumSquares += value * value;
    for (let i = 0; i < sums.length; i++) {
      sums[i] += before[i];
      shared[i] += before[i] * value;
      for (let j = 0; j < sums.length; j++) products[i][j] += before[i] * before[j];
    }
  }

  /** Without the covariates that are not used. */
  first(count) {
    const { sums, products, shared } = this.covariates;
    const covariates = {
      sums: sums.slice(0, count),
      products: products.slice(0, count).map((row) => row.slice(0, count)),
      shared: shared.slice(0, count),
    };
    return { n: this.n, sum: this.sum, sumSquares: this.sumSquares, ...(count > 0 && { covariates }) };
  }
}

const compareMeans = (arms, strata) =>
  analyse({
    method: 'frequentist',
    metric: 'mean',
    control: '0',
    variations: arms.map((sums, index) => ({ key: String(index), ...sums })),
    ...(strata && { strata }),
  }).variations[1];

/**
 * What a design saves compared with plain means: as estimated (from its standard errors) and over the tests (from the
 * differences that it found, without an effect), and its false alarms.
 */
class Savings {
  plainVariance = 0;
  variance = 0;
  plainSquares = 0;
  squares = 0;
  alarms = 0;
  tests = 0;

  add(plain, adjusted) {
    this.plainVariance += plain.standardError ** 2;
    this.variance += adjusted.standardError ** 2;
    this.plainSquares += plain.absolute.estimate ** 2;
    this.squares += adjusted.absolute.estimate ** 2;
    this.alarms += Number(adjusted.pValue < 0.05);
    this.tests++;
  }

  get estimated() {
    return 1 - this.variance / this.plainVariance;
  }

  cells(name) {
    checkGuarantee(`${name}, false alarms`, this.alarms / this.tests, 0.05, 0.05, this.tests);
    return [
      percent(this.estimated),
      percent(1 - this.squares / this.plainSquares),
      percent(this.alarms / this.tests),
    ];
  }
}

/** All visitors are known, and their value before the test has the given correlation. */
function correlationRows() {
  return [0, 0.3, 0.5, 0.7, 0.9].map((correlation) => {
    const savings = new Savings();
    for (let test = 0; test < TESTS; test++) {
      const arms = [0, 1].map(() => {
        const sums = new RegressionSums(1);
        for (let i = 0; i < VISITORS; i++) {
          const before = normal();
          sums.add(20 + 10 * (correlation * before + Math.sqrt(1 - correlation ** 2) * normal()), [before]);
        }
        return sums;
      });
      savings.add(compareMeans(arms.map((it) => it.first(0))), compareMeans(arms.map((it) => it.first(1))));
    }
    return [correlation.toFixed(1), percent(correlation ** 2), ...savings.cells(`CUPED, ${correlation}`)];
  });
}

/** Half of the visitors are new; the value of the others is that of before (correlation 0.7), or also depends on more. */
function drawVisitor(dependsOnMore) {
  if (random() < 0.5) return { value: 20 + 10 * normal(), before: [0, 0, 0, 0] };
  const [own, more] = [normal(), normal()];
  const sessions = 4 + 2 * more;
  const revenue = 50 + 20 * (0.6 * more + 0.8 * normal());
  const noise = dependsOnMore ? 0.5 * more + Math.sqrt(0.26) * normal() : Math.sqrt(0.51) * normal();
  return { value: 20 + 10 * (0.7 * own + noise), before: [27 + 10 * own, 1, sessions, revenue] };
}

function newVisitorRows() {
  const designs = [
    ['the value before', 1],
    ['the value before, and whether the visitor was known', 2],
    ['all four', 4],
  ];
  return [
    ['value before', false],
    ['value and sessions before', true],
  ].flatMap(([depends, dependsOnMore]) => {
    const savings = designs.map(() => new Savings());
    for (let test = 0; test < TESTS; test++) {
      const arms = [0, 1].map(() => {
        const sums = new RegressionSums(4);
        for (let i = 0; i < VISITORS; i++) {
          const { value, before } = drawVisitor(dependsOnMore);
          sums.add(value, before);
        }
        return sums;
      });
      const plain = compareMeans(arms.map((it) => it.first(0)));
      for (const [index, [, count]] of designs.entries())
        savings[index].add(plain, compareMeans(arms.map((it) => it.first(count))));
    }
    checkAtLeast(`CUPED with new visitors, ${depends}`, savings[2].estimated, 0.23);
    return designs.map(([name], index) => [depends, name, ...savings[index].cells(`CUPED, ${name}`)]);
  });
}

/** Revenue differs by country and device, and each visitor has one of six combinations. */
const STRATA = [
  [0.35, 10],
  [0.25, 14],
  [0.15, 20],
  [0.1, 28],
  [0.1, 36],
  [0.05, 48],
];

function stratumOf(number) {
  let left = number;
  const index = STRATA.findIndex(([share]) => {
    left -= share;
    return left < 0;
  });
  return index === -1 ? STRATA.length - 1 : index;
}

function strataRows() {
  return [
    ['no difference', 0],
    ['as much as chance', 1],
    ['twice as much', 2],
  ].map(([name, strength]) => {
    const savings = new Savings();
    for (let test = 0; test < TESTS; test++) {
      const strata = STRATA.map(() => [new RegressionSums(0), new RegressionSums(0)]);
      const arms = [new RegressionSums(0), new RegressionSums(0)];
      for (let i = 0; i < 2 * VISITORS; i++) {
        const [stratum, arm] = [stratumOf(random()), i % 2];
        const value = 20 + strength * (STRATA[stratum][1] - 18.7) + 11 * normal();
        strata[stratum][arm].add(value, []);
        arms[arm].add(value, []);
      }
      const plain = (sums) => sums.map((it) => it.first(0));
      savings.add(compareMeans(plain(arms)), compareMeans(plain(arms), strata.map(plain)));
    }
    return [name, ...savings.cells(`strata, ${name}`)];
  });
}

const SAVED = ['saved, as estimated', 'saved, over the tests', 'false alarms'];
const each = `${whole(TESTS)} tests of 2 × ${whole(VISITORS)} visitors without an effect`;

export const sections = [
  {
    title: `CUPED: ${each}`,
    header: ['correlation with the pre-period', 'variance to save', ...SAVED],
    rows: correlationRows,
  },
  {
    title: `CUPED, half of the visitors are new: ${each}`,
    header: ['values depend on', 'covariates', ...SAVED],
    rows: newVisitorRows,
  },
  {
    title: `Strata of country and device: ${each}`,
    header: ['differences between strata', ...SAVED],
    rows: strataRows,
  },
];
