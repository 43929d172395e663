// node bench/streams.js: what thousands of open flag streams cost the serving thread, per change and while nothing
// changes, compared with plain node:http that writes to all of them at once. See README.md.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { binOf, removeDirectory, residentMemory, Server, temporaryDirectory, track } from './lib/children.js';
import { Manager, OWNER_SETTINGS } from './lib/manager.js';
import { median } from './lib/measures.js';
import { ms, ratio, table, whole } from './lib/report.js';
import { StreamClients } from './lib/stream-clients.js';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    streams: { type: 'string', default: '10000' },
    changes: { type: 'string', default: '9' },
    idle: { type: 'string', default: '16' },
    help: { type: 'boolean' },
  },
});

const HELP = `Usage: node bench/streams.js [DIR] [options]   (after npm run build; DIR is another built checkout)
  --streams N  open streams (default 10000)
  --changes N  changes of a flag, one after the other (default 9)
  --idle N     seconds to watch heartbeats only (default 16)`;

const TARGET_MS = 20;
const STREAMS = Number(options.streams);
const TURN_PROBE = new URL('./lib/turn-probe.js', import.meta.url).href;
const BARE_SERVER = fileURLToPath(new URL('./lib/bare-streams.js', import.meta.url));

/** The longest turns of a process with `turn-probe.js`. */
class Turns {
  constructor(directory) {
    this.file = join(directory, 'turns.json');
    this.env = { NODE_OPTIONS: `--import=${TURN_PROBE}`, TURNS_FILE: this.file };
  }

  /** Since the last call. */
  async read(pid) {
    rmSync(this.file, { force: true });
    process.kill(pid, 'SIGUSR2');
    for (;;) {
      await sleep(20);
      try {
        return JSON.parse(readFileSync(this.file, 'utf8'));
      } catch (error) {
        if (error.code !== 'ENOENT') throw error;
      }
    }
  }
}

async function measure({ pid, port, turns, change }) {
  const clients = new StreamClients();
  // The first request of a route compiles its schemas, whether there are streams or not.
  await change(-1);
  await sleep(1000);
  const before = residentMemory(pid).resident;
  await turns.read(pid);
  const { refused } = await clients.open(port, STREAMS);
  if (refused > 0) throw new Error(`${refused} streams were refused`);
  const opening = await turns.read(pid);
  await sleep(2000);
  const perStream = ((residentMemory(pid).resident - before) * 1024) / STREAMS;
  const times = [];
  const longest = [];
  for (let round = 0; round < Number(options.changes); round++) {
    await turns.read(pid);
    times.push(await clients.receiveAll(() => change(round)));
    longest.push(await turns.read(pid));
    await sleep(500);
  }
  await turns.read(pid);
  await sleep(Number(options.idle) * 1000);
  const idle = await turns.read(pid);
  clients.stop();
  return { perStream, opening, times, longest, idle };
}

async function measureServer(bin) {
  const directory = temporaryDirectory();
  const turns = new Turns(directory);
  const env = {
    ...OWNER_SETTINGS,
    ...turns.env,
    STREAMS_MAX: String(STREAMS),
    STREAMS_MAX_PER_KEY: String(STREAMS),
  };
  const server = await Server.start(directory, { env, ...(bin && { bin }) });
  const manager = await Manager.signIn(server.url);
  const body = (round) => ({
    environments: { production: { enabled: true, value: `value ${round}`, rules: [] } },
  });
  const result = await measure({
    pid: server.child.pid,
    port: server.port,
    turns,
    change: (round) => manager.change('PATCH', '/flags/flag-1', body(round)),
  });
  await server.stop();
  removeDirectory(directory);
  return result;
}

async function measureBare() {
  const directory = temporaryDirectory();
  const turns = new Turns(directory);
  const child = track(fork(BARE_SERVER, { env: { ...process.env, ...turns.env } }));
  const [{ port }] = await once(child, 'message');
  const event = (round) => `event: change\ndata: ${JSON.stringify({ round, text: 'x'.repeat(600) })}\n\n`;
  const result = await measure({
    pid: child.pid,
    port,
    turns,
    change: (round) => fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: event(round) }),
  });
  child.disconnect();
  removeDirectory(directory);
  return result;
}

if (options.help) console.log(HELP);
else {
  const measured = [['bare', await measureBare()]];
  if (positionals.length > 0) {
    measured.push(['the other checkout', await measureServer(binOf(positionals[0]))]);
  }
  measured.push(['Switchyard', await measureServer()]);
  const worst = (turns) => Math.max(...turns.map(({ cpuMs }) => cpuMs));
  const [, bare] = measured[0];
  const rows = measured.map(([name, { perStream, opening, times, longest, idle }]) => [
    name,
    ms(worst(longest)),
    ratio(worst(longest) / worst(bare.longest)),
    ms(Math.max(...longest.map((turn) => turn.ms))),
    ms(median(times)),
    ratio(median(times) / median(bare.times)),
    ms(idle.cpuMs),
    ms(opening.cpuMs),
    `${whole(perStream)} kB`,
    ratio(perStream / bare.perStream),
    worst(longest) < TARGET_MS && idle.cpuMs < TARGET_MS ? 'met' : 'missed',
  ]);
  const header = [
    `${whole(STREAMS)} streams`,
    'longest turn during a change',
    'ratio',
    'by the clock',
    'last client has the change',
    'ratio',
    'longest turn, heartbeats only',
    'while streams open',
    'memory per stream',
    'ratio',
    `turns under ${TARGET_MS} ms`,
  ];
  console.log(table(header, rows));
}
