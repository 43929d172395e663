// node bench/start.js: the start of a fresh server, with and without the code cache. See README.md.
import { existsSync, renameSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { cpuSeconds, removeDirectory, Server, temporaryDirectory } from './lib/children.js';
import { median } from './lib/measures.js';
import { ms, ratio, table } from './lib/report.js';

const ROUNDS = 10;
const CACHE = fileURLToPath(new URL('../packages/server/dist/code-cache', import.meta.url));
const HIDDEN = `${CACHE}-hidden`;

async function measureStart() {
  const dataDir = temporaryDirectory();
  const server = await Server.start(dataDir);
  const cpuMs = cpuSeconds(server.child.pid) * 1000;
  // A server that is killed writes no cache.
  await server.stop('SIGKILL');
  removeDirectory(dataDir);
  return { startMs: server.startMs, cpuMs };
}

async function withoutCache(measure) {
  renameSync(CACHE, HIDDEN);
  try {
    return await measure();
  } finally {
    renameSync(HIDDEN, CACHE);
  }
}

if (!existsSync(CACHE)) throw new Error('There is no code cache: run "npm run build" first');
const samples = { with: [], without: [] };
for (let round = 0; round < ROUNDS; round++) {
  samples.without.push(await withoutCache(measureStart));
  samples.with.push(await measureStart());
}
const row = (name, measure) => {
  const [before, after] = [samples.without, samples.with].map((it) => median(it.map(measure)));
  return [name, ms(before), ms(after), ratio(after / before)];
};
console.log(
  table(
    ['', 'without code cache', 'with it', 'ratio'],
    [
      row('start to first response', ({ startMs }) => startMs),
      row('CPU time until then', ({ cpuMs }) => cpuMs),
    ],
  ),
);
