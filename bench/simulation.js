// node bench/simulation.js: checks the error rates of the statistics with simulated tests. See docs/reference/statistics.md.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { table } from './lib/report.js';
import { options } from './simulation/random.js';
import { SECTIONS } from './simulation/sections.js';

const HELP = `Usage: node bench/simulation.js [options]   (after npm run build; takes a few minutes on two cores)
  --seed N     random seed (default 20261118)
  --tests N    simulated tests per row (default 2000)
  --only TEXT  only sections whose title contains the text`;
const WORKERS = 2;

/** Runs the sections on two cores; the results are passed on in their order. */
async function runAll(indexes, onResult) {
  const results = new Map();
  const waiting = [...indexes];
  let printed = 0;
  const finish = (result) => {
    results.set(result.index, result);
    while (printed < indexes.length && results.has(indexes[printed]))
      onResult(results.get(indexes[printed++]));
  };
  await Promise.all(
    Array.from({ length: Math.min(WORKERS, indexes.length) }, () => runNext(waiting, finish)),
  );
}

async function runNext(waiting, finish) {
  const worker = new Worker(new URL('./simulation/section-worker.js', import.meta.url), {
    argv: process.argv.slice(2),
  });
  try {
    while (waiting.length > 0) {
      const next = waiting.shift();
      const answered = once(worker, 'message');
      worker.postMessage(next);
      finish((await answered)[0]);
    }
  } finally {
    await worker.terminate();
  }
}

if (options.help) {
  console.log(HELP);
} else {
  const startedAt = performance.now();
  const violations = [];
  const isChosen = ({ title }) => title.toLowerCase().includes(options.only);
  console.log(`seed ${options.seed}\n`);
  await runAll(
    SECTIONS.flatMap((section, index) => (isChosen(section) ? [index] : [])),
    ({ index, rows, violations: found, seconds }) => {
      const { title, header } = SECTIONS[index];
      console.log(`### ${title}\n\n${table(header, rows)}\n`);
      console.error(`${seconds.toFixed(1)} s: ${title}`);
      violations.push(...found);
    },
  );
  console.log(`${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  for (const violation of violations) console.error(`Outside the documented range: ${violation}`);
  if (violations.length > 0) process.exitCode = 1;
}
