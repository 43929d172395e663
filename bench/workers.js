// node bench/workers.js: WORKERS=1 and more, compared with bare node:http in one run. See README.md.
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import {
  cpuSeconds,
  Generator,
  machineSeconds,
  removeDirectory,
  residentMemory,
  Server,
  startBareServer,
  temporaryDirectory,
} from './lib/children.js';
import { SPEED_CASES } from './lib/fixture.js';
import { lengthOfRound, median } from './lib/measures.js';
import { ms, ratio, table, whole } from './lib/report.js';

const { values: options } = parseArgs({
  options: {
    workers: { type: 'string', default: '1,2' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '64' },
    only: { type: 'string', default: '' },
    limits: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});

const HELP = `Usage: node bench/workers.js [options]
  --workers N,…    numbers of workers (default 1,2)
  --rounds N       rounds of bare and each server (default 3)
  --seconds S      length of each run (default 4)
  --connections N  connections, with one request at a time on each (default 64)
  --only TEXT      only the speed cases whose name contains TEXT
  --limits         with rate limits, which are too high to be reached`;

/** Limits that are counted, but never reached. */
const LIMITS = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_PER_ADDRESS: '1000000' };

/** A server consists of a process and its children. */
function processesOf(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return [pid, ...children.split(' ').filter(Boolean).map(Number)];
}

const usedSeconds = (pids) => pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0);

async function measure(generator, target, scripts, length) {
  const [used, machine] = [usedSeconds(target.pids), machineSeconds()];
  const connections = Number(options.connections);
  const result = await generator.run({ port: target.port, scripts, connections, ...length });
  if (Object.keys(result.errors).length > 0)
    throw new Error(`error responses: ${JSON.stringify(result.errors)}`);
  const seconds = usedSeconds(target.pids) - used;
  const cores = seconds / result.seconds;
  const others = (machineSeconds() - machine) / result.seconds - cores - result.generatorCores;
  return { ...result, cores, others, cpuMicroseconds: (1e6 * seconds) / result.requests };
}

async function measureCase(generator, targets, { scripts, writes }) {
  const runs = targets.map(() => []);
  for (let round = 0; round <= Number(options.rounds); round++) {
    for (const [i, target] of targets.entries()) {
      const length = lengthOfRound(round, 1000 * Number(options.seconds), target.serving);
      const result = await measure(generator, target, scripts(), length);
      if (writes) await target.server?.settle();
      if (round > 0) runs[i].push(result);
    }
  }
  return runs;
}

function rowsOf({ name }, targets, runs) {
  return targets.map((target, i) => {
    const of = (field) => median(runs[i].map((run) => run[field]));
    const ratios = runs[i].map(({ perSecond }, round) => perSecond / runs[0][round].perSecond);
    return [
      i === 0 ? name : '',
      target.name,
      whole(of('perSecond')),
      ratio(median(ratios)),
      ms(of('p50')),
      ms(of('p99')),
      `${whole(of('cpuMicroseconds'))} µs`,
      ratio(of('cores')),
      ratio(of('generatorCores')),
      ratio(of('others')),
    ];
  });
}

/** Resident memory of the process that was started, and of its workers. */
const memoryRow = ({ name, pids }) => {
  const [first, ...workers] = pids.map((pid) => `${whole(residentMemory(pid).resident)} MB`);
  return [name, first, workers.join(', ')];
};

const HEADER = ['', '', 'req/s', 'ratio', 'p50', 'p99', 'CPU per request', 'cores', 'generator', 'others'];

async function run() {
  const generator = new Generator();
  const targets = [];
  const directories = [];
  for (const workers of options.workers.split(',')) {
    const dataDir = temporaryDirectory();
    directories.push(dataDir);
    const env = { WORKERS: workers, ...(options.limits ? LIMITS : {}) };
    const server = await Server.start(dataDir, { env });
    targets.push({
      name: `WORKERS=${workers}`,
      server,
      port: server.port,
      serving: Number(workers),
      pids: processesOf(server.child.pid),
    });
  }
  const bare = await startBareServer(targets[0].server.url);
  targets.unshift({ name: 'bare', port: bare.port, serving: 1, pids: [bare.pid] });
  const memoryAtStart = targets.map(memoryRow);
  const rows = [];
  for (const speedCase of SPEED_CASES) {
    if (!speedCase.name.includes(options.only)) continue;
    rows.push(...rowsOf(speedCase, targets, await measureCase(generator, targets, speedCase)));
    console.error(`${speedCase.name}: done`);
  }
  console.log(`${cpus().length} cores, Node.js ${process.version}\n\n${table(HEADER, rows)}\n`);
  const memory = memoryAtStart.map((row, i) => [...row, ...memoryRow(targets[i]).slice(1)]);
  console.log(table(['memory', 'at the start', 'workers', 'after the load', 'workers'], memory));
  for (const { server } of targets) await server?.stop();
  bare.stop();
  generator.stop();
  for (const directory of directories) removeDirectory(directory);
}

if (options.help) console.log(HELP);
else await run();
