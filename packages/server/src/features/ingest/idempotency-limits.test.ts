import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { DAY_MS } from '@switchyard/core/time';
import { afterEach, describe, expect, it } from 'vitest';
import { closeShop, expectAccepted, expectProblem, openShop, type Shop } from '../../testing/shop.ts';
import type { TestResponse } from '../../testing/test-server.ts';
import { waitFor } from '../../testing/wait.ts';

let shop: Shop;
afterEach(() => closeShop(shop));

const key = (text: string) => ({ 'idempotency-key': text });
/** Retries while the journal is full of requests that are about to be loaded. */
const retrying = (send: () => Promise<TestResponse>) =>
  waitFor('space in the journal', async () => {
    const response = await send();
    return (response.status !== 503 || response.headers.get('retry-after') !== '1') && response;
  });
const count = (text: string) => retrying(() => shop.increment({ goalId: 'signup' }, key(text)));
const counted = async () => (await shop.progress('signup')).current.count;
const collect = (text: string, visitorId = 'v') =>
  retrying(() => shop.collect({ sessionId: text, visitorId }, key(text)));

/** Opens the journal directly. */
function inJournal<T>(work: (journal: InstanceType<typeof DatabaseSync>) => T): T {
  const journal = new DatabaseSync(join(shop.server.dataDir, 'journal.db'));
  try {
    return work(journal);
  } finally {
    journal.close();
  }
}

const restart = async () => {
  shop = await openShop({ dataDir: shop.server.dataDir });
};

describe('a full table of idempotency keys', () => {
  // Enough for 96 keys of backends and 32 of browsers.
  const SMALL = { env: { JOURNAL_MAX_BYTES: '16384' } };

  /** Sends new keys of a backend until the table is full. */
  async function fill(): Promise<number> {
    for (let sent = 0; sent < 500; sent++) {
      const response = await count(`fill-${sent}`);
      if (response.status === 200) continue;
      expectProblem(response, { status: 503, code: 'overloaded' });
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      return sent;
    }
    throw new Error('the table never filled up');
  }

  it('rejects new keys of a backend, keeps the old ones, and affects no other requests', async () => {
    shop = await openShop(SMALL);
    const sent = await fill();
    expect(sent).toBeGreaterThan(10);
    for (let i = 0; i < sent; i++) expectAccepted(await count(`fill-${i}`));
    expectProblem(await shop.increment({ goalId: 'signup', amount: 1 }, key('fill-0')), {
      status: 422,
      code: 'idempotency_key_reused',
    });
    expectAccepted(await shop.increment({ goalId: 'signup' }));
    expectAccepted(await collect('browser'));
    expect(await counted()).toBe(sent + 1);
    expect(await shop.server.stop()).toBe(0);
    shop = await openShop({ ...SMALL, dataDir: shop.server.dataDir });
    expectAccepted(await count('fill-0'));
    expect((await count('one-more')).status).toBe(503);
    expect(await counted()).toBe(sent + 1);
  });

  it('drops the oldest keys of browsers, which take no space from those of backends', async () => {
    shop = await openShop(SMALL);
    for (let i = 0; i < 60; i++) expectAccepted(await collect(`page-${i}`));
    expectProblem(await collect('page-59', 'another'), { status: 422, code: 'idempotency_key_reused' });
    expectAccepted(await collect('page-0', 'another'));
    expect(await fill()).toBeGreaterThan(10);
  });
});

describe('old idempotency keys', () => {
  const hash = (text: string) => createHash('sha256').update(text).digest();

  it('are deleted in batches, so that no commit waits for all of them', async () => {
    const ROWS = 20_000;
    shop = await openShop();
    expectAccepted(await count('fresh'));
    await shop.server.stop();
    inJournal((journal) => {
      const old = Date.now() - 2 * DAY_MS;
      // The time is per statement: rows with the same time were deleted in one batch.
      journal.exec(`
        CREATE TABLE deletions (at REAL);
        CREATE TRIGGER note_deletion AFTER DELETE ON marks
          BEGIN INSERT INTO deletions VALUES (unixepoch('subsec')); END;
        BEGIN;
        INSERT INTO mark_generations VALUES (1000, 'secret', ${old}, ${old}, ${ROWS})`);
      const insert = journal.prepare('INSERT INTO marks VALUES (1000, ?, ?, ?)');
      const body = hash('body').subarray(0, 16);
      for (let i = 0; i < ROWS; i++) insert.run(hash(`old-${i}`).subarray(0, 16), body, old);
      journal.exec('COMMIT');
    });
    await restart();
    const left = () =>
      inJournal((journal) => journal.prepare('SELECT count(*) AS left FROM marks').get().left);
    await waitFor('the old keys to be deleted', () => left() === 1);
    const batches = inJournal((journal) =>
      journal
        .prepare('SELECT count(*) AS rows FROM deletions GROUP BY at')
        .all()
        .map(({ rows }) => Number(rows)),
    );
    expect(batches.reduce((sum, rows) => sum + rows, 0)).toBe(ROWS);
    expect(Math.max(...batches)).toBeLessThanOrEqual(1000);
    expectAccepted(await count('fresh'));
    expect(await counted()).toBe(1);
  });

  it('of an earlier version are honoured until they expire, then their table is dropped', async () => {
    shop = await openShop();
    await shop.server.stop();
    const body = { propertyId: 'shop', goalId: 'signup' };
    // As that version computed it: from the path and the body with sorted members.
    const fingerprint = hash(
      `/v1/goals/increment${JSON.stringify({ goalId: 'signup', propertyId: body.propertyId })}`,
    );
    inJournal((journal) => {
      journal.exec(`
        CREATE TABLE idempotency (key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, created_at INTEGER NOT NULL)
          WITHOUT ROWID;
        CREATE INDEX idempotency_by_age ON idempotency (created_at);
        BEGIN;`);
      const insert = journal.prepare('INSERT INTO idempotency VALUES (?, ?, ?)');
      insert.run('shop/secret/earlier', fingerprint.toString('base64url'), Date.now() - DAY_MS / 2);
      for (let i = 0; i < 2000; i++) insert.run(`shop/secret/expired-${i}`, 'other', Date.now() - DAY_MS - 1);
      journal.exec('COMMIT');
    });
    await restart();
    expectAccepted(await shop.post('/v1/goals/increment', body, key('earlier')));
    expectProblem(await shop.increment({ goalId: 'revenue', amount: 1 }, key('earlier')), {
      status: 422,
      code: 'idempotency_key_reused',
    });
    expect(await counted()).toBe(0);
    expectAccepted(await count('expired-0'));
    expect(await counted()).toBe(1);
    const left = () => inJournal((journal) => journal.prepare('SELECT key FROM idempotency').all().length);
    await waitFor('the expired keys to be deleted', () => left() === 1);
    await shop.server.stop();
    inJournal((journal) => journal.exec('UPDATE idempotency SET created_at = 1'));
    await restart();
    await waitFor('the table to be dropped', () =>
      inJournal(
        (journal) =>
          journal.prepare("SELECT name FROM sqlite_master WHERE name = 'idempotency'").get() === undefined,
      ),
    );
  });
});
