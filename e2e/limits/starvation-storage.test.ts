import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
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

/** Gives the server a clock that jumps a day ahead on command. */
const A_DAY_LATER = new URL('../../bench/lib/attacks/a-day-later.js', import.meta.url).href;

let dataDir: string;
let server: TestServer | undefined;

beforeEach(() => {
  dataDir = temporaryDirectory();
});

/** A journal with 64 MB of pages that are free, but not overwritten. */
function createJournal(): void {
  const journal = new DatabaseSync(join(dataDir, 'journal.db'));
  journal.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE filler (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 16000)
    INSERT INTO filler SELECT n, hex(randomblob(2000)) FROM numbers;
    DROP TABLE filler;
  `);
  journal.close();
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

test('an erasure overwrites the free pages of the journal in steps, and commits go on between them', async () => {
  createJournal();
  server = await startServer({ dataDir, provision: SAMPLE });
  const shop = new Shop(server);
  await accepted(shop.collect({ sessionId: 's', visitorId: 'v', events: [] }));
  const journal = new DatabaseSync(join(dataDir, 'journal.db'), { readOnly: true, timeout: 5000 });
  const countFree = () => Number(journal.prepare('PRAGMA freelist_count').get().freelist_count);
  try {
    const pages = countFree();
    expect(pages).toBeGreaterThan(10_000);
    let isErased = false;
    const erasing = switchyard(server, 'forget', '--property', 'shop', '--visitor', 'v').finally(() => {
      isErased = true;
    });
    let commits = 0;
    while (!isErased) {
      await accepted(shop.increment({ goalId: 'signup' }));
      const free = countFree() / pages;
      // Commits use some of the pages, too.
      if (free > 0.1 && free < 0.9) commits++;
    }
    const { code, stderr } = await erasing;
    expect(code, stderr).toBe(0);
    // Overwritten in one transaction, or removed by rewriting the file, they would be all there or all gone at each.
    expect(commits).toBeGreaterThan(5);
  } finally {
    journal.close();
  }
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
