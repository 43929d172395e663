import { checkGuarantee } from './guarantees.js';
import { compareMetric, MEASURED, newArm } from './measured-visitors.js';
import { options, random } from './random.js';
import { contains, isSignificant, percent } from './shop.js';

const VISITORS = 1250;
const UPLIFT = 0.2;
const DAYS = 28;
const VISITORS_PER_DAY = 250;
const DAILY_TESTS = Math.ceil(options.tests / 4);
const METHODS = {
  sequential: () => ({ method: 'sequential' }),
  'group-sequential': (day) => ({
    method: 'group-sequential',
    looks: { fraction: day / DAYS, spending: 'obrien-fleming' },
  }),
};

function armOf(metric, visitors, lift) {
  const [arm, draw] = [newArm(metric), metric.draw(lift)];
  for (let i = 0; i < visitors; i++) arm.add(draw());
  return arm;
}

function coverageRows() {
  return Object.entries(MEASURED).flatMap(([name, metric]) =>
    ['frequentist', 'bayesian'].flatMap((method) =>
      [0, UPLIFT].map((uplift) => {
        let [absolute, relative, significant] = [0, 0, 0];
        for (let test = 0; test < options.tests; test++) {
          const arms = [armOf(metric, VISITORS, 0), armOf(metric, VISITORS, uplift)];
          const result = compareMetric(metric, { method }, arms);
          if (result.absolute.low === null) throw new Error(`No interval: ${name}`);
          if (contains(result.absolute, uplift * metric.truth)) absolute++;
          if (contains(result.relative, uplift)) relative++;
          if (isSignificant(result)) significant++;
        }
        const effect = uplift === 0 ? 'none' : `+${100 * uplift} %`;
        const shares = [absolute, relative, significant].map((count) => count / options.tests);
        for (const share of shares.slice(0, 2))
          checkGuarantee(`coverage, ${name}, ${method}, ${effect}`, share, 0.94, 0.965);
        return [
          name,
          effect,
          method === 'bayesian' ? 'bayesian, flat prior' : method,
          ...shares.map((it) => percent(it)),
        ];
      }),
    ),
  );
}

/** Everyone's window is over after the same time, so waiting changes the day of a figure, and not the figure. */
function falseAlarms(metric) {
  const alarms = Object.fromEntries(Object.keys(METHODS).map((method) => [method, 0]));
  for (let test = 0; test < DAILY_TESTS; test++) {
    const arms = [newArm(metric), newArm(metric)];
    const draw = metric.draw(0);
    const found = new Set();
    for (let day = 1; day <= DAYS; day++) {
      for (let i = 0; i < VISITORS_PER_DAY; i++) arms[random() < 0.5 ? 0 : 1].add(draw());
      for (const [name, settings] of Object.entries(METHODS)) {
        if (!found.has(name) && isSignificant(compareMetric(metric, settings(day), arms))) found.add(name);
      }
    }
    for (const name of found) alarms[name]++;
  }
  return alarms;
}

function alarmRows() {
  return Object.entries(MEASURED).map(([name, metric]) => {
    const alarms = falseAlarms(metric);
    return [
      name,
      ...Object.keys(METHODS).map((method) => {
        const share = alarms[method] / DAILY_TESTS;
        checkGuarantee(`false alarms, ${name}, ${method}`, share, 0, 0.05, DAILY_TESTS);
        return percent(share);
      }),
    ];
  });
}

/** Visitors of each variation at which an interval is given for the first time. */
const SMALLEST = [
  ['sum per visitor', 125],
  ['ratio: errors per page view', 100],
  ['bounce rate', 60],
  ['quantile, p50', 25],
  ['quantile, p90', 125],
  ['quantile, p99', 1250],
];

function smallestRows() {
  return SMALLEST.map(([name, visitors]) => {
    const metric = MEASURED[name];
    let [known, covered] = [0, 0];
    for (let test = 0; test < options.tests; test++) {
      const arms = [armOf(metric, visitors, 0), armOf(metric, visitors, 0)];
      const { absolute } = compareMetric(metric, { method: 'frequentist' }, arms);
      if (absolute.low === null) continue;
      known++;
      if (contains(absolute, 0)) covered++;
    }
    checkGuarantee(`coverage at the smallest numbers, ${name}`, covered / known, 0.93, 0.975, known);
    return [name, tests(visitors), percent(known / options.tests), percent(covered / known)];
  });
}

const tests = (count) => count.toLocaleString('en-US');

export const sections = [
  {
    title: `Metrics: coverage of 95 % intervals, 2 × ${tests(VISITORS)} visitors, ${tests(options.tests)} tests each`,
    header: ['metric', 'effect', 'method', 'absolute', 'relative', 'significant'],
    rows: coverageRows,
  },
  {
    title: `Metrics with as few visitors as an interval needs: coverage of 95 % intervals, ${tests(options.tests)} tests each`,
    header: ['metric', 'visitors of each variation', 'has an interval', 'absolute'],
    rows: smallestRows,
  },
  {
    title: `Metrics without an effect: false alarms at any of ${DAYS} daily looks, ${VISITORS_PER_DAY} visitors a day, ${tests(DAILY_TESTS)} tests each`,
    header: ['metric', ...Object.keys(METHODS)],
    rows: alarmRows,
  },
];
