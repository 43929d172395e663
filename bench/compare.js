// node bench/compare.js DIR: CPU time per request, compared with another built checkout. See README.md.
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { BIN, binOf, Generator, removeDirectory, Server, temporaryDirectory } from './lib/children.js';
import { SPEED_CASES } from './lib/fixture.js';
import { table, whole } from './lib/report.js';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    processes: { type: 'string', default: '6' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '2' },
    only: { type: 'string' },
    help: { type: 'boolean' },
  },
});

const HELP = `Usage: node bench/compare.js DIR [options]   (after npm run build; DIR is another built checkout)
  --processes N  fresh server processes of each build (default 6): two processes of one build differ by some percent
  --rounds N     alternating rounds per pair of processes, after a warm-up (default 3)
  --seconds S    length of each round (default 2)
  --only TEXT    only the cases whose name contains TEXT`;

const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

/** Standard error of the mean. */
function uncertainty(numbers) {
  const center = mean(numbers);
  const squares = numbers.reduce((sum, number) => sum + (number - center) ** 2, 0);
  return Math.sqrt(squares / (numbers.length - 1) / numbers.length);
}

/** CPU time in microseconds: of the serving thread, which is the first one, and of all threads. */
function cpuTime(pid) {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const used = (task) =>
    Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1000;
  return { serving: used(pid), all: tasks.reduce((sum, task) => sum + used(task), 0) };
}

async function measureRound(generator, server, { scripts, writes }) {
  const before = cpuTime(server.child.pid);
  const run = { port: server.port, scripts: scripts(), milliseconds: 1000 * Number(options.seconds) };
  const { requests, perSecond, errors } = await generator.run(run);
  if (Object.keys(errors).length > 0) throw new Error(`error responses: ${JSON.stringify(errors)}`);
  if (writes) await server.settle();
  const after = cpuTime(server.child.pid);
  return {
    perSecond,
    serving: (after.serving - before.serving) / requests,
    all: (after.all - before.all) / requests,
  };
}

/** One process of each build; the rounds alternate, so that machine drift affects both equally. */
async function measurePair(generator, bins, speedCase) {
  const directories = bins.map(() => temporaryDirectory());
  const servers = await Promise.all(bins.map((bin, i) => Server.start(directories[i], { bin })));
  const rounds = bins.map(() => []);
  for (let round = 0; round <= Number(options.rounds); round++) {
    for (const [i, server] of servers.entries()) {
      const result = await measureRound(generator, server, speedCase);
      // Round 0 is a warm-up.
      if (round > 0) rounds[i].push(result);
    }
  }
  for (const server of servers) await server.stop();
  for (const directory of directories) removeDirectory(directory);
  return rounds.map((results) => ({
    perSecond: mean(results.map(({ perSecond }) => perSecond)),
    serving: mean(results.map(({ serving }) => serving)),
    all: mean(results.map(({ all }) => all)),
  }));
}

function row({ name }, pairs) {
  const cell = (field, format) =>
    [0, 1].map((build) => format(pairs.map((pair) => pair[build][field]))).join(' → ');
  const microseconds = (numbers) => `${mean(numbers).toFixed(1)} ± ${uncertainty(numbers).toFixed(1)} µs`;
  return [
    name,
    cell('serving', microseconds),
    cell('all', microseconds),
    cell('perSecond', (numbers) => whole(mean(numbers))),
  ];
}

if (options.help || positionals.length !== 1) {
  console.log(HELP);
} else {
  const generator = new Generator();
  const bins = [binOf(resolve(positionals[0])), BIN];
  const rows = [];
  for (const speedCase of SPEED_CASES) {
    if (options.only !== undefined && !speedCase.name.includes(options.only)) continue;
    const pairs = [];
    for (let i = 0; i < Number(options.processes); i++)
      pairs.push(await measurePair(generator, bins, speedCase));
    rows.push(row(speedCase, pairs));
    console.error(`${speedCase.name}: done`);
  }
  generator.stop();
  console.log(table(['', 'serving thread, per request', 'all threads, per request', 'req/s'], rows));
}
