import { WEAK_PRIOR } from '../../packages/core/dist/stats/report/report-method.js';
import { checkGuarantee } from './guarantees.js';
import { options, random } from './random.js';
import { compare, contains, isSignificant, METRICS, NAMES, percent, Sums } from './shop.js';

const DAYS = 28;
const VISITORS_PER_DAY = 250;
const PRIOR = { proper: true, ...WEAK_PRIOR };
const POWER_TESTS = Math.ceil(options.tests / 2);
const METHODS = ['sequential', 'group-sequential', 'frequentist', 'bayesian'];
/** Methods whose results may be checked every day. */
const DAILY = new Set(['sequential', 'group-sequential']);

const looksOn = (day) => ({ fraction: day / DAYS, spending: 'obrien-fleming' });
const LABELS = { bayesian: 'bayesian, weak prior' };
const labelOf = (method) => LABELS[method] ?? method;

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
      const result = compare({ method, metric, looks: looksOn(day), prior: PRIOR }, control, variation);
      const state = outcome[method];
      const significant = isSignificant(result);
      if (significant && !state.ever) {
        state.ever = true;
        state.days = day;
      }
      state.last = significant;
      state.coveredLast = contains(result.absolute, truth);
      state.covered &&= state.coveredLast;
    }
  }
  return outcome;
}

/** Shares over many tests: alarms on any day and on the last day, intervals that were correct every day and on the last. */
function simulateMany(metric, uplift, tests) {
  const counts = Object.fromEntries(
    METHODS.map((method) => [method, { ever: 0, last: 0, covered: 0, coveredLast: 0, days: 0 }]),
  );
  for (let test = 0; test < tests; test++) {
    const outcome = simulate(metric, uplift, uplift * METRICS[metric].mean);
    for (const method of METHODS) {
      for (const name of Object.keys(counts[method]))
        counts[method][name] += Number(outcome[method][name]) / tests;
    }
  }
  return counts;
}

function errorRows() {
  return Object.keys(METRICS).flatMap((metric) => {
    const counts = simulateMany(metric, 0, options.tests);
    return METHODS.map((method) => {
      const { ever, last, covered, coveredLast } = counts[method];
      const name = `${NAMES[metric]}, ${method}`;
      if (DAILY.has(method)) checkGuarantee(`${name}, false alarms looking every day`, ever, 0, 0.05);
      else checkGuarantee(`${name}, false alarms looking once`, last, method === 'bayesian' ? 0 : 0.05, 0.05);
      return [
        NAMES[metric],
        labelOf(method),
        percent(last),
        percent(ever),
        percent(coveredLast),
        percent(covered),
      ];
    });
  });
}

function powerRows() {
  const rows = [];
  for (const metric of Object.keys(METRICS)) {
    for (const uplift of [0.1, 0.2, 0.3]) {
      const counts = simulateMany(metric, uplift, POWER_TESTS);
      for (const method of METHODS) {
        const { ever, last, coveredLast, covered, days } = counts[method];
        const isDaily = DAILY.has(method);
        rows.push([
          NAMES[metric],
          `+${Math.round(100 * uplift)} %`,
          `${labelOf(method)}, ${isDaily ? 'every day' : 'at the end'}`,
          percent(isDaily ? ever : last),
          isDaily ? days.toFixed(1) : String(DAYS),
          percent(isDaily ? covered : coveredLast),
        ]);
      }
    }
  }
  return rows;
}

export const sections = [
  {
    title: `No effect: ${options.tests.toLocaleString('en-US')} tests per metric, ${DAYS} days of ${VISITORS_PER_DAY} visitors, alpha 5 %`,
    header: [
      'metric',
      'method',
      'false alarms, looking once',
      'looking every day',
      'intervals right at the end',
      'right on every day',
    ],
    rows: errorRows,
  },
  {
    title: `A true effect: how often it is found within ${DAYS} days, ${POWER_TESTS.toLocaleString('en-US')} tests each`,
    header: ['metric', 'effect', 'method', 'found', 'after days', 'intervals right'],
    rows: powerRows,
  },
];
