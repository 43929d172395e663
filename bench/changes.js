// How soon a change that another process has saved shows in a running server. What is measured and how: README.md.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { BIN, removeDirectory, Server, temporaryDirectory } from './lib/children.js';
import { askConfig, flagList, followFlags } from './lib/fixture.js';
import { ms, targetTable } from './lib/report.js';

const ROUNDS = 10;
const STEP_MS = 2;

const dataDir = temporaryDirectory();
const server = await Server.start(dataDir);

/** Runs the command line; when it has ended, what it changed is saved. */
async function switchyard(...args) {
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir };
  return (await promisify(execFile)(process.execPath, [BIN, ...args], { env })).stdout;
}

async function apply(property) {
  const file = join(dataDir, 'change.json');
  writeFileSync(file, JSON.stringify({ properties: [{ id: 'shop', ...property }] }));
  await switchyard('apply', file);
}

async function until(shows) {
  const startedAt = performance.now();
  while (!(await shows())) await sleep(STEP_MS);
  return performance.now() - startedAt;
}

/** Milliseconds from the end of a command until it shows, in the order of their length. */
async function delays(change) {
  const found = [];
  for (let round = 0; round < ROUNDS; round++) found.push(await until(await change(round)));
  return found.sort((a, b) => a - b);
}

const config = await delays(async (round) => {
  const trafficAllocation = 99 - round;
  await apply({ splitTests: [{ key: 'hero', trafficAllocation }] });
  return async () => (await askConfig(server.url)).body.tests[0].trafficAllocation === trafficAllocation;
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
  await until(async () => (await flagList(server.url, key)).ok);
  const listed = await switchyard('keys', 'list', '--property', 'shop');
  const [id] = /key_\w+/.exec(listed.split('\n').find((line) => line.includes('spare')));
  await switchyard('keys', 'delete', id);
  return async () => (await flagList(server.url, key)).status === 401;
});

await server.stop();
removeDirectory(dataDir);

const row = (name, found, seconds) => ({
  name,
  text: `${ms(found[ROUNDS / 2])}, at most ${ms(found.at(-1))}`,
  value: found.at(-1),
  below: { value: 1000 * seconds, text: `${seconds} s` },
});
console.log(
  targetTable([
    row('a split test in the config answer', config, 1),
    row('a flag in the stream of changes', flags, 1),
    row('a deleted key is refused', keys, 2),
  ]),
);
