import { mkdirSync, rmSync, watch } from 'node:fs';
import { join } from 'node:path';
import { accepted, closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { switchyard } from '@switchyard/testing/server/command-line';
import { storedTraces } from '@switchyard/testing/server/stored-traces';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterEach, expect, test } from 'vitest';
import type { DatabaseHandle } from '../../configuration/database/database.ts';
import { openDatabase } from '../../configuration/database/open-database.ts';
import { setFeedbackState } from '../feedback/feedback-state-store.ts';
import { findErasure, requestErasure } from './erasure-store.ts';

let shop: Shop;
let handle: DatabaseHandle | undefined;
afterEach(async () => {
  await handle?.close();
  handle = undefined;
  await closeShop(shop);
});

const VISITORS = ['ann', 'bob', 'cid', 'dan', 'eve'];

async function openWithVisitors(): Promise<void> {
  shop = await openShop();
  await accepted(
    ...VISITORS.map((visitorId) => shop.collect({ sessionId: `session-of-${visitorId}`, visitorId })),
    shop.collect({ sessionId: 'kept', visitorId: 'kept' }),
  );
}

const sessionIds = async () =>
  (await shop.sessions()).sessions.map(({ sessionId }: { sessionId: string }) => sessionId);

test('the file is rewritten once for all pending requests, and each has its own count', async () => {
  await openWithVisitors();
  await shop.server.stop();
  handle = await openDatabase(shop.server.dataDir);
  const { database } = handle;
  const ids = await Promise.all(
    VISITORS.map((visitorId) => requestErasure(database, { propertyId: 'shop', visitorId })),
  );
  let replacements = 0;
  const watcher = watch(shop.server.dataDir, (type, name) => {
    if (type === 'rename' && name === 'events.duckdb') replacements++;
  });
  shop = await openShop({ dataDir: shop.server.dataDir });
  const erasures = await waitFor('all of them', async () => {
    const found = await Promise.all(ids.map((id) => findErasure(database, id)));
    return found.every((erasure) => erasure?.finishedAt != null) && found;
  });
  expect(erasures.map((erasure) => [erasure?.rows, erasure?.error])).toEqual(VISITORS.map(() => [1, null]));
  expect(await sessionIds()).toEqual(['kept']);
  watcher.close();
  expect(replacements).toBe(1);
});

test('a failure is recorded, reported and retried automatically', async () => {
  await openWithVisitors();
  // A rewrite starts by deleting the leftover file of an earlier one; a directory in its place makes that fail.
  const obstacle = join(shop.server.dataDir, 'events.duckdb.rewrite');
  mkdirSync(join(obstacle, 'in-the-way'), { recursive: true });
  const forget = () => switchyard(shop.server, 'forget', '--property', 'shop', '--visitor', 'ann');
  const failed = await forget();
  expect(failed.code).toBe(1);
  expect(failed.stderr).toMatch(/The erasure failed: .*events\.duckdb\.rewrite/);
  expect(await sessionIds()).toHaveLength(VISITORS.length + 1);
  expect(shop.server.log).toMatch(/erasure failed/);
  rmSync(obstacle, { recursive: true });
  await waitFor('the next attempt', async () => !(await sessionIds()).includes('session-of-ann'));
  expect(await sessionIds()).toHaveLength(VISITORS.length);
});

test.each(['running', 'stopped'])(
  'notes on erased feedback are erased too, with a %s server',
  async (state) => {
    await openWithVisitors();
    const submit = (sessionId: string) => shop.submit({ feedbackTypeId: 'nps', option: 'good', sessionId });
    await accepted(submit('session-of-ann'), submit('session-of-bob'));
    const { feedback } = await shop.feedback();
    handle = await openDatabase(shop.server.dataDir);
    for (const entry of feedback) {
      const notes = `secret-notes-on-${entry.sessionId}`;
      await setFeedbackState(handle.database, 'shop', entry, { notes }, 'acc_1');
    }
    if (state === 'stopped') await shop.server.stop();
    const forgotten = await switchyard(shop.server, 'forget', '--property', 'shop', '--visitor', 'ann');
    expect(forgotten).toMatchObject({ code: 0 });
    expect(await handle.database.selectFrom('feedback_states').select('notes').execute()).toEqual([
      { notes: 'secret-notes-on-session-of-bob' },
    ]);
    await handle.close();
    handle = undefined;
    await shop.server.stop();
    const traces = (text: string) => storedTraces(shop.server.dataDir, [text]);
    expect(traces('secret-notes-on-session-of-bob')).not.toEqual([]);
    expect(traces('secret-notes-on-session-of-ann')).toEqual([]);
  },
);
