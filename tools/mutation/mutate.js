// Changes the sources of core, one expression at a time, and lists the changes that no test notices.
// Usage: npm run mutate [-- [--concurrency 1] [AREA [FILE...]]]
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';

/** The folders of core, with the percentage of mutants that tests must notice. */
const MIN_SCORES = { evaluation: 90, lifecycle: 90, stats: 85 };

/**
 * @param {keyof typeof MIN_SCORES} area
 * @param {string[]} files all of the area if empty; the minimum holds only for all of them
 * @param {number} concurrency
 */
async function mutate(area, files, concurrency) {
  const all = [`packages/core/src/${area}/**/*.ts`, '!**/*.test.ts'];
  const stryker = new Stryker({
    mutate: files.length > 0 ? files : all,
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
    reporters: ['clear-text', 'progress-append-only'],
    clearTextReporter: { logTests: false, reportTests: false, skipFull: true },
    // A busy machine must not count as a test that noticed.
    timeoutMS: 30_000,
    thresholds: { high: 100, low: MIN_SCORES[area], break: files.length > 0 ? null : MIN_SCORES[area] },
  });
  await stryker.runMutationTest();
}

const { values, positionals } = parseArgs({
  options: { concurrency: { type: 'string', default: '2' } },
  allowPositionals: true,
});
const [area, ...files] = positionals;
const areas = area === undefined ? Object.keys(MIN_SCORES) : [area];
for (const name of areas) {
  if (!(name in MIN_SCORES)) throw new Error(`Unknown area "${name}": ${Object.keys(MIN_SCORES).join(', ')}`);
  console.log(`\n${name}`);
  await mutate(name, files, Number(values.concurrency));
}
