// node bench/results.js: how long the results of a large test take, idle and during ingestion. See README.md.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Generator, removeDirectory, Server, temporaryDirectory } from './lib/children.js';
import { fetchResults, SPEED_CASES, visitorEntries } from './lib/fixture.js';
import { timed } from './lib/measures.js';
import { mb, ms, table, whole } from './lib/report.js';

const { values: options } = parseArgs({
  options: {
    visitors: { type: 'string', default: '1000000,10000000' },
    seconds: { type: 'string', default: '20' },
    connections: { type: 'string', default: '16' },
    help: { type: 'boolean' },
  },
});

const HELP = `Usage: node bench/results.js [options]   (after npm run build)
  --visitors A,B,…   visitors of the test (default 1000000,10000000); storing ten million takes a few minutes
  --seconds S        how long to ingest while results are requested (default 20)
  --connections N    connections that ingest (default 16)`;

const DAY = 24 * 60 * 60 * 1000;
const BATCH_VISITORS = 4000;

async function fill(dataDir, visitors) {
  const { openDuckDbEventStore } = await import('../packages/server/dist/duckdb-event-store.cjs');
  const store = await openDuckDbEventStore(join(dataDir, 'events.duckdb'));
  const first = Date.now() - 14 * DAY;
  let seq = 1;
  for (let visitor = 1; visitor <= visitors; ) {
    const entries = [];
    for (const end = Math.min(visitors, visitor + BATCH_VISITORS - 1); visitor <= end; visitor++) {
      const added = visitorEntries(seq, visitor, first + Math.floor((visitor / visitors) * 13 * DAY));
      seq += added.length;
      entries.push(...added);
    }
    await store.append('local', entries);
  }
  await store.close();
}

/** Requests results in a loop during ingestion, to measure how long exposures wait for their response. */
async function whileIngesting(generator, server) {
  const load = generator.run({
    port: server.port,
    scripts: SPEED_CASES[1].scripts(),
    connections: Number(options.connections),
    milliseconds: 1000 * Number(options.seconds),
  });
  const latencies = [];
  let isOver = false;
  const requesting = (async () => {
    while (!isOver) latencies.push((await fetchResults(server.url)).milliseconds);
  })();
  const result = await load;
  isOver = true;
  await requesting;
  return { ...result, results: Math.max(...latencies) };
}

function check(body, visitors) {
  const counted = body.variations.reduce((sum, variation) => sum + variation.visitors, 0);
  if (counted !== visitors) throw new Error(`stored ${visitors} visitors, but the results count ${counted}`);
  if (body.goals.length !== 3 || body.goals.some(({ counts }) => counts[0].converted === 0)) {
    throw new Error('conversions are missing');
  }
}

async function measure(generator, visitors) {
  const dataDir = temporaryDirectory();
  await fill(dataDir, visitors);
  const server = await Server.start(dataDir);
  check((await fetchResults(server.url)).body, visitors);
  const results = await timed(() => fetchResults(server.url));
  const idle = await generator.run({
    port: server.port,
    scripts: SPEED_CASES[1].scripts(),
    connections: Number(options.connections),
    milliseconds: 5000,
  });
  await server.settle();
  const loaded = await whileIngesting(generator, server);
  const memory = server.memory();
  await server.stop();
  removeDirectory(dataDir);
  return [
    whole(visitors),
    `${ms(results.median)}`,
    `${ms(loaded.results)}`,
    `${whole(idle.perSecond)}/s, p99 ${ms(idle.p99)}`,
    `${whole(loaded.perSecond)}/s, p99 ${ms(loaded.p99)}`,
    `${mb(memory.resident)} / ${mb(memory.peak)}`,
  ];
}

const HEADER = [
  'visitors',
  'results of 3 goals',
  'slowest during ingestion',
  'ingestion only',
  'ingestion during results',
  'memory now / peak',
];

if (options.help) {
  console.log(HELP);
} else {
  const generator = new Generator();
  const rows = [];
  for (const size of options.visitors.split(',').map(Number)) {
    rows.push(await measure(generator, size));
    console.error(`${whole(size)} visitors: done`);
  }
  console.log(table(HEADER, rows));
  generator.stop();
}
