// node bench/simulation.js: checks the error rates of the statistics with simulated tests. See docs/statistics.md.
import { parseArgs } from 'node:util';
import { analyse } from '../packages/core/dist/stats/analysis.js';
import { meanArm } from '../packages/core/dist/stats/arm.js';
import { cupedArm, cupedTheta } from '../packages/core/dist/stats/cuped.js';
import { planTest } from '../packages/core/dist/stats/planner.js';
import { ALARM_P_VALUE, MIN_CONVERSIONS } from '../packages/core/dist/stats/report/health.js';
import { sampleRatio } from '../packages/core/dist/stats/sample-ratio.js';
import { table, whole } from './lib/report.js';

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: '20261115' },
    tests: { type: 'string', default: '2000' },
    help: { type: 'boolean' },
  },
});

const HELP = `Usage: node bench/simulation.js [options]   (after npm run build)
  --seed N   random seed (default 20261115)
  --tests N  simulated tests per row (default 2000)`;

const TESTS = Number(options.tests);
const DAYS = 28;
const VISITORS_PER_DAY = 250;
const METHODS = ['sequential', 'frequentist', 'bayesian'];

/** Mulberry32: small, and good enough for this purpose. */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const random = generator(Number(options.seed));

function normal() {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Metrics of a shop: purchases and revenue. Revenue is skewed, and every tenth order has a partial refund. */
const METRICS = {
  proportion: { rate: 0.1, draw: (uplift) => (random() < 0.1 * (1 + uplift) ? 1 : 0) },
  mean: {
    draw: (uplift) => {
      if (random() >= 0.2) return 0;
      const value = Math.exp(3 + 0.8 * normal()) * (1 + uplift);
      return random() < 0.1 ? -0.3 * value : value;
    },
  },
};

class Sums {
  n = 0;
  sum = 0;
  sumSquares = 0;

  add(value) {
    this.n++;
    this.sum += value;
    this.sumSquares += value * value;
  }
}

function compare(method, metric, control, variation) {
  const variations = [
    { key: 'control', n: control.n, sum: control.sum, sumSquares: control.sumSquares },
    { key: 'variation', n: variation.n, sum: variation.sum, sumSquares: variation.sumSquares },
  ];
  return analyse({ method, metric, control: 'control', variations }).variations[1];
}

/** Uses the p-value if there is one, else the interval. */
function isSignificant({ pValue, absolute }) {
  if (pValue !== null) return pValue < 0.05;
  return absolute !== null && absolute.low !== null && (absolute.low > 0 || absolute.high < 0);
}

/** Simulates one test, analysed every day with all methods. */
function simulate(metric, uplift, truth) {
  const [control, variation] = [new Sums(), new Sums()];
  const outcome = Object.fromEntries(
    METHODS.map((method) => [
      method,
      { ever: false, last: false, covered: true, coveredLast: true, days: DAYS },
    ]),
  );
  const { draw } = METRICS[metric];
  for (let day = 1; day <= DAYS; day++) {
    for (let i = 0; i < VISITORS_PER_DAY; i++) {
      if (random() < 0.5) control.add(draw(0));
      else variation.add(draw(uplift));
    }
    for (const method of METHODS) {
      const result = compare(method, metric, control, variation);
      const state = outcome[method];
      const significant = isSignificant(result);
      if (significant && !state.ever) {
        state.ever = true;
        state.days = day;
      }
      state.last = significant;
      const { low, high } = result.absolute;
      state.coveredLast = low === null || (low <= truth && truth <= high);
      state.covered &&= state.coveredLast;
    }
  }
  return outcome;
}

/** Shares over many tests: alarms on any day and on the last day, intervals that were correct every day and on the last. */
function simulateMany(metric, uplift, truth) {
  const counts = Object.fromEntries(
    METHODS.map((method) => [method, { ever: 0, last: 0, covered: 0, coveredLast: 0, days: 0 }]),
  );
  for (let test = 0; test < TESTS; test++) {
    const outcome = simulate(metric, uplift, truth);
    for (const method of METHODS) {
      for (const name of Object.keys(counts[method]))
        counts[method][name] += Number(outcome[method][name]) / TESTS;
    }
  }
  return counts;
}

const percent = (share) => `${(100 * share).toFixed(1)} %`;

const baseMean = 0.2 * (0.9 - 0.1 * 0.3) * Math.exp(3 + 0.32);
const NAMES = { proportion: 'conversion rate', mean: 'revenue per visitor' };

/** Documented guarantees that this run does not confirm. */
const violations = [];

function checkGuarantee(name, share, low, high) {
  // 3.5 standard errors: a correct implementation fails once in two thousand runs.
  const slack = 3.5 * Math.sqrt((0.05 * 0.95) / TESTS);
  if (share < low - slack || share > high + slack) violations.push(`${name}: ${percent(share)}`);
}

function errorRows() {
  return Object.keys(METRICS).flatMap((metric) => {
    const counts = simulateMany(metric, 0, 0);
    return METHODS.map((method) => {
      const { ever, last, covered, coveredLast } = counts[method];
      const name = `${NAMES[metric]}, ${method}`;
      if (method === 'sequential') checkGuarantee(`${name}, false alarms looking every day`, ever, 0, 0.05);
      else checkGuarantee(`${name}, false alarms looking once`, last, 0.05, 0.05);
      return [NAMES[metric], method, percent(last), percent(ever), percent(coveredLast), percent(covered)];
    });
  });
}

function powerRows() {
  const rows = [];
  for (const [metric, uplifts] of [
    ['proportion', [0.1, 0.2, 0.3]],
    ['mean', [0.1, 0.2, 0.3]],
  ]) {
    for (const uplift of uplifts) {
      const truth = uplift * (metric === 'proportion' ? METRICS.proportion.rate : baseMean);
      const counts = simulateMany(metric, uplift, truth);
      for (const method of METHODS) {
        const { ever, last, coveredLast, covered, days } = counts[method];
        const isDaily = method === 'sequential';
        rows.push([
          NAMES[metric],
          `+${Math.round(100 * uplift)} %`,
          `${method}, ${isDaily ? 'every day' : 'at the end'}`,
          percent(isDaily ? ever : last),
          isDaily ? days.toFixed(1) : String(DAYS),
          percent(isDaily ? covered : coveredLast),
        ]);
      }
    }
  }
  return rows;
}

/** Daily analyses with the sequential method and rare conversions: false alarms without and with the health rule. */
function sparseRows() {
  return [
    [30, 0.03, 0.5],
    [30, 0.1, 0.1],
    [100, 0.03, 0.1],
  ].map(([visitors, rate, share]) => {
    let [alone, healthy] = [0, 0];
    for (let test = 0; test < TESTS; test++) {
      const [control, variation] = [new Sums(), new Sums()];
      let [alarm, trusted] = [false, false];
      for (let day = 1; day <= 2 * DAYS; day++) {
        for (let i = 0; i < visitors; i++)
          (random() < share ? variation : control).add(random() < rate ? 1 : 0);
        if (!isSignificant(compare('sequential', 'proportion', control, variation))) continue;
        alarm = true;
        trusted ||= Math.min(control.sum, variation.sum) >= MIN_CONVERSIONS;
      }
      alone += Number(alarm) / TESTS;
      healthy += Number(trusted) / TESTS;
    }
    checkGuarantee('rare conversions, false alarms of healthy tests', healthy, 0, 0.05);
    const split = `${Math.round(100 * (1 - share))}:${Math.round(100 * share)}`;
    return [String(visitors), `${100 * rate} %`, split, percent(alone), percent(healthy)];
  });
}

/** Checks that a test of the planned size has the planned power. */
function planRows() {
  return ['frequentist', 'sequential'].map((method) => {
    const smallestEffect = { kind: 'relative', value: 0.25 };
    const plan = planTest({ method, baseline: { metric: 'proportion', rate: 0.1 }, smallestEffect });
    let found = 0;
    for (let test = 0; test < TESTS; test++) {
      const arms = [0, 0.25].map((uplift) => {
        const sums = new Sums();
        for (let i = 0; i < plan.visitorsPerVariation; i++) sums.add(METRICS.proportion.draw(uplift));
        return sums;
      });
      if (isSignificant(compare(method, 'proportion', ...arms))) found++;
    }
    return [method, whole(plan.visitorsPerVariation), '80 %', percent(found / TESTS)];
  });
}

/** Variance reduction by adjusting for the pre-period. */
function cupedRows() {
  return [0, 0.3, 0.5, 0.7, 0.9].map((correlation) => {
    const tests = Math.ceil(TESTS / 2);
    let [alarms, plainSquares, adjustedSquares, ratio] = [0, 0, 0, 0];
    for (let test = 0; test < tests; test++) {
      const arms = [0, 1].map(() => {
        const sums = {
          n: 0,
          sum: 0,
          sumSquares: 0,
          covariateSum: 0,
          covariateSumSquares: 0,
          covariateProduct: 0,
        };
        for (let i = 0; i < 1000; i++) {
          const x = normal();
          const y = 20 + 10 * (correlation * x + Math.sqrt(1 - correlation ** 2) * normal());
          sums.n++;
          sums.sum += y;
          sums.sumSquares += y * y;
          sums.covariateSum += x;
          sums.covariateSumSquares += x * x;
          sums.covariateProduct += x * y;
        }
        return sums;
      });
      const theta = cupedTheta(arms);
      const [plain, adjusted] = [arms.map(meanArm), arms.map((sums) => cupedArm('mean', sums, theta))];
      plainSquares += (plain[1].mean - plain[0].mean) ** 2;
      adjustedSquares += (adjusted[1].adjustedMean - adjusted[0].adjustedMean) ** 2;
      ratio +=
        (adjusted[0].variance + adjusted[1].variance) / (plain[0].variance + plain[1].variance) / tests;
      const variations = arms.map((sums, i) => ({ key: String(i), ...sums }));
      const result = analyse({ method: 'frequentist', metric: 'mean', control: '0', variations });
      if (isSignificant(result.variations[1])) alarms++;
    }
    return [
      correlation.toFixed(1),
      percent(correlation ** 2),
      percent(1 - ratio),
      percent(1 - adjustedSquares / plainSquares),
      percent(alarms / tests),
    ];
  });
}

function splitRows() {
  return [
    ['healthy', 0.5],
    ['1 % of one variation lost', 0.99 / 1.99],
    ['5 % of one variation lost', 0.95 / 1.95],
    ['10 % of one variation lost', 0.9 / 1.9],
  ].map(([name, share]) => {
    const alarms = [1000, 10_000, 100_000].map((visitors) => {
      let found = 0;
      for (let test = 0; test < TESTS; test++) {
        // The normal approximation of a binomial draw is exact enough at these sizes.
        const first = Math.round(visitors * share + Math.sqrt(visitors * share * (1 - share)) * normal());
        if (sampleRatio([first, visitors - first], [1, 1]).pValue < ALARM_P_VALUE) found++;
      }
      return percent(found / TESTS);
    });
    return [name, ...alarms];
  });
}

if (options.help) {
  console.log(HELP);
} else {
  const startedAt = performance.now();
  console.log(`seed ${options.seed}\n`);
  const sections = [
    [
      `No effect: ${whole(TESTS)} tests per metric, ${DAYS} days of ${VISITORS_PER_DAY} visitors, alpha 5 %`,
      [
        'metric',
        'method',
        'false alarms, looking once',
        'looking every day',
        'intervals right at the end',
        'right on every day',
      ],
      errorRows,
    ],
    [
      `A true effect: how often it is found within ${DAYS} days`,
      ['metric', 'effect', 'method', 'found', 'after days', 'intervals right'],
      powerRows,
    ],
    [
      `Rare conversions: sequential, looking every day for ${2 * DAYS} days`,
      ['visitors a day', 'conversion rate', 'split', 'false alarms', 'with 25 conversions in each'],
      sparseRows,
    ],
    [
      'Planner: +25 % on a conversion rate of 10 %',
      ['method', 'visitors per variation', 'planned power', 'found'],
      planRows,
    ],
    [
      `CUPED: ${whole(Math.ceil(TESTS / 2))} tests of 2 × 1,000 visitors without an effect`,
      [
        'correlation with the pre-period',
        'variance to save',
        'saved, as estimated',
        'saved, over the tests',
        'false alarms',
      ],
      cupedRows,
    ],
    [
      'Sample ratio alarm (p < 0.001), 50:50',
      ['split', '1,000 visitors', '10,000 visitors', '100,000 visitors'],
      splitRows,
    ],
  ];
  for (const [title, header, rows] of sections) console.log(`${title}\n\n${table(header, rows())}\n`);
  console.log(`${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  for (const violation of violations) console.error(`Outside the documented range: ${violation}`);
  if (violations.length > 0) process.exitCode = 1;
}
