// Changes the sources of core, one expression at a time, and lists the changes that no test notices.
// Usage: npm run mutate [-- [--concurrency 1] [AREA [FILE...]]]
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';

/** The folders of core, with the percentage of mutants that tests must notice. */
const MIN_SCORES = { evaluation: 90, lifecycle: 90, stats: 85 };

/** @param {string} area */
function sourcesOf(area) {
  const folder = `packages/core/src/${area}`;
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => `${folder}/${path}`)
    .sort();
}

/**
 * The mutants of one file. Stryker also slows down the code that it could change, but does not change at the moment:
 * with all files in one run, the loops of the statistics take many times as long.
 *
 * @param {string} file
 * @param {number} concurrency
 */
async function mutate(file, concurrency) {
  const stryker = new Stryker({
    mutate: [file],
    testRunner: 'vitest',
    plugins: [fileURLToPath(import.meta.resolve('@stryker-mutator/vitest-runner'))],
    vitest: { configFile: 'tools/mutation/vitest.config.ts' },
    coverageAnalysis: 'perTest',
    concurrency,
    // Only what the tests of core read is copied.
    ignorePatterns: [
      '*',
      '!package.json',
      '!tsconfig.base.json',
      '!packages/core/**',
      '!tools/mutation/**',
      'dist',
      'node_modules',
    ],
    reporters: ['clear-text'],
    clearTextReporter: { logTests: false, reportTests: false, reportScoreTable: false },
    logLevel: 'error',
    // A busy machine must not count as a test that noticed.
    timeoutMS: 15_000,
    thresholds: { high: 100, low: 0, break: null },
  });
  const mutants = await stryker.runMutationTest();
  return {
    noticed: mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length,
    timedOut: mutants.filter(({ status }) => status === 'Timeout').length,
    missed: mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage').length,
  };
}

/** @param {{ noticed: number, timedOut: number, missed: number }} counts */
function described({ noticed, timedOut, missed }) {
  const all = noticed + missed;
  const percentage = all === 0 ? '' : `, ${((100 * noticed) / all).toFixed(1)} %`;
  return `${noticed} of ${all} noticed${percentage} (${timedOut} by a timeout)`;
}

const { values, positionals } = parseArgs({
  options: { concurrency: { type: 'string', default: '2' } },
  allowPositionals: true,
});
const [area, ...files] = positionals;
const areas = area === undefined ? Object.keys(MIN_SCORES) : [area];
for (const name of areas) {
  if (!(name in MIN_SCORES)) throw new Error(`Unknown area "${name}": ${Object.keys(MIN_SCORES).join(', ')}`);
  const total = { noticed: 0, timedOut: 0, missed: 0 };
  for (const file of files.length > 0 ? files : sourcesOf(name)) {
    const counts = await mutate(file, Number(values.concurrency));
    console.log(`${file}: ${described(counts)}`);
    total.noticed += counts.noticed;
    total.timedOut += counts.timedOut;
    total.missed += counts.missed;
  }
  if (files.length > 0) continue;
  console.log(`\n${name}: ${described(total)}; the minimum is ${MIN_SCORES[name]} %\n`);
  if (total.noticed < (total.noticed + total.missed) * (MIN_SCORES[name] / 100)) process.exitCode = 1;
}
