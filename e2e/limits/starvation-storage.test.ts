import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { SAMPLE } from '@switchyard/testing/fixtures/sample-property';
import { accepted, Shop } from '@switchyard/testing/fixtures/shop';
import { switchyard } from '@switchyard/testing/server/command-line';
import {
  discard,
  startServer,
  type TestServer,
  temporaryDirectory,
} from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { IdempotencyMarks } from '../../packages/server/src/events/intake/journal/marks/idempotency-marks.ts';
import { LatencyProbe } from '../support/latency-probe.ts';

const ATTEMPTS = 3;
/** Gives the server a clock that jumps a day ahead on command. */
const A_DAY_LATER = new URL('../../bench/lib/attacks/a-day-later.js', import.meta.url).href;

let dataDir: string;
let server: TestServer | undefined;

beforeEach(() => {
  dataDir = temporaryDirectory();
});

/** A journal of 100 MB. */
function createJournal(): DatabaseSyncInstance {
  const journal = new DatabaseSync(join(dataDir, 'journal.db'));
  journal.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE filler (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 250000)
    INSERT INTO filler SELECT n, hex(randomblob(200)) FROM numbers;
  `);
  return journal;
}

/** Idempotency keys of a server that has been stopped. */
function createKeys(count: number): void {
  const journal = new DatabaseSync(join(dataDir, 'journal.db'));
  journal.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
  const marks = new IdempotencyMarks(journal, join(dataDir, 'marks.db'));
  const fingerprint = Buffer.alloc(32).toString('base64url');
  const now = Date.now();
  for (let i = 0; i < count; i++) {
    marks.claim({ key: `shop/secret/${i}`, fingerprint }, now);
    if (i % 1000 === 999) marks.save(now);
  }
  while (marks.step(now));
  marks.close();
  journal.close();
}

afterEach(async () => {
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
  const journal = createJournal();
  const copy = join(dataDir, 'copy.db');
  const rewriteMs = timed(() => journal.exec(`VACUUM INTO '${copy}'`));
  journal.close();
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
  createKeys(300_000);
  server = await startServer({
    dataDir,
    provision: SAMPLE,
    env: { NODE_OPTIONS: `--import=${A_DAY_LATER}` },
  });
  const shop = new Shop(server);
  const keys = new DatabaseSync(join(dataDir, 'marks.db'), { readOnly: true, timeout: 5000 });
  const countPages = () => Number(keys.prepare('SELECT count(*) AS count FROM mark_pages').get().count);
  try {
    const pages = countPages();
    expect(pages).toBeGreaterThan(1000);
    writeFileSync(join(dataDir, 'a-day-later'), '');
    await waitFor('the first keys to go', () => countPages() < pages);
    let commits = 0;
    while (countPages() > 0) {
      await accepted(shop.increment({ goalId: 'signup' }));
      if (countPages() > 0) commits++;
    }
    // Deleted in one transaction, they would all be gone before the first of these commits.
    expect(commits).toBeGreaterThan(5);
  } finally {
    keys.close();
  }
});
