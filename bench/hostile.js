// node bench/hostile.js: how long others wait while somebody attacks. What is measured and how: README.md.
import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { CONNECTION_ATTACKS } from './lib/attacks/connection-attacks.js';
import { HOSTILE_PROVISION } from './lib/attacks/hostile-provision.js';
import { REPORT_ATTACKS } from './lib/attacks/report-attacks.js';
import { SESSION_ATTACKS } from './lib/attacks/session-attacks.js';
import { STORAGE_ATTACKS } from './lib/attacks/storage-attacks.js';
import { binOf, Generator, removeDirectory, Server, temporaryDirectory } from './lib/children.js';
import { LatencyProbe } from './lib/latency-probe.js';
import { mb, ms, table } from './lib/report.js';

const ATTACKS = [...REPORT_ATTACKS, ...SESSION_ATTACKS, ...CONNECTION_ATTACKS, ...STORAGE_ATTACKS];
const AIM_MS = 250;
const GIVE_UP_MS = 90_000;
const FILL_WITHIN_MS = 10 * 60_000;
const THIS_CHECKOUT = fileURLToPath(new URL('..', import.meta.url));
const FILL_STORE = fileURLToPath(new URL('./lib/fill-store.js', import.meta.url));

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    scale: { type: 'string', default: 'full' },
    server: { type: 'string', default: THIS_CHECKOUT },
    compare: { type: 'string' },
    help: { type: 'boolean' },
  },
});

const HELP = `Usage: node bench/hostile.js [options]   (after npm run build)
  --only NAME      one attack; may be given several times
  --scale SCALE    small or full (full)
  --server DIR     the built checkout to attack (this one)
  --compare DIR    another built checkout, attacked the same way; each cell shows that one → this one
Attacks: ${ATTACKS.map(({ name }) => name).join(', ')}`;

async function attacked(attack, { checkout, scale, generator }) {
  const dataDir = temporaryDirectory();
  let server;
  let probe;
  try {
    if (attack.fill !== undefined) await fill(checkout, dataDir, attack.fill(scale));
    server = await Server.start(dataDir, {
      bin: binOf(checkout),
      provision: HOSTILE_PROVISION,
      env: attack.env,
    });
    const context = { server, url: server.url, checkout, scale, generator };
    await attack.prepare?.(context);
    await server.settle();
    probe = await LatencyProbe.start(server.url);
    await probe.reset();
    const ending = await runToItsEnd(() => attack.run(context));
    return { ...ending, ...(await probe.report()), memory: memoryOf(server) };
  } finally {
    probe?.stop();
    if (server?.child.exitCode === null) await server.stop('SIGKILL');
    removeDirectory(dataDir);
  }
}

function fill(checkout, dataDir, args) {
  const file = join(dataDir, 'events.duckdb');
  return promisify(execFile)(process.execPath, [FILL_STORE, checkout, file, ...args.map(String)], {
    timeout: FILL_WITHIN_MS,
  });
}

/** `held`: whether the attack ended as it should; how long others waited is judged besides. */
async function runToItsEnd(run) {
  const startedAt = performance.now();
  const attack = run().catch((error) => ({
    outcome: `failed: ${error.cause?.code ?? error.message}`,
    held: false,
  }));
  const givenUp = sleep(GIVE_UP_MS, { outcome: 'given up', held: false }, { ref: false });
  const { outcome, held = true } = await Promise.race([attack, givenUp]);
  return { outcome, held, tookMs: performance.now() - startedAt };
}

/** Undefined when the attack ended the server. */
function memoryOf(server) {
  const hasEnded = server.child.exitCode !== null || server.child.signalCode !== null;
  return hasEnded ? undefined : server.memory().most;
}

function verdict({ healthz, config, increment, held }, { incrementAimMs = Number.POSITIVE_INFINITY }) {
  const failures = healthz.failures + config.failures + increment.failures;
  if (failures > 0) return `missed (${failures} refused)`;
  const isFast = Math.max(healthz.worst, config.worst) < AIM_MS && increment.worst < incrementAimMs;
  return held && isFast ? 'reached' : 'missed';
}

const HEADER = [
  'attack',
  'size',
  'took',
  'outcome',
  'healthz, worst',
  'config, worst',
  'p99 of both',
  'increment, worst',
  'memory, most',
  `aim ${AIM_MS} ms`,
];

function cells(attack, result) {
  const { outcome, tookMs, healthz, config, increment, memory } = result;
  return [
    ms(tookMs),
    outcome,
    ms(healthz.worst),
    ms(config.worst),
    ms(Math.max(healthz.p99, config.p99)),
    ms(increment.worst),
    memory === undefined ? 'the server ended' : mb(memory),
    verdict(result, attack),
  ];
}

/** With two builds, each cell shows the figure of the first and then that of the second. */
function row(attack, results) {
  const [first, second] = results.map((result) => cells(attack, result));
  const both = (cell, i) => (second === undefined || second[i] === cell ? cell : `${cell} → ${second[i]}`);
  return [attack.name, attack.size(options.scale), ...first.map(both)];
}

if (options.help) {
  console.log(HELP);
} else {
  const chosen = ATTACKS.filter(({ name }) => options.only === undefined || options.only.includes(name));
  const checkouts = [options.compare, options.server].filter((it) => it !== undefined);
  const generator = new Generator();
  const rows = [];
  for (const attack of chosen) {
    const results = [];
    for (const checkout of checkouts)
      results.push(await attacked(attack, { checkout: resolve(checkout), scale: options.scale, generator }));
    rows.push(row(attack, results));
    console.error(`${attack.name}: done`);
  }
  generator.stop();
  console.log(table(HEADER, rows));
}
