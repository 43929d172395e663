// node bench/connections.js: how long many clients that connect at the same moment wait for their first response, while
// others keep the server busy. See README.md.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  binOf,
  Generator,
  removeDirectory,
  Server,
  startBareServer,
  temporaryDirectory,
} from './lib/children.js';
import { SPEED_CASES } from './lib/fixture.js';
import { median } from './lib/measures.js';
import { ms, table, whole } from './lib/report.js';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    clients: { type: 'string', default: '64,128,512' },
    rounds: { type: 'string', default: '9' },
    connections: { type: 'string', default: '64' },
    help: { type: 'boolean' },
  },
});

const HELP = `Usage: node bench/connections.js [DIR] [options]   (after npm run build; DIR is another built checkout)
  --clients A,B,…  clients that connect at the same moment (default 64,128,512)
  --rounds N       how often (default 9)
  --connections N  connections that keep the server busy (default 64)`;

/** Between two rounds, so that the server is back to its usual load. */
const PAUSE_MS = 200;
const [BUSY_CASE] = SPEED_CASES;
const [[REQUEST]] = BUSY_CASE.scripts();

/** Milliseconds from connecting to the first byte of the response. */
function firstResponse(port) {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => socket.write(REQUEST));
    socket.once('data', () => {
      resolve(performance.now() - startedAt);
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

/** While others keep the server busy: the last first response of each round, and the slowest response of the others. */
async function measure(generator, port, clients) {
  const rounds = Number(options.rounds);
  const load = generator.run({
    port,
    scripts: BUSY_CASE.scripts(),
    connections: Number(options.connections),
    milliseconds: 1000 + rounds * 2 * PAUSE_MS,
  });
  await sleep(1000);
  const last = [];
  for (let round = 0; round < rounds; round++) {
    const waits = await Promise.all(Array.from({ length: clients }, () => firstResponse(port)));
    last.push(Math.max(...waits));
    await sleep(PAUSE_MS);
  }
  const { perSecond, p99, max } = await load;
  return { median: median(last), worst: Math.max(...last), perSecond, p99, max };
}

if (options.help) {
  console.log(HELP);
} else {
  const generator = new Generator();
  const directories = [temporaryDirectory()];
  const servers = [['Switchyard', await Server.start(directories[0])]];
  if (positionals.length > 0) {
    directories.push(temporaryDirectory());
    const bin = binOf(positionals[0]);
    servers.unshift(['the other checkout', await Server.start(directories[1], { bin })]);
  }
  const bare = await startBareServer(servers[0][1].url);
  const rows = [];
  for (const clients of options.clients.split(',').map(Number)) {
    for (const [name, { port }] of [['bare', bare], ...servers]) {
      const { median: middle, worst, perSecond, p99, max } = await measure(generator, port, clients);
      rows.push([whole(clients), name, ms(middle), ms(worst), whole(perSecond), ms(p99), ms(max)]);
    }
    console.error(`${clients} clients: done`);
  }
  const header = ['clients', '', 'last first response', 'worst round', 'others: req/s', 'p99', 'max'];
  console.log(table(header, rows));
  for (const [, server] of servers) await server.stop();
  bare.stop();
  generator.stop();
  for (const directory of directories) removeDirectory(directory);
}
