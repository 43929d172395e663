// node bench/sdk-node.js: what a goal costs the process that records it, with and without a spool directory.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createSwitchyard } from '../packages/sdk/dist/esm/node/node.js';
import { removeDirectory, temporaryDirectory, track } from './lib/children.js';
import { table } from './lib/report.js';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    calls: { type: 'string', default: '2000' },
    help: { type: 'boolean' },
  },
});

const HELP = `Usage: node bench/sdk-node.js [options]   (after npm run build)
  --rounds N  rounds, with all cases in each (default 7)
  --calls N   calls per case and round (default 2000)`;

const CONCURRENT = 8;
const SECRET_KEY = 'service_sec_0123456789abcdefBenchSecret';

/** In a process of its own, so that its CPU time does not count. */
async function startAcknowledgingServer() {
  const child = track(fork(fileURLToPath(new URL('./lib/bare-server.js', import.meta.url))));
  child.send({ config: '{}', evaluate: '{}' });
  const [{ port }] = await once(child, 'message');
  return { url: `http://127.0.0.1:${port}`, stop: () => child.disconnect() };
}

function openClient(name, url, spoolDirectory) {
  const client = createSwitchyard({
    apiUrl: url,
    secretApiKey: SECRET_KEY,
    propertyId: 'shop',
    evaluation: 'remote',
    ...(spoolDirectory ? { spoolDirectory } : {}),
  });
  return {
    name,
    async call(sessionId) {
      const result = await client.goals.increment('revenue', { amount: 49.9, sessionId });
      if (!result.success) throw new Error(result.error.message);
    },
    close: () => client.close(),
  };
}

/** The least that any client has to do. */
const plainFetch = (url) => ({
  name: 'plain `fetch`',
  async call(sessionId) {
    const response = await fetch(`${url}/v1/goals/increment`, {
      method: 'POST',
      headers: { 'x-api-key': SECRET_KEY, 'content-type': 'application/json', 'idempotency-key': sessionId },
      body: JSON.stringify({ propertyId: 'shop', goalId: 'revenue', amount: 49.9, sessionId }),
    });
    await response.json();
  },
  close() {},
});

/** Microseconds per call: until it returns its promise, CPU time of all threads, and until the promise resolves. */
async function measure({ call }, calls) {
  const returned = [];
  const latencies = [];
  const before = process.cpuUsage();
  const worker = async (first) => {
    for (let i = first; i < calls; i += CONCURRENT) {
      const start = performance.now();
      const result = call(`bench-session-${i}`);
      returned.push(performance.now() - start);
      await result;
      latencies.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, (_, first) => worker(first)));
  const { user, system } = process.cpuUsage(before);
  return {
    returned: median(returned) * 1000,
    cpu: (user + system) / calls,
    latency: median(latencies) * 1000,
  };
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

async function run() {
  const server = await startAcknowledgingServer();
  const directory = temporaryDirectory();
  const cases = [
    plainFetch(server.url),
    openClient('`goals.increment`', server.url),
    openClient('`goals.increment`, with a spool directory', server.url, directory),
  ];
  const samples = new Map(cases.map((each) => [each, []]));
  for (let round = 0; round <= Number(options.rounds); round++) {
    for (const each of cases) {
      const sample = await measure(each, Number(options.calls));
      // Round 0 is a warm-up.
      if (round > 0) samples.get(each).push(sample);
    }
  }
  const rows = [...samples].map(([{ name }, all]) => [
    name,
    ...['returned', 'cpu', 'latency'].map(
      (field) => `${Math.round(median(all.map((each) => each[field])))} µs`,
    ),
  ]);
  console.log(table(['', 'until the call returns', 'CPU time per call', 'until it is acknowledged'], rows));
  for (const each of cases) await each.close();
  server.stop();
  removeDirectory(directory);
}

if (options.help) console.log(HELP);
else {
  console.log(
    `Node.js ${process.version}, ${cpus().length} × ${process.arch}, ${new Date().toISOString().slice(0, 10)}\n`,
  );
  await run();
}
