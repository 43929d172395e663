import { DEFAULT_STATISTICS } from '../../packages/core/dist/api/statistics.js';
import { overlappingTests } from '../../packages/core/dist/stats/report/overlap-report.js';
import { whole } from '../lib/report.js';
import { checkGuarantee } from './guarantees.js';
import { binomial, options } from './random.js';
import { percent, RATE } from './shop.js';

const DAYS = 28;
const OTHERS = 5;
const TESTS = Math.ceil(options.tests / 8);
const KEYS = ['control', 'b'];
const NONE = { sum: 0, sumSquares: 0, covariateSum: 0, covariateSumSquares: 0, covariateProduct: 0 };

/** What the report gets of one other test: the visitors by both variations. */
function otherTest(cells, index) {
  const groups = cells.map(({ n, converted }, position) => ({
    variationKey: KEYS[position >> 1],
    segment: KEYS[position % 2],
    bot: false,
    early: false,
    visitors: n,
    goals: [
      {
        goalId: 'goal',
        converted,
        conversions: { ...NONE, sum: converted, sumSquares: converted },
        amount: NONE,
        convertedAmount: 0,
        convertedCovariate: 0,
      },
    ],
  }));
  const input = {
    variations: KEYS.map((key) => ({ key, weight: 1 })),
    goals: [{ id: 'goal', name: 'Goal', kind: 'count', lowerIsBetter: false, role: 'primary' }],
    groups,
    statistics: { ...DEFAULT_STATISTICS, engine: 'sequential' },
    smallestEffect: null,
    plannedVisitors: null,
    includeBots: false,
    exposures: [],
    startedAt: 0,
    endedAt: null,
    asOf: 1,
  };
  const test = { splitTestKey: String(index), name: '', status: 'running', phase: 1, from: 0, to: null };
  return { test, variations: KEYS, input };
}

/** Variation b has +10 % on its own, and another effect with variation b of the first of the other tests. */
function simulate(visitors, together) {
  const others = Array.from({ length: OTHERS }, () =>
    Array.from({ length: 4 }, () => ({ n: 0, converted: 0 })),
  );
  const each = Math.round(visitors / 4);
  const named = { first: false, other: false };
  for (let day = 0; day < DAYS; day++) {
    for (const [index, cells] of others.entries()) {
      for (const [position, cell] of cells.entries()) {
        const [own, seen] = [position >> 1, position % 2];
        const effect = own === 0 ? 0 : index === 0 && seen === 1 ? together : 0.1;
        cell.n += each;
        cell.converted += binomial(each, RATE * (1 + effect) * (1 + 0.1 * seen));
      }
    }
    for (const { splitTestKey, finding } of overlappingTests(others.map(otherTest), 0.05)) {
      if (finding === 'interaction') named[splitTestKey === '0' ? 'first' : 'other'] = true;
    }
  }
  return named;
}

function interactionRows() {
  return [
    [2000, 0.1],
    [20_000, 0.1],
    [2000, -0.3],
    [20_000, 0],
  ].map(([visitors, together]) => {
    let [first, other, any] = [0, 0, 0];
    for (let test = 0; test < TESTS; test++) {
      const named = simulate(visitors, together);
      first += Number(named.first) / TESTS;
      other += Number(named.other) / TESTS;
      any += Number(named.first || named.other) / TESTS;
    }
    const wrong = together === 0.1 ? any : other;
    checkGuarantee('interactions, false alarms', wrong, 0, 0.05, TESTS);
    const size = `${Math.round(Math.abs(100 * together))} %`;
    const written = together === 0 ? 'none' : `${together < 0 ? '-' : '+'}${size}`;
    return [whole(visitors), '+10 %', written, percent(first), percent(other)];
  });
}

export const sections = [
  {
    title: `Interactions of tests on the same visitors: ${OTHERS} other tests, ${DAYS} daily looks, ${whole(TESTS)} tests each`,
    header: [
      'visitors a day',
      'effect',
      'effect together with one other test',
      'this one named',
      'another one named',
    ],
    rows: interactionRows,
  },
];
