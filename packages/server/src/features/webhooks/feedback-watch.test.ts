import { join } from 'node:path';
import {
  type MemoryConfiguration,
  openMemoryConfiguration,
} from '@switchyard/testing/configuration/memory-configuration';
import { changeWebhook, storeWebhook } from '@switchyard/testing/configuration/stored-webhook';
import { temporaryDirectory } from '@switchyard/testing/server/test-server';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import { openDuckDbEventStore } from '../../events/duckdb/duckdb-event-store.ts';
import { collect, entry } from '../../events/store/contract/sample-requests.contract.ts';
import { type EventStore, LOCAL_SOURCE } from '../../events/store/event-store.ts';
import { FeedbackWatch } from './feedback-watch.ts';
import { forgettingDeliveries } from './forget-deliveries.ts';

const SINCE = Date.now();

let configuration: MemoryConfiguration;
let store: EventStore;
let property: PropertyConfiguration;
let seq: number;
let watch: FeedbackWatch;

beforeEach(async () => {
  configuration = await openMemoryConfiguration();
  await configuration.apply({});
  store = await openDuckDbEventStore(join(temporaryDirectory(), 'events.duckdb'));
  seq = 0;
  watch = startWatch();
});
afterEach(async () => {
  await store.close();
  await configuration.handle.close();
});

const database = () => configuration.handle.database;

const startWatch = () =>
  new FeedbackWatch({
    database: database(),
    properties: () => [property],
    eventStore: store,
    changes: () => seq,
    onQueued: () => {},
  });

const submit = (id: string, receivedAt = SINCE + 1, more: object = {}) =>
  store.append(LOCAL_SOURCE, [
    { seq: ++seq, request: entry({ propertyId: 'shop', id, receivedAt, ...more }) },
  ]);

async function reload(): Promise<void> {
  property = (await configuration.property())!;
}

async function subscribe(id = 'hook', createdAt = SINCE): Promise<void> {
  await storeWebhook(database(), { id, url: 'https://shop.example', createdAt });
  await reload();
}

async function queued(webhookId = 'hook'): Promise<string[]> {
  const rows = await database()
    .selectFrom('webhook_deliveries')
    .select('body')
    .where('webhook_id', '=', webhookId)
    .orderBy('position')
    .execute();
  return rows.map(({ body }) => JSON.parse(body).data.feedback.id);
}

test('queues each entry once, in order of arrival, across restarts', async () => {
  await subscribe();
  await submit('first', SINCE + 9);
  await watch.run();
  // Received before the first one by the clock, but stored later.
  await submit('second', SINCE + 3);
  await watch.run();
  await watch.run();
  watch = startWatch();
  await watch.run();
  await submit('third');
  await watch.run();
  expect(await queued()).toEqual(['first', 'second', 'third']);
});

test('sends the entry as the API returns it', async () => {
  await subscribe();
  const session = collect({ propertyId: 'shop', sessionId: 's', visitorId: 'ann', receivedAt: SINCE });
  await store.append(LOCAL_SOURCE, [{ seq: ++seq, request: session }]);
  const metadata = '{"page":"/checkout"}';
  await submit('f', SINCE + 1, { sessionId: 's', option: 'good', message: 'Fast', metadata });
  await watch.run();
  const { body } = await database().selectFrom('webhook_deliveries').select('body').executeTakeFirstOrThrow();
  expect(JSON.parse(body)).toEqual({
    type: 'feedback.submitted',
    timestamp: new Date(SINCE + 1).toISOString(),
    data: {
      propertyId: 'shop',
      feedback: {
        id: 'f',
        feedbackTypeId: 'nps',
        sessionId: 's',
        visitorId: 'ann',
        userId: null,
        option: 'good',
        message: 'Fast',
        metadata: { page: '/checkout' },
        createdAt: SINCE + 1,
        bot: false,
      },
    },
  });
});

test('sends no ids of visitors of pages without cookies', async () => {
  await subscribe();
  const sessionId = 'cookieless-1';
  const session = collect({ propertyId: 'shop', sessionId, visitorId: 'cookieless-1', receivedAt: SINCE });
  await store.append(LOCAL_SOURCE, [{ seq: ++seq, request: session }]);
  await submit('f', SINCE + 1, { sessionId });
  await watch.run();
  const { body } = await database().selectFrom('webhook_deliveries').select('body').executeTakeFirstOrThrow();
  expect(JSON.parse(body).data.feedback).toMatchObject({ id: 'f', sessionId: null, visitorId: null });
});

test('starts when the webhook was created, even if that was before the first look', async () => {
  await submit('before', SINCE - 1);
  await subscribe();
  await submit('after', SINCE + 1);
  await watch.run();
  expect(await queued()).toEqual(['after']);
  await subscribe('later', SINCE + 100);
  await submit('last', SINCE + 100);
  await watch.run();
  expect([await queued(), await queued('later')]).toEqual([['after', 'last'], ['last']]);
});

test('a webhook gets nothing from the time in which it was disabled', async () => {
  await subscribe();
  await submit('first');
  await watch.run();
  await changeWebhook(database(), 'hook', { enabled: false });
  await reload();
  await submit('missed', SINCE + 2);
  await watch.run();
  await changeWebhook(database(), 'hook', { enabled: true });
  await reload();
  const { updated_at: enabledAt } = await database()
    .selectFrom('properties')
    .select('updated_at')
    .executeTakeFirstOrThrow();
  await submit('second', enabledAt + 1);
  await watch.run();
  expect(await queued()).toEqual(['first', 'second']);
});

test('queues many entries in bounded steps, and stops while too many are pending', async () => {
  await subscribe();
  const entries = Array.from({ length: 1150 }, (_, n) => ({
    seq: ++seq,
    request: entry({ propertyId: 'shop', id: `f${n}`, receivedAt: SINCE + 1 }),
  }));
  await store.append(LOCAL_SOURCE, entries);
  await watch.run();
  expect(await queued()).toHaveLength(100);
  for (let run = 0; run < 12; run++) await watch.run();
  expect(await queued()).toHaveLength(1000);
  await database().updateTable('webhook_deliveries').set({ state: 'delivered' }).execute();
  for (let run = 0; run < 3; run++) await watch.run();
  expect(await queued()).toEqual(entries.map((_, n) => `f${n}`));
});

test('continues after the event store was restored from an older backup', async () => {
  await subscribe();
  for (let n = 0; n < 5; n++) await submit(`f${n}`);
  await watch.run();
  await store.close();
  store = await openDuckDbEventStore(join(temporaryDirectory(), 'events.duckdb'));
  seq = 2;
  watch = startWatch();
  await watch.run();
  await submit('new');
  await watch.run();
  expect((await queued()).at(-1)).toBe('new');
});

test('erasing an entry, or the visitors of a user, includes the deliveries about them', async () => {
  await subscribe();
  await submit('named', SINCE + 1);
  await submit('with-mail', SINCE + 1, { metadata: '{"mail":"ann@example.com"}' });
  await submit('other-mail', SINCE + 1, { metadata: '{"mail":"bob@example.com"}' });
  await submit('before-sign-in', SINCE + 1, { sessionId: 's-before' });
  const visit = { propertyId: 'shop', receivedAt: SINCE, visitorId: 'v-ann' };
  await store.append(LOCAL_SOURCE, [
    { seq: ++seq, request: collect({ ...visit, sessionId: 's-before' }) },
    { seq: ++seq, request: collect({ ...visit, sessionId: 's-later', userId: 'u-ann' }) },
  ]);
  await watch.run();
  await forgettingDeliveries(database(), store).forget([
    { propertyId: 'shop', feedbackId: 'named' },
    { propertyId: 'shop', metadata: { key: 'mail', value: 'ann@example.com' } },
    { propertyId: 'shop', userId: 'u-ann' },
  ]);
  expect(await queued()).toEqual(['other-mail']);
});

test('erasing a visitor, user or session includes the deliveries about them', async () => {
  await subscribe();
  for (const id of ['anonymous', 'ann', 'bob', 'cleo', 'dan']) {
    await submit(id, SINCE + 1, id === 'anonymous' ? {} : { sessionId: `s-${id}` });
  }
  await watch.run();
  // The visitor of this session becomes known only after the event was queued.
  const fields = { propertyId: 'shop', receivedAt: SINCE + 2 };
  await store.append(LOCAL_SOURCE, [
    { seq: ++seq, request: collect({ ...fields, sessionId: 's-ann', visitorId: 'v-ann' }) },
    { seq: ++seq, request: collect({ ...fields, sessionId: 's-bob', visitorId: 'v', userId: 'u-bob' }) },
  ]);
  const erased = await forgettingDeliveries(database(), store).forget([
    { propertyId: 'shop', visitorId: 'v-ann' },
    { propertyId: 'shop', userId: 'u-bob' },
    { propertyId: 'shop', sessionId: 's-cleo' },
    { propertyId: 'other', sessionId: 's-dan' },
  ]);
  expect(erased.map(({ rows }) => rows > 0)).toEqual([true, true, true, false]);
  expect(await queued()).toEqual(['anonymous', 'dan']);
});
