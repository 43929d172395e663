// node bench/growth.js: how the figures change with the number of stored events. See README.md.
import { parseArgs } from 'node:util';
import {
  diskMegabytes,
  Generator,
  removeDirectory,
  Server,
  startBareServer,
  temporaryDirectory,
} from './lib/children.js';
import { fill } from './lib/fill.js';
import { fetchResults, fetchSessions, SPEED_CASES } from './lib/fixture.js';
import { alternate, summarize, timed } from './lib/measures.js';
import { mb, ms, ratio, table, whole } from './lib/report.js';

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string', default: '100000,1000000,10000000' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    help: { type: 'boolean' },
  },
});

const HELP = `Usage: node bench/growth.js [options]   (after npm run build)
  --sizes A,B,…  numbers of stored events (default 100000,1000000,10000000)
  --rounds N     rounds of bare and Switchyard (default 3)
  --seconds S    length of each run (default 3)`;

async function measure(generator, events) {
  const dataDir = temporaryDirectory();
  const fillMs = await fill(dataDir, events);
  const disk = diskMegabytes(dataDir);
  const server = await Server.start(dataDir);
  const started = server.memory().resident;
  const results = await timed(() => fetchResults(server.url));
  const sessions = await timed(() => fetchSessions(server.url));
  const bare = await startBareServer(server.url);
  const run = {
    generator,
    bare,
    server,
    rounds: Number(options.rounds),
    milliseconds: 1000 * Number(options.seconds),
  };
  const [configCase, exposeCase] = SPEED_CASES;
  const config = summarize(await alternate({ ...run, speedCase: configCase }));
  const expose = summarize(await alternate({ ...run, speedCase: exposeCase }));
  const memory = server.memory();
  bare.stop();
  await server.stop();
  removeDirectory(dataDir);
  return [
    whole(events),
    `${whole(events / (fillMs / 1000))}/s`,
    ms(server.startMs),
    `${ratio(expose.ratio)} (${whole(expose.ours.perSecond)}/s)`,
    `${ms(expose.ours.p50)} / ${ms(expose.ours.p99)}`,
    `${ratio(config.ratio)} (${whole(config.ours.perSecond)}/s)`,
    `${ms(sessions.first)} / ${ms(sessions.median)}`,
    `${ms(results.first)} / ${ms(results.median)}`,
    `${mb(started)} / ${mb(memory.resident)}`,
    mb(disk),
  ];
}

const HEADER = [
  'stored events',
  'fill rate',
  'start',
  'expose, ratio to bare',
  'expose p50 / p99',
  'config, ratio to bare',
  'sessions page, first / median',
  'test results, first / median',
  'memory at start / after load',
  'disk',
];

if (options.help) {
  console.log(HELP);
} else {
  const generator = new Generator();
  const rows = [];
  for (const size of options.sizes.split(',').map(Number)) {
    rows.push(await measure(generator, size));
    console.error(`${whole(size)} events: done`);
  }
  console.log(table(HEADER, rows));
  generator.stop();
}
