// npm run bench: compares the built server with bare node:http in one run. See README.md.
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  diskMegabytes,
  Generator,
  removeDirectory,
  Server,
  startBareServer,
  temporaryDirectory,
} from './lib/children.js';
import { EVENTS_PER_VISIT, fetchResults, fetchSessions, SPEED_CASES, VISIT_SCRIPTS } from './lib/fixture.js';
import { alternate, summarize, timed } from './lib/measures.js';
import { findRegressions } from './lib/recorded-ratios.js';
import { coresTable, mb, ms, speedTable, targetTable, whole } from './lib/report.js';

const { values: options } = parseArgs({
  options: {
    processes: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '6' },
    seconds: { type: 'string', default: '0.3' },
    connections: { type: 'string', default: '64' },
    events: { type: 'string', default: '1000000' },
    only: { type: 'string' },
    check: { type: 'boolean', default: false },
    help: { type: 'boolean' },
  },
});

const HELP = `Usage: npm run bench -- [options]
  --processes N    processes of each, one after the other: the same code is up to a fifth faster in one than in another
                   (default 5)
  --rounds N       rounds of bare and Switchyard with each process (default 6)
  --seconds S      length of each run (default 0.3)
  --connections N  connections, with one request at a time on each (default 64)
  --events N       events ingested over HTTP in the second part; 0 skips it (default 1000000)
  --only TEXT      only the speed cases whose name contains TEXT
  --check          fails if a ratio is more than 10 % below the one in bench/README.md; skips the second part`;

/** After a load, memory falls in two steps, the second one after 20 to 25 seconds. */
const REST_MS = 30_000;

async function measureSpeed(generator) {
  const cases = SPEED_CASES.filter(({ name }) => options.only === undefined || name.includes(options.only));
  const rounds = cases.map(() => []);
  for (let process = 1; process <= Number(options.processes); process++) {
    const dataDir = temporaryDirectory();
    const server = await Server.start(dataDir);
    const bare = await startBareServer(server.url);
    for (const [i, speedCase] of cases.entries())
      rounds[i].push(...(await measureCase({ generator, bare, server, speedCase })));
    await server.stop();
    bare.stop();
    removeDirectory(dataDir);
    console.error(`process ${process} of ${options.processes}: done`);
  }
  return cases.map((speedCase, i) => ({ ...speedCase, ...summarize(rounds[i]) }));
}

const measureCase = (input) =>
  alternate({
    ...input,
    rounds: Number(options.rounds),
    milliseconds: 1000 * Number(options.seconds),
    connections: Number(options.connections),
  });

/** Fails the run if events are missing. */
async function checkCounts(url, visits) {
  const { body } = await fetchResults(url);
  const counted = body.variations.reduce((sum, { exposures }) => sum + exposures, 0);
  if (counted !== visits)
    throw new Error(`${visits} visits were acknowledged, but the results count ${counted}`);
}

async function measureMillion(generator, events) {
  const dataDir = temporaryDirectory();
  let server = await Server.start(dataDir);
  const fresh = server.memory().resident;
  const run = { port: server.port, scripts: VISIT_SCRIPTS(), connections: Number(options.connections) };
  const load = await generator.run({ ...run, visits: Math.ceil(events / EVENTS_PER_VISIT) });
  if (Object.keys(load.errors).length > 0) console.log(`error responses: ${JSON.stringify(load.errors)}`);
  const loadedMs = await server.settle();
  await checkCounts(server.url, load.visits);
  const memory = server.memory();
  await sleep(REST_MS);
  const rested = server.memory().resident;
  await server.stop();
  server = await Server.start(dataDir);
  const { startMs } = server;
  const results = await timed(() => fetchResults(server.url));
  const sessions = await timed(() => fetchSessions(server.url));
  const afterQueries = server.memory().resident;
  await server.stop('SIGKILL');
  server = await Server.start(dataDir);
  const afterKill = server.startMs;
  await server.stop();
  const disk = diskMegabytes(dataDir);
  removeDirectory(dataDir);
  const stored = Math.round(load.visits * EVENTS_PER_VISIT);
  return [
    {
      name: 'events ingested over HTTP',
      text: `${whole(stored)} in ${load.requests.toLocaleString('en-US')} requests, ${whole(load.perSecond)} req/s, p99 ${ms(load.p99)}`,
    },
    { name: 'time until all of them were loaded', text: ms(loadedMs) },
    { name: 'resident memory before', text: mb(fresh) },
    { name: 'peak resident memory', text: mb(memory.peak) },
    { name: 'resident memory right after', text: mb(memory.resident) },
    {
      name: `resident memory ${REST_MS / 1000} seconds later`,
      text: mb(rested),
      value: rested,
      below: { value: 250, text: '250 MB' },
    },
    {
      name: 'start to first response',
      text: ms(startMs),
      value: startMs,
      below: { value: 2000, text: '2 s' },
    },
    {
      name: 'start to first response after kill -9',
      text: ms(afterKill),
      value: afterKill,
      below: { value: 2000, text: '2 s' },
    },
    {
      name: 'per-variation counts, first after start',
      text: ms(results.first),
      value: results.first,
      below: { value: 300, text: '0.3 s' },
    },
    {
      name: 'per-variation counts, median',
      text: ms(results.median),
      value: results.median,
      below: { value: 300, text: '0.3 s' },
    },
    { name: 'first sessions page, first after start', text: ms(sessions.first) },
    { name: 'first sessions page, median', text: ms(sessions.median) },
    { name: 'resident memory after restart and queries', text: mb(afterQueries) },
    { name: 'on disk', text: mb(disk) },
  ];
}

/** Sets the exit code. */
function check(speed) {
  const regressions = findRegressions(speed);
  for (const regression of regressions) console.log(`slower: ${regression}`);
  if (regressions.length > 0) process.exitCode = 1;
  else console.log('No ratio is more than 10 % below the one in bench/README.md.');
}

if (options.help) {
  console.log(HELP);
} else {
  console.log(
    `Node.js ${process.version}, ${cpus().length} × ${process.arch}, ${new Date().toISOString().slice(0, 10)}\n`,
  );
  const generator = new Generator();
  const speed = await measureSpeed(generator);
  console.log(`${speedTable(speed)}\n\n${coresTable(speed)}\n`);
  if (options.check) check(speed);
  else if (Number(options.events) > 0)
    console.log(targetTable(await measureMillion(generator, Number(options.events))));
  generator.stop();
}
