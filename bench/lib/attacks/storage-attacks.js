import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { binOf, track } from '../children.js';
import { KEYED_SCRIPTS, PROPERTY } from '../fixture.js';
import { whole } from '../report.js';

const LOCK_MS = 6000;
/** Housekeeping must not delay commits longer than this. */
const HOUSEKEEPING_TARGET_MS = 50;
const visits = { small: 60_000, full: 300_000 };
const SUBJECTS = 5;
const keys = { small: 50_000, full: 300_000 };
/** Longer than the cleanup takes. */
const CLEAN_UP_MS = 20_000;

const switchyard = ({ checkout, server }, ...args) =>
  promisify(execFile)(process.execPath, [binOf(checkout), ...args], {
    env: { PATH: process.env.PATH, DATA_DIR: server.dataDir },
  });

/** Schedules the start of a split test; returns its start time. */
async function scheduleStart(context, inMs) {
  const startAt = Date.now() + inMs;
  const variations = ['a', 'b'].map((key) => ({ key, weight: 1 }));
  const scheduled = { key: `scheduled-${inMs}`, type: 'id', startAt, variations };
  const file = join(context.server.dataDir, 'scheduled.json');
  writeFileSync(file, JSON.stringify({ properties: [{ id: PROPERTY, splitTests: [scheduled] }] }));
  await switchyard(context, 'apply', file);
  return startAt;
}

/** Takes the write lock of the configuration in another process; returns a release function. */
async function lock({ server }) {
  const holder = track(fork(fileURLToPath(new URL('./lock-holder.js', import.meta.url))));
  const locked = once(holder, 'message');
  holder.send(join(server.dataDir, 'config.db'));
  await locked;
  return async () => {
    const ended = once(holder, 'exit');
    holder.disconnect();
    await ended;
  };
}

/** A split test is due to start while another process holds the lock. */
async function lockConfiguration(context) {
  for (let inMs = 2000; ; inMs *= 2) {
    const startAt = await scheduleStart(context, inMs);
    const release = await lock(context);
    // On a slow machine the test may have started already: retry with more time.
    const isInTime = Date.now() < startAt;
    if (isInTime) await sleep(startAt + LOCK_MS - Date.now());
    await release();
    if (isInTime) return { outcome: 'released' };
  }
}

async function forget(context) {
  const visitors = Array.from({ length: SUBJECTS }, (_, i) => visitorId(1000 * (i + 1)));
  await Promise.all(
    visitors.map((visitor) => switchyard(context, 'forget', '--property', PROPERTY, '--visitor', visitor)),
  );
  return { outcome: `${visitors.length} forgotten` };
}

/** The same ids as in `visitEntries`. */
const visitorId = (number) => {
  const id = number + 0x40000000;
  return Math.imul(id, 0x85ebca6b).toString(16).replace('-', 'n') + id.toString(16).padStart(8, '0');
};

const sendWithKeys = ({ server, generator, scale }) =>
  generator.run({ port: server.port, scripts: KEYED_SCRIPTS(), visits: keys[scale] });

/** A new key with every request, as fast as possible. */
async function sendOnlyNewKeys({ server, generator, scale }) {
  const { requests, errors } = await generator.run({
    port: server.port,
    scripts: KEYED_SCRIPTS(),
    visits: keys[scale],
  });
  const refused = Object.values(errors).reduce((sum, count) => sum + count, 0);
  return { outcome: `${whole(requests)} requests, ${whole(refused)} refused`, held: refused === 0 };
}

async function letKeysExpire({ server }) {
  writeFileSync(join(server.dataDir, 'a-day-later'), '');
  await sleep(CLEAN_UP_MS);
  return { outcome: `watched for ${CLEAN_UP_MS / 1000} s` };
}

const A_DAY_LATER = new URL('./a-day-later.js', import.meta.url).href;

/** Work on stored data that must not slow down other requests. */
export const STORAGE_ATTACKS = [
  {
    name: 'config-lock',
    size: () => `config.db locked until ${LOCK_MS / 1000} s after a scheduled start`,
    run: lockConfiguration,
  },
  {
    name: 'erasure',
    size: (scale) =>
      `${SUBJECTS} visitors, ${whole(visits[scale])} visits, ${whole(keys[scale])} idempotency keys`,
    fill: (scale) => ['visits', visits[scale]],
    prepare: sendWithKeys,
    incrementTargetMs: HOUSEKEEPING_TARGET_MS,
    run: forget,
  },
  {
    name: 'keys',
    size: (scale) => `${whole(keys[scale])} new idempotency keys, with JOURNAL_MAX_BYTES of 2 MiB`,
    env: { JOURNAL_MAX_BYTES: String(2 * 1024 * 1024) },
    run: sendOnlyNewKeys,
  },
  {
    name: 'idempotency',
    size: (scale) => `${whole(keys[scale])} idempotency keys expire`,
    env: { NODE_OPTIONS: `--import=${A_DAY_LATER}` },
    incrementTargetMs: HOUSEKEEPING_TARGET_MS,
    prepare: sendWithKeys,
    run: letKeysExpire,
  },
];
