// node bench/results.js: how long the results of a large test take, idle and during ingestion. See README.md.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Generator, removeDirectory, Server, temporaryDirectory } from './lib/children.js';
import { fetchResults, SPEED_CASES, visitorEntries } from './lib/fixture.js';
import { median } from './lib/measures.js';
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
/** A store that was just opened counts all visitors; it does not know an earlier answer. */
const FIRST_ANSWERS = 3;
const REPEATED_ANSWERS = 5;
const NEW_VISITORS = 1000;

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

/** The first results after each of several starts; the last server goes on. */
async function firstResults(dataDir, visitors) {
  const times = [];
  for (let start = 1; ; start++) {
    const server = await Server.start(dataDir);
    const { body, milliseconds } = await fetchResults(server.url);
    check(body, visitors);
    times.push(milliseconds);
    if (start === FIRST_ANSWERS) return { server, milliseconds: median(times) };
    await server.stop();
  }
}

/** Results with nothing but new visitors since the last ones. */
async function repeatedResults(generator, server) {
  const times = [];
  for (let round = 0; round < REPEATED_ANSWERS; round++) {
    await generator.run({
      ...{ port: server.port, scripts: SPEED_CASES[1].scripts() },
      ...{ connections: Number(options.connections), visits: NEW_VISITORS },
    });
    // Until they are stored.
    await sleep(2000);
    times.push((await fetchResults(server.url)).milliseconds);
  }
  return median(times);
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
  const { server, milliseconds } = await firstResults(dataDir, visitors);
  const firstPeak = server.memory().peak;
  const repeated = await repeatedResults(generator, server);
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
    `${ms(milliseconds)}`,
    `${ms(repeated)}`,
    `${ms(loaded.results)}`,
    `${whole(idle.perSecond)}/s, p99 ${ms(idle.p99)}`,
    `${whole(loaded.perSecond)}/s, p99 ${ms(loaded.p99)}`,
    `${mb(firstPeak)} / ${mb(memory.resident)} / ${mb(memory.peak)}`,
  ];
}

const HEADER = [
  'visitors',
  'first results of 3 goals',
  'again, 1,000 visitors later',
  'slowest during ingestion',
  'ingestion only',
  'ingestion during results',
  'memory: peak of first results / now / peak',
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
