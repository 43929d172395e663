import { checkGuarantee } from './guarantees.js';
import { binomial, normal, options, random } from './random.js';
import { CovariateSums, compare, contains, excludesZero, percent, Sums } from './shop.js';

const TESTS = 4 * options.tests;

function rateArm(visitors, rate) {
  const sum = binomial(visitors, rate);
  return { n: visitors, sum, sumSquares: sum };
}

/** Orders of a skewed amount; with refunds, one in ten is returned in part. */
function revenueArm(visitors, rate, uplift, hasRefunds) {
  const sums = new Sums();
  for (let i = 0; i < visitors; i++) {
    if (random() >= rate) sums.add(0);
    else {
      const value = Math.exp(3 + 0.8 * normal()) * (1 + uplift);
      sums.add(hasRefunds && random() < 0.1 ? -0.3 * value : value);
    }
  }
  return sums;
}

function cupedArm(visitors, uplift) {
  const sums = new CovariateSums();
  for (let i = 0; i < visitors; i++) {
    const before = normal();
    sums.addPair((20 + 7 * before + 7 * normal()) * (1 + uplift), before);
  }
  return sums;
}

const rates = (visitors, rate) => ({
  metric: 'proportion',
  mean: rate,
  arm: (uplift) => rateArm(visitors, rate * (1 + uplift)),
});
const revenue = (visitors, rate, hasRefunds) => ({
  metric: 'mean',
  nonNegative: !hasRefunds,
  mean: rate * (hasRefunds ? 0.87 : 1) * Math.exp(3.32),
  arm: (uplift) => revenueArm(visitors, rate, uplift, hasRefunds),
});

const CASES = [
  ['rate, 20 conversions per arm', rates(200, 0.1)],
  ['rate, 20 of 2,000', rates(2000, 0.01)],
  ['rate, 200 conversions per arm', rates(2000, 0.1)],
  ['revenue, 20 orders per arm', revenue(200, 0.1, false)],
  ['revenue, 200 orders per arm, refunds', revenue(1000, 0.2, true)],
  ['CUPED, 200 visitors per arm', { metric: 'mean', mean: 20, arm: (uplift) => cupedArm(200, uplift) }],
];

function coverageRows() {
  return CASES.flatMap(([name, { arm, mean, ...settings }]) =>
    ['frequentist', 'bayesian'].flatMap((method) =>
      [0, 0.3].map((uplift) => {
        let [absolute, relative, contradictions] = [0, 0, 0];
        for (let test = 0; test < TESTS; test++) {
          const result = compare({ ...settings, method }, arm(0), arm(uplift));
          if (contains(result.absolute, uplift * mean)) absolute++;
          if (contains(result.relative, uplift)) relative++;
          if (contradicts(result)) contradictions++;
        }
        for (const share of [absolute / TESTS, relative / TESTS])
          checkGuarantee(`coverage, ${name}, ${method}, +${100 * uplift} %`, share, 0.94, 0.96, TESTS);
        checkGuarantee(`contradictions, ${name}, ${method}`, contradictions, 0, 0, TESTS);
        const effect = uplift === 0 ? 'none' : `+${100 * uplift} %`;
        return [
          name,
          effect,
          method === 'bayesian' ? 'bayesian, flat prior' : method,
          percent(absolute / TESTS),
          percent(relative / TESTS),
          String(contradictions),
        ];
      }),
    ),
  );
}

/** Whether absolute interval, relative interval and p-value disagree on a difference. */
function contradicts({ absolute, relative, pValue }) {
  const isDifferent = excludesZero(absolute);
  if (pValue !== null && pValue < 0.05 !== isDifferent) return true;
  return relative !== null && excludesZero(relative) !== isDifferent;
}

export const sections = [
  {
    title: `Coverage of 95 % intervals: ${TESTS.toLocaleString('en-US')} tests each`,
    header: ['metric', 'effect', 'method', 'absolute', 'relative', 'contradictions'],
    rows: coverageRows,
  },
];
