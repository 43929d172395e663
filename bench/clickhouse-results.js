// node bench/clickhouse-results.js: the counts behind the results of a large test, on the engine of ClickHouse next to
// DuckDB on the same events. See README.md.
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { diskMegabytes, removeDirectory, temporaryDirectory } from './lib/children.js';
import { createTestEvents } from './lib/clickhouse-events.js';
import { isEmulated, startClickHouse } from './lib/databases.js';
import { emulationFactor, STATEMENT, statementMs } from './lib/emulation.js';
import { median } from './lib/measures.js';
import { mb, ms, ratio, table, whole } from './lib/report.js';

const { values: options } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000,10000000' },
    repeats: { type: 'string', default: '5' },
    help: { type: 'boolean' },
  },
});

const HELP = `Usage: node bench/clickhouse-results.js [options]   (after npm run build)
  --events A,B,…   exposures and conversions (default 1000000,10000000)
  --repeats N      how often the counts are computed after the first time (default 5)`;

async function timed(run) {
  const startedAt = performance.now();
  const value = await run();
  return { value, milliseconds: performance.now() - startedAt };
}

/** The counts of the test, with how long they take the first time and later; an error if a statement takes too long. */
async function measure(store, query) {
  try {
    return await measureAll(store, query);
  } catch (error) {
    return { error };
  }
}

async function measureAll(store, query) {
  const { value, milliseconds: first } = await timed(() => store.splitTestCounts(query));
  const later = [];
  for (let i = 0; i < Number(options.repeats); i++) {
    later.push((await timed(() => store.splitTestCounts(query))).milliseconds);
  }
  return { counts: value, first, median: later.length === 0 ? first : median(later) };
}

/** The same for the same counts, whatever their order. */
function comparable({ exposures, groups }) {
  const text = (value) => JSON.stringify(value, (_, it) => (typeof it === 'bigint' ? `${it}` : it));
  return [...exposures.map(text), ...groups.map(text)].sort().join('\n');
}

function check(duckdb, clickhouse, { visitors }) {
  if (comparable(duckdb) !== comparable(clickhouse)) {
    throw new Error(`the answers differ:\n${comparable(duckdb)}\n\n${comparable(clickhouse)}`);
  }
  const counted = duckdb.groups.reduce((sum, group) => sum + group.visitors, 0);
  if (counted !== visitors) throw new Error(`stored ${visitors} visitors, but ${counted} were counted`);
}

async function inDuckDb(events) {
  const { openDuckDbEventStore } = await import('../packages/server/dist/duckdb-event-store.cjs');
  const directory = temporaryDirectory();
  const store = await openDuckDbEventStore(join(directory, 'events.duckdb'));
  await events.appendTo(store);
  const result = await measure(store, events.query);
  await store.close();
  const disk = diskMegabytes(directory);
  removeDirectory(directory);
  return { ...result, disk };
}

async function inClickHouse(engine, events) {
  const { openClickHouseEventStore } = await import('../packages/server/dist/clickhouse-event-store.cjs');
  const database = `events_${events.visitors}`;
  const store = openClickHouseEventStore({ url: `${engine.url}/${database}`, pingTimeoutMs: 60_000 });
  // Creates the tables.
  await store.positions();
  await events.insertInto(engine.url, database);
  const result = await measure(store, events.query);
  await store.close();
  return result;
}

async function compareEngines(engine, count) {
  const events = createTestEvents(count);
  const duckdb = await inDuckDb(events);
  console.error(`${whole(count)} events: DuckDB done`);
  const clickhouse = await inClickHouse(engine, events);
  if (clickhouse.error === undefined) check(duckdb.counts, clickhouse.counts, events);
  console.error(`${whole(count)} events: ClickHouse ${clickhouse.error?.message ?? 'done, the same counts'}`);
  const times = ({ error, first, median: later }) =>
    error === undefined ? `${ms(first)} / ${ms(later)}` : 'ended after 60 s';
  return [
    whole(count),
    whole(events.visitors),
    times(duckdb),
    times(clickhouse),
    clickhouse.error === undefined ? ratio(clickhouse.median / duckdb.median) : '',
    mb(duckdb.disk),
  ];
}

const HEADER = [
  'events',
  'visitors',
  'DuckDB, first / median',
  'ClickHouse, first / median',
  'ClickHouse ÷ DuckDB',
  'DuckDB on disk',
];

async function run() {
  const engine = await startClickHouse();
  const rows = [];
  for (const count of options.events.split(',').map(Number)) rows.push(await compareEngines(engine, count));
  console.log(`${cpus().length} cores, Node.js ${process.version}\n\n${table(HEADER, rows)}`);
  console.log(`\n\`${STATEMENT}\` takes the engine ${ms(await statementMs(engine.url))}.`);
  if (isEmulated) {
    const factor = await emulationFactor();
    console.log(
      `The engine is emulated: a program that computes takes ${ratio(factor)} times as long as without.`,
    );
  }
  await engine.stop();
}

if (options.help) console.log(HELP);
else await run();
