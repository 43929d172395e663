import { analyse } from '../../packages/core/dist/stats/analysis.js';
import { meanArm } from '../../packages/core/dist/stats/arm.js';
import { cupedArm, cupedTheta } from '../../packages/core/dist/stats/cuped.js';
import { planTest } from '../../packages/core/dist/stats/planner.js';
import { ALARM_P_VALUE, MIN_CONVERSIONS } from '../../packages/core/dist/stats/report/health.js';
import { sampleRatio } from '../../packages/core/dist/stats/sample-ratio.js';
import { whole } from '../lib/report.js';
import { checkGuarantee } from './guarantees.js';
import { binomial, normal, options, random } from './random.js';
import { CovariateSums, compare, isSignificant, percent, RATE, Sums } from './shop.js';

const DAYS = 56;
const LOOKS = Array.from({ length: 28 }, (_, index) => (index + 1) / 28);

/** Daily analyses with the sequential method and rare conversions: false alarms without and with the health rule. */
function sparseRows() {
  return [
    [30, 0.03, 0.5],
    [30, 0.1, 0.1],
    [100, 0.03, 0.1],
  ].map(([visitors, rate, share]) => {
    let [alone, healthy] = [0, 0];
    for (let test = 0; test < options.tests; test++) {
      const [control, variation] = [new Sums(), new Sums()];
      let [alarm, trusted] = [false, false];
      for (let day = 1; day <= DAYS; day++) {
        for (let i = 0; i < visitors; i++)
          (random() < share ? variation : control).add(random() < rate ? 1 : 0);
        if (!isSignificant(compare({ method: 'sequential', metric: 'proportion' }, control, variation)))
          continue;
        alarm = true;
        // As many as are expected in the smaller variation.
        trusted ||= (control.sum + variation.sum) * Math.min(share, 1 - share) >= MIN_CONVERSIONS;
      }
      alone += Number(alarm) / options.tests;
      healthy += Number(trusted) / options.tests;
    }
    checkGuarantee('rare conversions, false alarms of healthy tests', healthy, 0, 0.05);
    const split = `${Math.round(100 * (1 - share))}:${Math.round(100 * share)}`;
    return [String(visitors), `${100 * rate} %`, split, percent(alone), percent(healthy)];
  });
}

/** Simulates +25 %; a group-sequential test is evaluated 28 times, the others once. */
function isFound(method, size) {
  const looks = method === 'group-sequential' ? LOOKS : [1];
  const arms = [0, 0.25].map(() => ({ n: 0, sum: 0, sumSquares: 0 }));
  return looks.some((fraction, current) => {
    for (const [index, arm] of arms.entries()) {
      const n = Math.round(size * fraction);
      arm.sum += binomial(n - arm.n, RATE * (1 + 0.25 * index));
      arm.n = n;
    }
    const settings = {
      method,
      metric: 'proportion',
      looks: { fractions: LOOKS, current, spending: 'obrien-fleming' },
    };
    return isSignificant(compare(settings, ...arms));
  });
}

/** Checks that a test of the planned size has the planned power. */
function planRows() {
  return ['frequentist', 'group-sequential', 'sequential'].map((method) => {
    const smallestEffect = { kind: 'relative', value: 0.25 };
    const plan = planTest({ method, baseline: { metric: 'proportion', rate: 0.1 }, smallestEffect });
    let found = 0;
    for (let test = 0; test < options.tests; test++) {
      if (isFound(method, plan.visitorsPerVariation)) found++;
    }
    return [method, whole(plan.visitorsPerVariation), '80 %', percent(found / options.tests)];
  });
}

/** Variance reduction by adjusting for the pre-period. */
function cupedRows() {
  return [0, 0.3, 0.5, 0.7, 0.9].map((correlation) => {
    const tests = Math.ceil(options.tests / 2);
    let [alarms, plainSquares, adjustedSquares, ratio] = [0, 0, 0, 0];
    for (let test = 0; test < tests; test++) {
      const arms = [0, 1].map(() => {
        const sums = new CovariateSums();
        for (let i = 0; i < 1000; i++) {
          const before = normal();
          sums.addPair(20 + 10 * (correlation * before + Math.sqrt(1 - correlation ** 2) * normal()), before);
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
      for (let test = 0; test < options.tests; test++) {
        // The normal approximation of a binomial draw is exact enough at these sizes.
        const first = Math.round(visitors * share + Math.sqrt(visitors * share * (1 - share)) * normal());
        if (sampleRatio([first, visitors - first], [1, 1]).pValue < ALARM_P_VALUE) found++;
      }
      return percent(found / options.tests);
    });
    return [name, ...alarms];
  });
}

export const sections = [
  {
    title: `Rare conversions: sequential, looking every day for ${DAYS} days`,
    header: [
      'visitors a day',
      'conversion rate',
      'split',
      'false alarms',
      'with 25 conversions expected in each',
    ],
    rows: sparseRows,
  },
  {
    title: 'Planner: +25 % on a conversion rate of 10 %',
    header: ['method', 'visitors per variation', 'planned power', 'found'],
    rows: planRows,
  },
  {
    title: `CUPED: ${whole(Math.ceil(options.tests / 2))} tests of 2 × 1,000 visitors without an effect`,
    header: [
      'correlation with the pre-period',
      'variance to save',
      'saved, as estimated',
      'saved, over the tests',
      'false alarms',
    ],
    rows: cupedRows,
  },
  {
    title: 'Sample ratio alarm (p < 0.001), 50:50',
    header: ['split', '1,000 visitors', '10,000 visitors', '100,000 visitors'],
    rows: splitRows,
  },
];
