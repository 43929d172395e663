// node bench/hostile.js: the latency of other requests during attacks. See README.md.
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CONNECTION_ATTACKS } from './lib/attacks/connection-attacks.js';
import { HOSTILE_PROVISION } from './lib/attacks/hostile-provision.js';
import { REPORT_ATTACKS } from './lib/attacks/report-attacks.js';
import { SESSION_ATTACKS } from './lib/attacks/session-attacks.js';
import { STORAGE_ATTACKS } from './lib/attacks/storage-attacks.js';
import { STREAM_ATTACKS } from './lib/attacks/stream-attacks.js';
import {
  binOf,
  fillStore,
  Generator,
  removeDirectory,
  Server,
  THIS_CHECKOUT,
  temporaryDirectory,
} from './lib/children.js';
import { LatencyProbe } from './lib/latency-probe.js';
import { mb, ms, table } from './lib/report.js';

const ATTACKS = [
  ...REPORT_ATTACKS,
  ...SESSION_ATTACKS,
  ...CONNECTION_ATTACKS,
  ...STREAM_ATTACKS,
  ...STORAGE_ATTACKS,
];
const TARGET_MS = 250;
const ATTACK_TIMEOUT_MS = 90_000;

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
  --only NAME      run only this attack; can be repeated
  --scale SCALE    small or full (default full)
  --server DIR     built checkout to attack (default: this one)
  --compare DIR    built checkout to compare with; each cell shows DIR → server
Attacks: ${ATTACKS.map(({ name }) => name).join(', ')}`;

async function runAttack(attack, { checkout, scale, generator }) {
  const dataDir = temporaryDirectory();
  let server;
  let probe;
  try {
    if (attack.fill !== undefined) await fillStore(checkout, dataDir, ...attack.fill(scale));
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
    const ending = await withTimeout(() => attack.run(context));
    return { ...ending, ...(await probe.report()), memory: memoryOf(server) };
  } finally {
    probe?.stop();
    if (server?.child.exitCode === null) await server.stop('SIGKILL');
    removeDirectory(dataDir);
  }
}

/** `held`: whether the attack had the expected outcome; latencies are checked separately. */
async function withTimeout(run) {
  const startedAt = performance.now();
  const attack = run().catch((error) => ({
    outcome: `failed: ${error.cause?.code ?? error.message}`,
    held: false,
  }));
  const timeout = sleep(ATTACK_TIMEOUT_MS, { outcome: 'timed out', held: false }, { ref: false });
  const { outcome, held = true } = await Promise.race([attack, timeout]);
  return { outcome, held, tookMs: performance.now() - startedAt };
}

/** Undefined if the attack crashed the server. */
function memoryOf(server) {
  const hasExited = server.child.exitCode !== null || server.child.signalCode !== null;
  return hasExited ? undefined : server.memory().peak;
}

function verdict({ healthz, config, increment, held }, { incrementTargetMs = Number.POSITIVE_INFINITY }) {
  const failures = healthz.failures + config.failures + increment.failures;
  if (failures > 0) return `missed (${failures} failed)`;
  const isFast = Math.max(healthz.worst, config.worst) < TARGET_MS && increment.worst < incrementTargetMs;
  return held && isFast ? 'met' : 'missed';
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
  'memory, peak',
  `target ${TARGET_MS} ms`,
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
    memory === undefined ? 'server crashed' : mb(memory),
    verdict(result, attack),
  ];
}

/** With two builds, each cell shows the figures of both. */
function row(attack, results) {
  const [first, second] = results.map((result) => cells(attack, result));
  const merged = (cell, i) => (second === undefined || second[i] === cell ? cell : `${cell} → ${second[i]}`);
  return [attack.name, attack.size(options.scale), ...first.map(merged)];
}

if (options.help) {
  console.log(HELP);
} else {
  const selected = ATTACKS.filter(({ name }) => options.only === undefined || options.only.includes(name));
  const checkouts = [options.compare, options.server].filter((it) => it !== undefined);
  const generator = new Generator();
  const rows = [];
  for (const attack of selected) {
    const results = [];
    for (const checkout of checkouts)
      results.push(await runAttack(attack, { checkout: resolve(checkout), scale: options.scale, generator }));
    rows.push(row(attack, results));
    console.error(`${attack.name}: done`);
  }
  generator.stop();
  console.log(table(HEADER, rows));
}
