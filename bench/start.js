// node bench/start.js [DIR]: starts of the server; DIR is the built checkout of another version. See README.md.
import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  BIN,
  binOf,
  cpuSeconds,
  fillStore,
  removeDirectory,
  Server,
  THIS_CHECKOUT,
  temporaryDirectory,
} from './lib/children.js';
import { median } from './lib/measures.js';
import { ms, ratio, table } from './lib/report.js';

const ROUNDS = 10;
/** A visit has 3.2 events. */
const STORED_VISITS = 31_250;
const CACHE = fileURLToPath(new URL('../packages/server/dist/code-cache', import.meta.url));
const HIDDEN = `${CACHE}-hidden`;

async function measureStart({ bin = BIN, env = {}, dataDir } = {}) {
  const directory = dataDir ?? temporaryDirectory();
  const server = await Server.start(directory, { bin, env });
  const cpuMs = processesOf(server.child.pid).reduce((sum, pid) => sum + cpuSeconds(pid) * 1000, 0);
  const threads = threadTimes(server.child.pid);
  // A server that is killed writes no cache.
  await server.stop('SIGKILL');
  if (dataDir === undefined) removeDirectory(directory);
  return { startMs: server.startMs, cpuMs, threads };
}

/** In the order in which this version creates them; threads of Node.js have no names. */
const THREADS = [
  { name: 'serving thread', count: 1 },
  { name: 'helpers of V8: garbage collection, optimized code', count: 5 },
  { name: 'threads of libuv: files, queries', count: 5 },
  { name: 'storage thread', count: 1 },
  { name: 'configuration thread', count: 1 },
  { name: 'threads of DuckDB', count: Number.POSITIVE_INFINITY },
];

/** CPU milliseconds of each kind of thread. */
function threadTimes(pid) {
  const times = readdirSync(`/proc/${pid}/task`)
    .sort((a, b) => a - b)
    .map((id) => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]) / 1e6);
  return THREADS.map(({ count }) => times.splice(0, count).reduce((sum, time) => sum + time, 0));
}

/** The process and its workers. */
function processesOf(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return [pid, ...children];
}

async function withoutCache(measure) {
  renameSync(CACHE, HIDDEN);
  try {
    return await measure();
  } finally {
    renameSync(HIDDEN, CACHE);
  }
}

/** An older version cannot open the store of a newer one. */
async function filledDirectory(checkout) {
  const dataDir = temporaryDirectory();
  await fillStore(checkout, dataDir, 'visits', STORED_VISITS);
  // Creates the configuration.
  await measureStart({ dataDir, bin: binOf(checkout) });
  return dataDir;
}

if (!existsSync(CACHE)) throw new Error('There is no code cache: run "npm run build" first');
const other = process.argv[2];
const builds = await Promise.all(
  Object.entries({ ...(other !== undefined && { before: other }), now: THIS_CHECKOUT }).map(
    async ([name, checkout]) => ({ name, bin: binOf(checkout), filled: await filledDirectory(checkout) }),
  ),
);
const cases = {
  'empty directory': () => ({}),
  'empty directory, 2 workers': () => ({ env: { WORKERS: '2' } }),
  '100,000 events': ({ filled }) => ({ dataDir: filled }),
};
const rows = Object.entries(cases).flatMap(([name, optionsOf]) =>
  builds.map((build) => ({
    name: [name, build.name],
    measure: () => measureStart({ ...optionsOf(build), bin: build.bin }),
    samples: [],
  })),
);
rows.push({
  name: ['empty directory', 'now, no code cache'],
  measure: () => withoutCache(measureStart),
  samples: [],
});
for (let round = 0; round < ROUNDS; round++) {
  for (const { measure, samples } of rows) samples.push(await measure());
}
const figures = rows.map(({ name, samples }) => ({
  name,
  startMs: median(samples.map(({ startMs }) => startMs)),
  cpuMs: median(samples.map(({ cpuMs }) => cpuMs)),
}));
const ratioTo = ({ name, startMs }) => {
  const before = figures.find((it) => it.name[0] === name[0]);
  return before.startMs === startMs ? '' : ratio(startMs / before.startMs);
};
console.log(
  table(
    ['', 'version', 'start to first response', 'ratio', 'CPU time until then'],
    figures.map((it) => [...it.name, ms(it.startMs), ratioTo(it), ms(it.cpuMs)]),
  ),
);
const threads = rows
  .find(({ name }) => name.join() === 'empty directory,now')
  .samples.map((it) => it.threads);
console.log(
  `\n${table(
    ['empty directory, now', 'CPU time until the first response'],
    THREADS.map(({ name }, kind) => [name, ms(median(threads.map((times) => times[kind])))]),
  )}`,
);
