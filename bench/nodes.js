// node bench/nodes.js: one and two nodes on PostgreSQL and ClickHouse, compared with bare node:http in one run, and how
// soon a change on one node is effective on the other. See README.md.
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  cpuSeconds,
  Generator,
  machineSeconds,
  removeDirectory,
  Server,
  startBareServer,
  temporaryDirectory,
} from './lib/children.js';
import { isEmulated, startClickHouse, startPostgres } from './lib/databases.js';
import { SPEED_CASES } from './lib/fixture.js';
import { OWNER_SETTINGS } from './lib/manager.js';
import { lengthOfRound, median } from './lib/measures.js';
import { measurePropagation } from './lib/propagation.js';
import { ms, ratio, table, targetTable, whole } from './lib/report.js';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '64' },
    only: { type: 'string', default: '' },
    changes: { type: 'string', default: '200' },
    'without-clickhouse': { type: 'boolean' },
    help: { type: 'boolean' },
  },
});

const HELP = `Usage: node bench/nodes.js [options]   (after npm run build)
  --rounds N       rounds of bare, one node and two nodes (default 3)
  --seconds S      length of each run (default 4)
  --connections N  connections, with one request at a time on each; shared by the nodes (default 64)
  --only TEXT      only the speed cases whose name contains TEXT
  --changes N      changes of each kind for the propagation (default 200); 0: none
  --without-clickhouse  events stay in the journals, and the engine takes no time of the cores`;

const CASES = ['goal increment', 'evaluate (20 flags)'];
const LOAD_TIMEOUT_MS = 10 * 60_000;

/** Events that the journal of a node has and ClickHouse lacks. */
async function lag({ url }) {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^switchyard_journal_lag_requests (\d+)$/m.exec(text)[1]);
}

/** Waits until everything that was acknowledged is in ClickHouse; returns how long that took. */
async function settle(nodes) {
  if (options['without-clickhouse']) return 0;
  const startedAt = performance.now();
  for (const node of nodes) {
    while ((await lag(node)) > 0) {
      if (performance.now() - startedAt > LOAD_TIMEOUT_MS) throw new Error('events were not loaded in time');
      await sleep(50);
    }
  }
  return performance.now() - startedAt;
}

/** All servers of a target at once, each with its share of the connections. */
async function measure({ generators, engine }, { servers }, scripts, length) {
  const used = () => servers.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
  const usedByEngine = () => (engine === undefined ? 0 : cpuSeconds(engine.pid));
  const before = { servers: used(), engine: usedByEngine(), machine: machineSeconds() };
  const connections = Math.round(Number(options.connections) / servers.length);
  const results = await Promise.all(
    servers.map(({ port }, i) => generators[i].run({ port, scripts, connections, ...length })),
  );
  for (const { errors } of results) {
    if (Object.keys(errors).length > 0) throw new Error(`error responses: ${JSON.stringify(errors)}`);
  }
  const sum = (field) => results.reduce((total, result) => total + result[field], 0);
  const seconds = Math.max(...results.map((result) => result.seconds));
  const serverSeconds = used() - before.servers;
  const cores = {
    servers: serverSeconds / seconds,
    generator: sum('generatorCores'),
    engine: (usedByEngine() - before.engine) / seconds,
  };
  const machine = (machineSeconds() - before.machine) / seconds;
  return {
    perSecond: sum('perSecond'),
    p50: Math.max(...results.map(({ p50 }) => p50)),
    p99: Math.max(...results.map(({ p99 }) => p99)),
    cpuMicroseconds: (1e6 * serverSeconds) / sum('requests'),
    ...cores,
    others: machine - cores.servers - cores.generator - cores.engine,
  };
}

async function measureCase(parts, targets, { scripts, writes }) {
  const runs = targets.map(() => []);
  for (let round = 0; round <= Number(options.rounds); round++) {
    const length = lengthOfRound(round, 1000 * Number(options.seconds));
    for (const [i, target] of targets.entries()) {
      const result = await measure(parts, target, scripts(), length);
      const loadedMs = writes && target.nodes ? await settle(target.nodes) : 0;
      if (round > 0) runs[i].push({ ...result, loadedMs });
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
      ...['servers', 'generator', 'engine', 'others'].map((field) => ratio(of(field))),
      of('loadedMs') === 0 ? '' : ms(of('loadedMs')),
    ];
  });
}

const HEADER = [
  '',
  '',
  'req/s',
  'ratio',
  'p50',
  'p99',
  'CPU per request',
  'cores',
  'generators',
  'ClickHouse',
  'others',
  'load lag',
];

async function startNode(env) {
  const server = await Server.start(temporaryDirectory(), { env });
  return Object.assign(server, { pid: server.child.pid });
}

async function run() {
  const postgres = await startPostgres();
  const engine = options['without-clickhouse'] ? undefined : await startClickHouse();
  const env = {
    ...OWNER_SETTINGS,
    DATABASE_URL: postgres.url,
    // Port 9 (discard) has no server.
    CLICKHOUSE_URL: `${engine?.url ?? 'http://127.0.0.1:9'}/bench`,
  };
  const nodes = [await startNode(env), await startNode(env)];
  const bare = await startBareServer(nodes[0].url);
  const targets = [
    { name: 'bare', servers: [bare] },
    { name: '1 node', servers: nodes.slice(0, 1), nodes: nodes.slice(0, 1) },
    { name: '2 nodes', servers: nodes, nodes },
  ];
  const parts = { generators: [new Generator(), new Generator()], engine };
  const rows = [];
  for (const speedCase of SPEED_CASES) {
    if (!CASES.includes(speedCase.name) || !speedCase.name.includes(options.only)) continue;
    rows.push(...rowsOf(speedCase, targets, await measureCase(parts, targets, speedCase)));
    console.error(`${speedCase.name}: done`);
  }
  const how =
    engine === undefined ? 'unavailable' : isEmulated ? 'on the same cores, emulated' : 'on the same cores';
  console.log(`${cpus().length} cores, Node.js ${process.version}; ClickHouse ${how}\n`);
  if (rows.length > 0) console.log(table(HEADER, rows));
  if (Number(options.changes) > 0) {
    console.log(`\n${targetTable(await measurePropagation(nodes, Number(options.changes)))}`);
  }
  for (const generator of parts.generators) generator.stop();
  bare.stop();
  for (const node of nodes) {
    await node.stop();
    removeDirectory(node.dataDir);
  }
  await engine?.stop();
  await postgres.dispose();
}

if (options.help) console.log(HELP);
else await run();
