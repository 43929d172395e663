// node bench/keys.js: memory, disk and time that many idempotency keys take, at 5,000 new ones per second. See README.md.

import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { removeDirectory, residentMemory, THIS_CHECKOUT, temporaryDirectory } from './lib/children.js';
import { mb, table, whole } from './lib/report.js';

const { values: options } = parseArgs({
  options: { keys: { type: 'string', default: '20000000' }, help: { type: 'boolean' } },
});

const HELP = `Usage: node --expose-gc bench/keys.js [options]   (after npm run build)
  --keys N   new idempotency keys (default 20,000,000)`;

const PER_SECOND = 5000;
/** So many requests share a commit under load. */
const COMMIT_KEYS = 50;
const STEPS_PER_SECOND = 80;
const DAY_SECONDS = 24 * 60 * 60;
const MIB = 1024 * 1024;
const FINGERPRINT = Buffer.alloc(32, 1).toString('base64url');

const writesFrom = (first) =>
  Array.from({ length: COMMIT_KEYS }, (_, i) => ({
    payload: '{}',
    idempotency: { key: `shop/secret/${first + i}-0123456789abcdef`, fingerprint: FINGERPRINT },
  }));

const memory = () => {
  globalThis.gc?.();
  return residentMemory(process.pid).resident;
};

if (options.help) {
  console.log(HELP);
} else {
  const directory = temporaryDirectory();
  const require = createRequire(import.meta.url);
  const { Journal } = require(join(THIS_CHECKOUT, 'packages/server/dist/journal.cjs'));
  const marksFile = join(directory, 'marks.db');
  const journal = new Journal(join(directory, 'journal.db'), { maxBytes: MIB, marksFile, watermark: 0 });
  const total = Number(options.keys);
  const before = memory();
  const rows = [];
  let now = Date.now();
  let committing = 0;
  let maintaining = 0;
  let longest = 0;
  for (let key = 0; key < total; ) {
    for (let inSecond = 0; inSecond < PER_SECOND; inSecond += COMMIT_KEYS, key += COMMIT_KEYS) {
      const writes = writesFrom(key);
      const startedAt = performance.now();
      journal.commit(writes, now);
      committing += performance.now() - startedAt;
    }
    await journal.prune(journal.lastSeq, journal.bytes, async () => {});
    now += 1000;
    for (let step = 0; step < STEPS_PER_SECOND; step++) {
      const startedAt = performance.now();
      const hasMore = journal.maintainMarks(now);
      const took = performance.now() - startedAt;
      maintaining += took;
      longest = Math.max(longest, took);
      if (!hasMore) break;
    }
    if (key % (total / 5) < PER_SECOND) {
      const disk = statSync(marksFile).size / MIB;
      rows.push([
        whole(key),
        mb(memory() - before),
        mb(disk),
        `${((committing / key) * 1000).toFixed(1)} µs`,
        `${((maintaining / key) * 1000).toFixed(1)} µs`,
        `${whole(longest)} ms`,
      ]);
      console.error(`${whole(key)} keys: done`);
    }
  }
  const header = ['keys', 'more memory', 'marks.db', 'commit per key', 'maintenance per key', 'longest step'];
  console.log(table(header, rows));
  const disk = statSync(marksFile).size / total;
  const filters = 6 / 8;
  console.log(
    `${disk.toFixed(1)} bytes on disk and ${filters} bytes of memory per key: a day at ${whole(PER_SECOND)} keys per second is ` +
      `${whole((PER_SECOND * DAY_SECONDS * disk) / 1e6)} MB on disk, ${whole((PER_SECOND * DAY_SECONDS * filters) / 1e6)} MB of memory`,
  );
  journal.close();
  removeDirectory(directory);
}
