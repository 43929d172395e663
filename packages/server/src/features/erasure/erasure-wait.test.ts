import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS } from '@switchyard/core/time';
import { engines } from '@switchyard/testing/configuration/databases';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { DatabaseHandle } from '../../configuration/database/database.ts';
import { openDuckDbEventStore } from '../../events/duckdb/duckdb-event-store.ts';
import { collect } from '../../events/store/contract/sample-requests.contract.ts';
import type { EventStore } from '../../events/store/event-store.ts';
import {
  deleteOldJournals,
  nodesBehind,
  publishJournal,
  readJournals,
} from '../../operations/nodes/node-journals.ts';
import { runPendingErasures } from './erasure-service.ts';
import { findErasure, requestErasure } from './erasure-store.ts';
import { ErasureWait } from './erasure-wait.ts';

const subject = { propertyId: 'shop', visitorId: 'v' };

describe.each(engines())('erasures of several nodes, $name', ({ openTemporary }) => {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-erasure-wait-'));
  let handle: DatabaseHandle;
  let store: EventStore;
  let warnings: string[][];
  /** Time of the leader. */
  let now: number;

  beforeAll(async () => {
    handle = await openTemporary();
    store = await openDuckDbEventStore(join(directory, 'events.duckdb'));
  });
  afterAll(async () => {
    await store.close();
    await handle.close();
    rmSync(directory, { recursive: true, force: true });
  });
  beforeEach(async () => {
    warnings = [];
    now = Date.now();
    await handle.database.deleteFrom('node_journals').execute();
  });

  const visit = (source: string, seq: number) =>
    store.append(source, [
      { seq, request: collect({ ...subject, sessionId: `${source}-${seq}`, receivedAt: Date.now() }) },
    ]);
  const publish = (source: string, position: number, seenAt: number) =>
    publishJournal(handle.database, { source, position, seenAt });
  const sessions = async () => (await store.sessionPage({ ...subject, limit: 9 })).rows.length;

  const createWait = () =>
    new ErasureWait({
      findNodesBehind: async () => {
        const journals = await readJournals(handle.database);
        const stored = await store.positions();
        return (before) => nodesBehind(journals, stored, { before, now });
      },
      now: () => now,
      warn: ({ nodes }) => warnings.push(nodes),
    });
  const runWith = (wait: ErasureWait) => runPendingErasures(handle, store, async () => undefined, wait.ready);
  const requestedAt = async (id: string) => (await findErasure(handle.database, id))!.requestedAt;
  const isFinished = async (id: string) => (await findErasure(handle.database, id))!.finishedAt !== null;

  test('an erasure waits until the event store has what another node had accepted', async () => {
    await visit('first', 1);
    const id = await requestErasure(handle.database, subject);
    const at = await requestedAt(id);
    const wait = createWait();
    // The other has not been heard of since, so it may have accepted more.
    await publish('first', 1, at + 1);
    await publish('other', 0, at);
    await runWith(wait);
    expect([await isFinished(id), await sessions()]).toEqual([false, 1]);
    await publish('other', 2, at + 1);
    await visit('other', 1);
    await runWith(wait);
    expect([await isFinished(id), await sessions()]).toEqual([false, 2]);
    await visit('other', 2);
    await runWith(wait);
    expect([await isFinished(id), await sessions()]).toEqual([true, 0]);
    expect(warnings).toEqual([]);
  });

  test('a node that is gone is waited for until its journal is shipped, and named once', async () => {
    const id = await requestErasure(handle.database, subject);
    const at = await requestedAt(id);
    await publish('gone', 1, at - 1);
    await publish('stored', 0, at - 1);
    now = at + 60_000;
    const wait = createWait();
    await runWith(wait);
    await runWith(wait);
    expect([await isFinished(id), warnings]).toEqual([false, [['gone']]]);
    await visit('gone', 1);
    await runWith(wait);
    expect([await isFinished(id), await sessions()]).toEqual([true, 0]);
  });

  test('nodes are forgotten a week after the last sign, if their journals are stored', async () => {
    await visit('done', 3);
    await publish('done', 3, now - 8 * DAY_MS);
    await publish('lost', 3, now - 8 * DAY_MS);
    await publish('new', 0, now - 6 * DAY_MS);
    await deleteOldJournals(handle.database, () => store.positions(), now);
    expect((await readJournals(handle.database)).map(({ source }) => source)).toEqual(['lost', 'new']);
  });
});
