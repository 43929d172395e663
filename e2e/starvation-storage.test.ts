import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { switchyard } from '../packages/server/src/testing/command-line.ts';
import { SAMPLE } from '../packages/server/src/testing/sample-property.ts';
import { accepted, Shop } from '../packages/server/src/testing/shop.ts';
import {
  discard,
  startServer,
  type TestServer,
  temporaryDirectory,
} from '../packages/server/src/testing/test-server.ts';
import { waitFor } from '../packages/server/src/testing/wait.ts';
import { LatencyProbe } from './support/latency-probe.ts';

const ATTEMPTS = 3;
/** Gives the server a clock that jumps a day ahead on command. */
const A_DAY_LATER = new URL('../bench/lib/attacks/a-day-later.js', import.meta.url).href;

let dataDir: string;
let journal: DatabaseSyncInstance;
let server: TestServer | undefined;

beforeEach(() => {
  dataDir = temporaryDirectory();
});

/** A journal of version 0.1 with many idempotency keys of the maximum length. */
function createJournal(keys: number): void {
  journal = new DatabaseSync(join(dataDir, 'journal.db'));
  journal.exec('PRAGMA journal_mode = WAL');
  journal.exec(`
    CREATE TABLE idempotency (key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, created_at INTEGER NOT NULL)
      WITHOUT ROWID;
    CREATE INDEX idempotency_by_age ON idempotency (created_at);
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${keys})
    INSERT INTO idempotency
      SELECT hex(randomblob(127)), hex(randomblob(32)), ${Date.now()} + n FROM numbers;
  `);
}

afterEach(async () => {
  journal.close();
  await discard(server);
  server = undefined;
  rmSync(dataDir, { recursive: true, force: true });
});

function timed(run: () => void): number {
  const startedAt = performance.now();
  run();
  return performance.now() - startedAt;
}

test('an erasure delays commits for less time than a rewrite of the journal takes', async () => {
  createJournal(50_000);
  const copy = join(dataDir, 'copy.db');
  const rewriteMs = timed(() => journal.exec(`VACUUM INTO '${copy}'`));
  rmSync(copy);
  server = await startServer({ dataDir, provision: SAMPLE });
  const shop = new Shop(server);
  const waits: number[] = [];
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    await accepted(shop.collect({ sessionId: `s${attempt}`, visitorId: `v${attempt}`, events: [] }));
    const probe = await LatencyProbe.start(server);
    const { code, stderr } = await switchyard(
      server,
      'forget',
      '--property',
      'shop',
      '--visitor',
      `v${attempt}`,
    );
    expect(code, stderr).toBe(0);
    const { increment } = await probe.stop();
    if (increment < rewriteMs) return;
    waits.push(increment);
  }
  expect.fail(`Commits waited ${waits} ms; rewriting the journal takes ${rewriteMs} ms`);
});

test('expired idempotency keys are deleted in steps, and commits go on between them', async () => {
  const keys = 10_000;
  createJournal(keys);
  server = await startServer({
    dataDir,
    provision: SAMPLE,
    env: { NODE_OPTIONS: `--import=${A_DAY_LATER}` },
  });
  const shop = new Shop(server);
  writeFileSync(join(dataDir, 'a-day-later'), '');
  await waitFor('the first keys to go', () => countKeys() < keys);
  let commits = 0;
  while (countKeys() > 0) {
    await accepted(shop.increment({ goalId: 'signup' }));
    if (countKeys() > 0) commits++;
  }
  // Deleted in one transaction, they would all be gone before the first of these commits.
  expect(commits).toBeGreaterThan(10);
});

function countKeys(): number {
  try {
    return Number(journal.prepare('SELECT count(*) AS count FROM idempotency').get().count);
  } catch {
    // The table is dropped with its last rows.
    return 0;
  }
}
