// node bench/cpu-per-request.js [DIR]: CPU time per request under the load of wrk, compared with another built checkout,
// or with other settings. See README.md.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { BIN, binOf, removeDirectory, Server, temporaryDirectory } from './lib/children.js';
import { SPEED_CASES } from './lib/fixture.js';
import { ratio, table } from './lib/report.js';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    processes: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '12' },
    connections: { type: 'string', default: '16' },
    env: { type: 'string', multiple: true, default: [] },
    only: { type: 'string' },
    help: { type: 'boolean' },
  },
});

const HELP = `Usage: node bench/cpu-per-request.js [DIR] [options]   (after npm run build; DIR is another built checkout; needs wrk)
  --processes N    fresh server processes of each build (default 3)
  --rounds N       alternating seconds of load per process (default 12)
  --connections N  connections of wrk (default 16)
  --env NAME=VALUE a setting of the other server, several times if needed
  --only TEXT      only the cases whose name contains TEXT`;

const SLICES = fileURLToPath(new URL('./lib/count-cpu-slices.cjs', import.meta.url));
/** A process takes several times as long per request until it has compiled its code. */
const WARM_UP_REQUESTS = 8000;

/** Sends the requests of a case, each with the next visit, as the generator of the other benchmarks does. */
function luaOf(scripts) {
  const requests = scripts.flat().map((text) => `[==[${text}]==]`);
  // Lua drops carriage returns in such strings.
  return `local requests = {${requests.map((text) => text.replaceAll('\r', '')).join(',')}}
for i, text in ipairs(requests) do
  local head, body = text:match("^(.-\\n\\n)(.*)$")
  requests[i] = head:gsub("\\n", "\\r\\n") .. body
end
local prefix, n = string.format("%06x", os.time() % 0xffffff), 0
request = function()
  n = n + 1
  local visit = prefix .. string.format("%010d", n)
  return (requests[n % #requests + 1]:gsub("%%%%%%%%%%%%%%%%%%%%%%VISIT", visit))
end
`;
}

async function load(server, script) {
  const args = ['-t1', `-c${options.connections}`, '-d1s', '-s', script, server.url];
  const { stdout } = await promisify(execFile)('wrk', args);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(stdout);
}

/** Microseconds per request of a process: the tenth percentile of its slices, because disturbances only add time. */
function lowTenth(file) {
  const slices = readFileSync(file, 'utf8').trim().split('\n');
  const measured = slices.map((line) => line.split(' ').map(Number));
  const warm = measured.filter(([requests]) => requests > WARM_UP_REQUESTS).map(([, each]) => each);
  return warm.sort((a, b) => a - b)[Math.floor(warm.length / 10)];
}

/** A process of each build, in turns. */
async function measureProcesses(builds, script) {
  const directories = builds.map(() => temporaryDirectory());
  const files = directories.map((directory) => join(directory, 'slices'));
  const servers = [];
  for (const [i, { bin, settings }] of builds.entries()) {
    const env = {
      NODE_OPTIONS: `--require ${SLICES}`,
      SLICES: files[i],
      RATE_LIMIT_PER_ADDRESS: '0',
      ...settings,
    };
    servers.push(await Server.start(directories[i], { bin, env }));
  }
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const i of servers.keys()) await load(servers[(i + round) % servers.length], script);
  }
  for (const server of servers) await server.stop();
  const results = files.map((file) => (existsSync(file) ? lowTenth(file) : Number.NaN));
  for (const directory of directories) removeDirectory(directory);
  return results;
}

const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

const hasNothingToCompare = positionals.length === 0 && options.env.length === 0;
if (options.help || positionals.length > 1 || hasNothingToCompare) {
  console.log(HELP);
} else {
  // This build twice: how far its two columns are apart says what the others are worth.
  const own = { bin: BIN, settings: {} };
  const other = {
    bin: positionals.length === 0 ? BIN : binOf(resolve(positionals[0])),
    settings: Object.fromEntries(options.env.map((text) => text.split(/=(.*)/s, 2))),
  };
  const scripts = temporaryDirectory();
  const rows = [];
  for (const { name, scripts: scriptsOf } of SPEED_CASES) {
    if (options.only !== undefined && !name.includes(options.only)) continue;
    const script = join(scripts, 'requests.lua');
    writeFileSync(script, luaOf(scriptsOf()));
    const results = [];
    for (let i = 0; i < Number(options.processes); i++)
      results.push(await measureProcesses([own, own, other], script));
    const [now, again, changed] = [0, 1, 2].map((build) => mean(results.map((result) => result[build])));
    rows.push([
      name,
      ...[now, again, changed].map((microseconds) => `${microseconds.toFixed(1)} µs`),
      ratio(changed / mean([now, again])),
    ]);
    console.error(`${name}: done`);
  }
  removeDirectory(scripts);
  console.log(table(['', 'now', 'now, again', 'other', 'other / now'], rows));
}
