// node bench/sustained.js: writes with idempotency keys for half an hour, at half of the capacity. See README.md.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Generator, removeDirectory, Server, temporaryDirectory } from './lib/children.js';
import { KEYED_SCRIPTS } from './lib/fixture.js';
import { median } from './lib/measures.js';
import { mb, ms, table, whole } from './lib/report.js';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    share: { type: 'string', default: '0.5' },
    help: { type: 'boolean' },
  },
});

const HELP = `Usage: node bench/sustained.js [options]   (after npm run build)
  --minutes N   duration (default 30)
  --share N     part of the capacity to use (default 0.5)`;

const WARM_UP_REQUESTS = 20_000;
const CAPACITY_ROUNDS = 5;
const CAPACITY_MS = 4000;
const MINUTE_MS = 60_000;
/** Memory is flat if the last third of the minutes takes at most so much more than the second, without cached events. */
const MAX_GROWTH = 1.05;
const MIB = 1024 * 1024;

const scripts = KEYED_SCRIPTS();

/** Requests per second when the clients wait for nothing but the responses. */
async function capacityOf(server, generator) {
  await generator.run({ port: server.port, scripts, visits: WARM_UP_REQUESTS });
  const rates = [];
  for (let round = 0; round < CAPACITY_ROUNDS; round++) {
    const { perSecond } = await generator.run({ port: server.port, scripts, milliseconds: CAPACITY_MS });
    rates.push(perSecond);
    await server.settle();
  }
  return median(rates);
}

async function metric(url, name) {
  const text = await (await fetch(new URL('/metrics', url))).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)[1]);
}

const sizeOf = ({ dataDir }, name) => statSync(join(dataDir, name), { throwIfNoEntry: false })?.size ?? 0;

async function measureMinute(server, generator, perSecond) {
  const load = await generator.run({ port: server.port, scripts, perSecond, milliseconds: MINUTE_MS });
  return {
    ...load,
    memory: server.memory().resident,
    store: (sizeOf(server, 'events.duckdb') + sizeOf(server, 'events.duckdb.wal')) / MIB,
    marks: (sizeOf(server, 'marks.db') + sizeOf(server, 'marks.db-wal')) / MIB,
    keys: (await metric(server.url, 'switchyard_idempotency_bytes')) / 16,
    waiting: (await metric(server.url, 'switchyard_journal_bytes')) / MIB,
  };
}

const third = (minutes, number) =>
  minutes.slice(Math.floor((minutes.length * number) / 3), Math.ceil((minutes.length * (number + 1)) / 3));
/** Without the event store, of which DuckDB keeps up to 256 MB in memory. */
const memoryOf = (minutes) => median(minutes.map(({ memory, store }) => memory - Math.min(store, 256)));

if (options.help) {
  console.log(HELP);
} else {
  const dataDir = temporaryDirectory();
  const generator = new Generator();
  const server = await Server.start(dataDir);
  const capacity = await capacityOf(server, generator);
  const perSecond = capacity * Number(options.share);
  console.error(`capacity: ${whole(capacity)} requests per second; sending ${whole(perSecond)}`);
  const minutes = [];
  while (minutes.length < Number(options.minutes)) {
    const minute = await measureMinute(server, generator, perSecond);
    minutes.push(minute);
    console.error(
      `minute ${minutes.length}: ${whole(minute.perSecond)} req/s, p99 ${ms(minute.p99)}, ${mb(minute.memory)}, errors ${JSON.stringify(minute.errors)}`,
    );
  }
  const rows = minutes
    .map((minute, i) => [i + 1, minute])
    .filter(([number]) => number === 1 || number % 5 === 0)
    .map(([number, { perSecond: rate, p99, max, errors, memory, store, keys, marks, waiting }]) => [
      String(number),
      whole(rate),
      ms(p99),
      ms(max),
      String(Object.values(errors).reduce((sum, count) => sum + count, 0)),
      mb(memory),
      mb(store),
      whole(keys),
      mb(marks),
      mb(waiting),
    ]);
  const header = [
    'minute',
    'req/s',
    'p99',
    'max',
    'errors',
    'memory',
    'event store',
    'keys',
    'marks.db',
    'journal',
  ];
  console.log(table(header, rows));
  const growth = memoryOf(third(minutes, 2)) / memoryOf(third(minutes, 1));
  const errors = minutes.flatMap((minute) => Object.keys(minute.errors));
  console.log(
    `capacity ${whole(capacity)} req/s, used ${whole(perSecond)}; responses other than 200: ${errors.length === 0 ? 'none' : [...new Set(errors)].join(', ')}; ` +
      `memory without cached events, last third compared with the second: ${growth.toFixed(2)} (target: below ${MAX_GROWTH})`,
  );
  await server.stop();
  generator.stop();
  removeDirectory(dataDir);
  process.exitCode = errors.length === 0 && growth < MAX_GROWTH ? 0 : 1;
}
