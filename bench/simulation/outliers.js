import { checkAtLeast, checkGuarantee } from './guarantees.js';
import { normal, options, random } from './random.js';
import { compare, isSignificant, percent, Sums } from './shop.js';

const QUANTILE = 0.99;
const REFUND = -5000;
const CRAWLERS = 12;
const TESTS = options.tests;

/** As the server does: a quantile of the sizes of all amounts of counted visitors that are not zero. */
function capOf(values) {
  const sizes = values.flatMap((value) => (value === 0 ? [] : [Math.abs(value)])).sort((a, b) => a - b);
  return sizes.length === 0 ? Infinity : sizes[Math.max(0, Math.ceil(QUANTILE * sizes.length) - 1)];
}

const capped = (values, cap) => values.map((value) => Math.min(cap, Math.max(-cap, value)));
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const order = () => Math.exp(2.1 + 0.7 * normal());

/** The revenue of 100 customers, who all bought something. */
function refundRows() {
  const customers = Array.from({ length: 100 }, order);
  const withRefund = [...customers, REFUND];
  const crawlers = Array.from({ length: CRAWLERS }, () => 100_000);
  const cap = capOf(withRefund);
  const rows = [
    ['100 customers', customers, Infinity],
    ['and one refund of 5,000, not capped', withRefund, Infinity],
    [`the same, capped at the ${100 * QUANTILE} % quantile`, withRefund, cap],
    [
      `the same, if ${CRAWLERS} crawlers were counted for the cap`,
      withRefund,
      capOf([...withRefund, ...crawlers]),
    ],
  ];
  checkAtLeast('winsorizing, the mean with a refund is positive', mean(capped(withRefund, cap)), 0);
  return rows.map(([name, values, limit]) => [
    name,
    Number.isFinite(limit) ? limit.toFixed(2) : '',
    mean(capped(values, limit)).toFixed(2),
  ]);
}

/** One visitor in five buys; in one of 400 cases for a hundred times as much, which a tenth of them returns. */
function drawValue(uplift) {
  if (random() >= 0.2) return 0;
  const value = order() * (1 + uplift);
  if (random() >= 1 / 400) return value;
  return random() < 0.1 ? -100 * value : 100 * value;
}

function sumsOf(values, cap) {
  const sums = new Sums();
  for (const value of capped(values, cap)) sums.add(value);
  return sums;
}

function heavyRows() {
  const found = { 'not capped': [0, 0], [`capped at ${100 * QUANTILE} %`]: [0, 0] };
  const names = Object.keys(found);
  for (let test = 0; test < TESTS; test++) {
    const effects = [0, 0.2];
    for (const [index, uplift] of effects.entries()) {
      const arms = [0, uplift].map((change) => Array.from({ length: 2000 }, () => drawValue(change)));
      for (const [at, cap] of [Infinity, capOf(arms.flat())].entries()) {
        const result = compare(
          { method: 'frequentist', metric: 'mean' },
          ...arms.map((it) => sumsOf(it, cap)),
        );
        found[names[at]][index] += Number(isSignificant(result)) / TESTS;
      }
    }
  }
  checkGuarantee('winsorizing, false alarms', found[names[1]][0], 0, 0.05, TESTS);
  return names.map((name) => [name, ...found[name].map((share) => percent(share))]);
}

export const sections = [
  {
    title: 'Winsorizing: revenue per customer',
    header: ['', 'cap', 'mean'],
    rows: refundRows,
  },
  {
    title: `Winsorizing: ${TESTS.toLocaleString('en-US')} tests of 2 × 2,000 visitors, one in five buys, a few of them for a hundred times as much`,
    header: ['amounts', 'false alarms', '+20 % found'],
    rows: heavyRows,
  },
];
