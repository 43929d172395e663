// node bench/changes.js: how soon a running server applies a change, saved by another process or through the management
// API, and how long a change takes. See README.md.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { BIN, removeDirectory, Server, temporaryDirectory } from './lib/children.js';
import { fetchConfig, fetchFlagList, followFlags } from './lib/fixture.js';
import { measureManagedChanges } from './lib/managed-changes.js';
import { ms, targetTable } from './lib/report.js';

const ROUNDS = 10;
const STEP_MS = 2;

const dataDir = temporaryDirectory();
const server = await Server.start(dataDir);

/** Runs the command line; its changes are saved when it exits. */
async function switchyard(...args) {
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir };
  return (await promisify(execFile)(process.execPath, [BIN, ...args], { env })).stdout;
}

async function apply(property) {
  const file = join(dataDir, 'change.json');
  writeFileSync(file, JSON.stringify({ properties: [{ id: 'shop', ...property }] }));
  await switchyard('apply', file);
}

async function timeUntil(isVisible) {
  const startedAt = performance.now();
  while (!(await isVisible())) await sleep(STEP_MS);
  return performance.now() - startedAt;
}

/** Milliseconds from the end of a command until its change is visible, sorted. */
async function delays(change) {
  const samples = [];
  for (let round = 0; round < ROUNDS; round++) samples.push(await timeUntil(await change(round)));
  return samples.sort((a, b) => a - b);
}

const config = await delays(async (round) => {
  const trafficAllocation = 99 - round;
  await apply({ splitTests: [{ key: 'hero', trafficAllocation }] });
  return async () => (await fetchConfig(server.url)).body.tests[0].trafficAllocation === trafficAllocation;
});

const stream = await followFlags(server.url);
const flags = await delays(async (round) => {
  await apply({ flags: [{ key: 'flag-0', name: `Round ${round}` }] });
  return () => stream.changes > round;
});
stream.close();

const keys = await delays(async () => {
  const created = await switchyard(
    'keys',
    'create',
    '--property',
    'shop',
    '--kind',
    'secret',
    '--name',
    'spare',
  );
  const [key] = /service_sec_\w+/.exec(created);
  await timeUntil(async () => (await fetchFlagList(server.url, key)).ok);
  const listed = await switchyard('keys', 'list', '--property', 'shop');
  const [id] = /key_\w+/.exec(listed.split('\n').find((line) => line.includes('spare')));
  await switchyard('keys', 'delete', id);
  return async () => (await fetchFlagList(server.url, key)).status === 401;
});

await server.stop();
removeDirectory(dataDir);

const row = (name, samples, seconds) => ({
  name,
  text: `${ms(samples[ROUNDS / 2])}, max ${ms(samples.at(-1))}`,
  value: samples.at(-1),
  below: { value: 1000 * seconds, text: `${seconds} s` },
});
console.log(
  targetTable([
    row('split test in the config response', config, 1),
    row('flag in the change stream', flags, 1),
    row('deleted key rejected', keys, 2),
  ]),
);
console.log(`\nManagement API:\n\n${targetTable(await measureManagedChanges())}`);
