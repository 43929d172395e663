// node bench/simulation.js: checks the error rates of the statistics with simulated tests. See docs/reference/statistics.md.
import { table } from './lib/report.js';
import { sections as checks } from './simulation/checks.js';
import { sections as coverage } from './simulation/coverage.js';
import { sections as dailyTests } from './simulation/daily-tests.js';
import { sections as forecasts } from './simulation/forecasts.js';
import { violations } from './simulation/guarantees.js';
import { sections as plannedTests } from './simulation/planned-tests.js';
import { options } from './simulation/random.js';

const HELP = `Usage: node bench/simulation.js [options]   (after npm run build; takes a few minutes)
  --seed N   random seed (default 20261115)
  --tests N  simulated tests per row (default 2000)`;

if (options.help) {
  console.log(HELP);
} else {
  const startedAt = performance.now();
  console.log(`seed ${options.seed}\n`);
  for (const { title, header, rows } of [
    ...dailyTests,
    ...plannedTests,
    ...coverage,
    ...forecasts,
    ...checks,
  ]) {
    console.log(`### ${title}\n\n${table(header, rows())}\n`);
  }
  console.log(`${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  for (const violation of violations) console.error(`Outside the documented range: ${violation}`);
  if (violations.length > 0) process.exitCode = 1;
}
