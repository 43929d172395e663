// node bench/results.js: how long the results of a large test take, alone and beside ingest. See README.md.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Generator, removeDirectory, Server, temporaryDirectory } from './lib/children.js';
import { askResults, SPEED_CASES, visitorEntries } from './lib/fixture.js';
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
  --visitors A,B,…   visitors of the test (1000000,10000000); ten million take some minutes to store
  --seconds S        how long to ingest while results are asked for (20)
  --connections N    that ingest (16)`;

const DAY = 24 * 60 * 60 * 1000;
const BATCH_VISITORS = 4000;

async function fill(dataDir, visitors) {
  const { openDuckDbEventStore } = await import('../packages/server/dist/duckdb-event-store.js');
  const store = await openDuckDbEventStore(join(dataDir, 'events.duckdb'));
  const first = Date.now() - 14 * DAY;
  let seq = 1;
  for (let visitor = 1; visitor <= visitors; ) {
    const entries = [];
    for (const end = Math.min(visitors, visitor + BATCH_VISITORS - 1); visitor <= end; visitor++) {
      const made = visitorEntries(seq, visitor, first + Math.floor((visitor / visitors) * 13 * DAY));
      seq += made.length;
      entries.push(...made);
    }
    await store.append(entries);
  }
  await store.close();
}

/** Asks again and again while exposures come in; what counts is how long they wait for their acknowledgement. */
async function whileIngesting(generator, server) {
  const load = generator.run({
    port: server.port,
    scripts: SPEED_CASES[1].scripts(),
    connections: Number(options.connections),
    milliseconds: 1000 * Number(options.seconds),
  });
  const asked = [];
  let isOver = false;
  const asking = (async () => {
    while (!isOver) asked.push((await askResults(server.url)).milliseconds);
  })();
  const result = await load;
  isOver = true;
  await asking;
  return { ...result, results: Math.max(...asked) };
}

function check(body, visitors) {
  const counted = body.variations.reduce((sum, variation) => sum + variation.visitors, 0);
  if (counted !== visitors) throw new Error(`${visitors} visitors were stored, ${counted} are counted`);
  if (body.goals.length !== 3 || body.goals.some(({ counts }) => counts[0].converted === 0)) {
    throw new Error('conversions are missing');
  }
}

async function measure(generator, visitors) {
  const dataDir = temporaryDirectory();
  await fill(dataDir, visitors);
  const server = await Server.start(dataDir);
  check((await askResults(server.url)).body, visitors);
  const results = await timed(() => askResults(server.url));
  const alone = await generator.run({
    port: server.port,
    scripts: SPEED_CASES[1].scripts(),
    connections: Number(options.connections),
    milliseconds: 5000,
  });
  await server.settle();
  const beside = await whileIngesting(generator, server);
  const memory = server.memory();
  await server.stop();
  removeDirectory(dataDir);
  return [
    whole(visitors),
    `${ms(results.median)}`,
    `${ms(beside.results)}`,
    `${whole(alone.perSecond)}/s, p99 ${ms(alone.p99)}`,
    `${whole(beside.perSecond)}/s, p99 ${ms(beside.p99)}`,
    `${mb(memory.resident)} / ${mb(memory.most)}`,
  ];
}

const HEADER = [
  'visitors',
  'results of 3 goals',
  'the slowest beside ingest',
  'ingest alone',
  'ingest beside results',
  'memory now / at most',
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
