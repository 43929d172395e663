import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS } from '@switchyard/core/time';
import { engines } from '@switchyard/testing/configuration/databases';
import { provisionDatabase } from '@switchyard/testing/configuration/provision-database';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DatabaseHandle } from '../../configuration/database/database.ts';
import { openDuckDbEventStore } from '../../events/duckdb/duckdb-event-store.ts';
import { goal } from '../../events/store/contract/sample-requests.contract.ts';
import type { EventStore } from '../../events/store/event-store.ts';
import { dueErasures, findErasure, finishErasures, requestErasure } from './erasure-store.ts';
import { ErasureWait } from './erasure-wait.ts';
import { assertNotBeingDeleted, deleteLateEvents, listDeletions } from './property-deletions.ts';

describe.each(engines())('deleted properties, $name', ({ openTemporary }) => {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-deletions-'));
  let handle: DatabaseHandle;
  let store: EventStore;
  let seq = 0;

  beforeAll(async () => {
    handle = await openTemporary();
    store = await openDuckDbEventStore(join(directory, 'events.duckdb'));
  });
  afterAll(async () => {
    await store.close();
    await handle.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const request = (propertyId: string) => requestErasure(handle.database, { propertyId, everything: true });
  const arrive = (propertyId: string) =>
    store.append('node', [{ seq: ++seq, request: goal({ propertyId, receivedAt: Date.now() }) }]);

  test('a deletion waits until every node has heard of it', async () => {
    const { database } = handle;
    const id = await request('settling');
    const { requestedAt } = (await findErasure(database, id))!;
    expect(await dueErasures(database, requestedAt + 1000)).toEqual([]);
    const due = await dueErasures(database, requestedAt + 3000);
    expect(due.map((it) => it.propertyId)).toEqual(['settling']);
    // The clock was set back.
    expect(await dueErasures(database, requestedAt - DAY_MS)).toHaveLength(1);
    const readyAfter = async (seenAt: number) => {
      const findNodesBehind = async () => (before: number) => (seenAt <= before ? ['other'] : []);
      return (await new ErasureWait({ findNodesBehind, warn: () => {} }).ready(due)).length;
    };
    expect(await readyAfter(requestedAt + 3000)).toBe(0);
    expect(await readyAfter(requestedAt + 3001)).toBe(1);
    await finishErasures(handle, [{ id, rows: 0 }]);
  });

  test('events that arrive after it are deleted too, unless the property exists again', async () => {
    const { database } = handle;
    const deleteLate = () => deleteLateEvents(database, store, Date.now());
    for (const propertyId of ['late', 'again']) {
      await finishErasures(handle, [{ id: await request(propertyId), rows: 0 }]);
    }
    await deleteLate();
    await provisionDatabase(database, { id: 'again' });
    await arrive('late');
    await arrive('again');
    await deleteLate();
    const pending = (await listDeletions(database)).filter(({ finishedAt }) => finishedAt === null);
    expect(pending.map(({ propertyId }) => propertyId)).toEqual(['late']);
    await expect(assertNotBeingDeleted(database, 'late')).rejects.toMatchObject({
      code: 'PROPERTY_BEING_DELETED',
    });
    await assertNotBeingDeleted(database, 'again');
    // Requested once.
    await deleteLate();
    expect((await listDeletions(database)).filter(({ propertyId }) => propertyId === 'late')).toHaveLength(2);
  });
});
