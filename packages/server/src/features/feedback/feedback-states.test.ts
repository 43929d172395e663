import { rmSync } from 'node:fs';
import type { FeedbackStateBody } from '@switchyard/core/api/feedback';
import {
  type MemoryConfiguration,
  openMemoryConfiguration,
} from '@switchyard/testing/configuration/memory-configuration';
import { temporaryDirectory } from '@switchyard/testing/server/test-server';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDuckDbEventStore } from '../../events/duckdb/duckdb-event-store.ts';
import { entry } from '../../events/store/contract/sample-requests.contract.ts';
import { type EventStore, LOCAL_SOURCE } from '../../events/store/event-store.ts';
import type { Cursor } from '../../events/store/page.ts';
import { type FeedbackWithState, readFeedbackPage } from './feedback-pages.ts';
import { changeFeedbackState, sweepFeedbackStates } from './feedback-states.ts';

const SEED = 20_260_118;
const T0 = 1_800_000_000_000;

let directory: string;
let eventStore: EventStore;
let configuration: MemoryConfiguration;
let seq: number;
beforeEach(async () => {
  directory = temporaryDirectory();
  eventStore = await openDuckDbEventStore(`${directory}/events.duckdb`);
  configuration = await openMemoryConfiguration();
  await configuration.apply({ name: 'Shop' });
  seq = 0;
});
afterEach(async () => {
  await eventStore.close();
  await configuration.handle.close();
  rmSync(directory, { recursive: true, force: true });
});

const stores = () => ({ database: configuration.handle.database, eventStore });
const add = (...entries: Parameters<typeof entry>[0][]) =>
  eventStore.append(
    LOCAL_SOURCE,
    entries.map((fields) => ({ seq: ++seq, request: entry(fields) })),
  );
const addMany = (count: number, more: object = {}) =>
  // Three in the same millisecond, so that the id decides.
  add(
    ...Array.from({ length: count }, (_, i) => ({
      propertyId: 'shop',
      id: `f${String(i).padStart(5, '0')}`,
      receivedAt: T0 + Math.floor(i / 3),
      ...more,
    })),
  );
const change = (id: string, body: FeedbackStateBody, propertyId = 'shop') =>
  changeFeedbackState(stores(), propertyId, id, body, 'acc_1');
const states = () =>
  configuration.handle.database.selectFrom('feedback_states').select(['feedback_id', 'notes']).execute();

type Query = Omit<Parameters<typeof readFeedbackPage>[1], 'propertyId'>;

async function pagesOf(query: Query): Promise<FeedbackWithState[][]> {
  const pages: FeedbackWithState[][] = [];
  let after: Cursor | undefined;
  do {
    const page = await readFeedbackPage(stores(), { propertyId: 'shop', ...query, ...(after && { after }) });
    pages.push(page.rows);
    after = page.next;
  } while (after !== undefined);
  return pages;
}
const idsOf = async (query: Query) => (await pagesOf(query)).flat().map(({ id }) => id);

test('status and notes are set one by one, and appear in the list', async () => {
  await addMany(3);
  expect(await change('f00001', { status: 'seen' })).toMatchObject({ status: 'seen', notes: null });
  expect(await change('f00001', { notes: 'call back' })).toEqual({
    id: 'f00001',
    status: 'seen',
    notes: 'call back',
    updatedBy: 'acc_1',
    updatedAt: expect.any(Number),
  });
  await change('f00002', { notes: 'only notes' });
  const [rows] = await pagesOf({ limit: 10 });
  expect(rows!.map(({ id, status, notes }) => [id, status, notes])).toEqual([
    ['f00002', 'new', 'only notes'],
    ['f00001', 'seen', 'call back'],
    ['f00000', 'new', null],
  ]);
  expect(await change('f00001', { status: 'new', notes: '' })).toMatchObject({ status: 'new', notes: null });
});

test('entries that do not exist, or belong to another property, are not found', async () => {
  await configuration.apply({ name: 'Shop' });
  await add({ propertyId: 'elsewhere', id: 'theirs', receivedAt: T0 });
  for (const id of ['theirs', 'unknown', "'", '["theirs"]']) {
    await expect(change(id, { status: 'seen' })).rejects.toMatchObject({ code: 'not_found' });
  }
  expect(await states()).toEqual([]);
});

test('a state of an entry that is erased at the same moment does not stay', async () => {
  await addMany(1, { sessionId: 's' });
  const erasing = {
    feedbackTimes: async (propertyId: string, ids: readonly string[]) => {
      const found = await eventStore.feedbackTimes(propertyId, ids);
      await eventStore.forget([{ propertyId, sessionId: 's' }]);
      return found;
    },
  };
  const { database } = stores();
  const changed = changeFeedbackState(
    { database, eventStore: erasing },
    'shop',
    'f00000',
    { notes: 'x' },
    'a',
  );
  await expect(changed).rejects.toMatchObject({ code: 'not_found' });
  expect(await states()).toEqual([]);
});

describe('the status filter', () => {
  test(`neither skips nor repeats, and combines with other filters (seed ${SEED})`, async () => {
    await addMany(60, { option: 'good' });
    await add(
      ...['bad-1', 'bad-2'].map((id) => ({ propertyId: 'shop', id, receivedAt: T0 + 7, option: 'bad' })),
    );
    const all = (await pagesOf({ limit: 500 })).flat().map(({ id }) => id);
    const scenario = fc.record({
      marks: fc.array(fc.tuple(fc.constantFrom(...all), fc.constantFrom('new', 'seen', 'done')), {
        maxLength: 40,
      }),
      limit: fc.integer({ min: 1, max: 30 }),
    });
    const check = fc.asyncProperty(scenario, async ({ marks, limit }) => {
      await configuration.handle.database.deleteFrom('feedback_states').execute();
      const statusOf = new Map(marks);
      for (const [id, status] of statusOf) await change(id, { status });
      for (const status of ['new', 'seen', 'done'] as const) {
        const expected = all.filter((id) => (statusOf.get(id) ?? 'new') === status);
        const pages = await pagesOf({ status, limit });
        for (const page of pages) expect(page.length).toBeLessThanOrEqual(limit);
        expect(pages.flat().map(({ id }) => id)).toEqual(expected);
        expect(await idsOf({ status, limit, option: 'bad' })).toEqual(
          expected.filter((id) => id.startsWith('bad')),
        );
      }
    });
    await fc.assert(check, { seed: SEED, numRuns: 8, endOnFailure: true });
  });

  test('examines a bounded number of entries per page', async () => {
    await addMany(1500);
    const { database } = stores();
    const ids = Array.from({ length: 1495 }, (_, i) => `f${String(i + 5).padStart(5, '0')}`);
    const at = new Map((await eventStore.feedbackTimes('shop', ids)).map((it) => [it.id, it.createdAt]));
    for (let start = 0; start < ids.length; start += 500) {
      const chunk = ids.slice(start, start + 500);
      await database
        .insertInto('feedback_states')
        .values(
          chunk.map((id) => ({
            property_id: 'shop',
            feedback_id: id,
            feedback_at: at.get(id)!,
            status: 'done' as const,
            notes: null,
            updated_by: 'a',
            updated_at: 1,
          })),
        )
        .execute();
    }
    const pages = await pagesOf({ status: 'new', limit: 2 });
    expect(pages.map((page) => page.length)).toEqual([0, 2, 2, 1]);
    expect(await idsOf({ status: 'done', limit: 400 })).toHaveLength(1495);
    // Nothing matches the other filter.
    expect(await idsOf({ status: 'done', limit: 400, option: 'nothing' })).toEqual([]);
  });
});

test('a page with long notes ends at about 1 MiB', async () => {
  await addMany(400);
  for (const { id } of (await pagesOf({ limit: 500 })).flat()) await change(id, { notes: 'n'.repeat(4000) });
  const pages = await pagesOf({ limit: 500 });
  expect(pages.length).toBeGreaterThan(1);
  expect(pages.flat()).toHaveLength(400);
  for (const page of pages) expect(JSON.stringify(page).length).toBeLessThan(1.5 * 1024 * 1024);
});

test('the sweep deletes the states of erased and expired entries, and no others', async () => {
  await addMany(3);
  await add({ propertyId: 'shop', id: 'erased', receivedAt: T0 + 50, sessionId: 's' });
  await add({ propertyId: 'shop', id: 'kept', receivedAt: T0 + 60 });
  for (const id of ['f00000', 'f00002', 'erased', 'kept']) await change(id, { notes: id });
  await sweepFeedbackStates(stores(), ['shop']);
  expect(await states()).toHaveLength(4);
  await eventStore.forget([{ propertyId: 'shop', sessionId: 's' }]);
  await sweepFeedbackStates(stores(), ['shop', 'shop', 'unknown']);
  expect((await states()).map((it) => it.feedback_id).sort()).toEqual(['f00000', 'f00002', 'kept']);
  await eventStore.expire('shop', T0 + 10);
  await sweepFeedbackStates(stores(), ['shop']);
  expect(await states()).toEqual([{ feedback_id: 'kept', notes: 'kept' }]);
});
