// node bench/statistics.js: time of a comparison with each method, and of a whole report (after npm run build).
import { DEFAULT_STATISTICS } from '../packages/core/dist/api/statistics.js';
import { analyse } from '../packages/core/dist/stats/analysis.js';
import { buildReport } from '../packages/core/dist/stats/report/report.js';
import { noGoalSums } from '../packages/core/dist/stats/report/report-counts.js';
import { table } from './lib/report.js';

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 5);
const FRACTIONS = Array.from({ length: 28 }, (_, index) => (index + 1) / 28);

/** Microseconds per call: the fastest of five rounds. */
function measure(run, calls) {
  for (let i = 0; i < calls; i++) run(i);
  const rounds = Array.from({ length: 5 }, () => {
    const startedAt = performance.now();
    for (let i = 0; i < calls; i++) run(i);
    return (1000 * (performance.now() - startedAt)) / calls;
  });
  return Math.min(...rounds);
}

/** New numbers in every call, so that nothing is cached except the boundaries of the looks. */
function comparison(metric, method) {
  const looks = { fractions: FRACTIONS, current: 20, spending: 'obrien-fleming' };
  return (i) => {
    const variations = [1000, 1060 + (i % 50)].map((sum, index) => ({
      key: String(index),
      n: 10_000,
      sum,
      sumSquares: metric === 'mean' ? 3 * sum : sum,
    }));
    analyse({ method, metric, looks, control: '0', variations });
  };
}

function report(days, plannedVisitors) {
  const exposures = Array.from({ length: days }, (_, day) => {
    return { at: START + day * DAY_MS, variationKey: 'b', bot: false, exposures: 250 };
  });
  const group = (variationKey, converted) => {
    const none = noGoalSums('signup');
    const conversions = { ...none.conversions, sum: converted, sumSquares: converted };
    const goals = [{ ...none, converted, conversions }];
    return { variationKey, bot: false, early: false, visitors: 125 * days, goals };
  };
  return (i) =>
    buildReport({
      variations: ['control', 'b'].map((key) => ({ key, weight: 1 })),
      goals: [{ id: 'signup', role: 'primary', name: 'Sign-ups', kind: 'count', lowerIsBetter: false }],
      statistics: DEFAULT_STATISTICS,
      // Another plan in every call, so that the boundaries are not cached either.
      smallestEffect: null,
      plannedVisitors: plannedVisitors && plannedVisitors + i,
      includeBots: false,
      groups: [group('control', Math.round(12.5 * days)), group('b', Math.round(13.4 * days))],
      exposures,
      startedAt: START,
      endedAt: null,
      asOf: START + days * DAY_MS,
    });
}

const base = measure(comparison('mean', 'frequentist'), 5000);
const rows = ['mean', 'proportion'].flatMap((metric) =>
  ['frequentist', 'bayesian', 'sequential', 'group-sequential'].map((method) => {
    const each = measure(comparison(metric, method), 5000);
    return [`${metric}, ${method}`, `${each.toFixed(1)} µs`, (each / base).toFixed(1)];
  }),
);
for (const [name, days, planned] of [
  ['report, sequential, with forecast', 20, null],
  ['report, group-sequential, day 20 of 28', 20, 7000],
  ['report, group-sequential, day 40 of 56', 40, 14_000],
]) {
  const each = measure(report(days, planned), 20);
  rows.push([name, `${(each / 1000).toFixed(1)} ms`, (each / base).toFixed(0)]);
}
console.log(table(['', 'time', "ratio to Welch's t-test"], rows));
