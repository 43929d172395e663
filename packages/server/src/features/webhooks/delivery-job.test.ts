import { HOUR_MS } from '@switchyard/core/time';
import {
  type MemoryConfiguration,
  openMemoryConfiguration,
} from '@switchyard/testing/configuration/memory-configuration';
import { changeWebhook, storeWebhook } from '@switchyard/testing/configuration/stored-webhook';
import { WebhookReceiver } from '@switchyard/testing/network/webhook-receiver';
import { waitFor } from '@switchyard/testing/time/wait';
import { pino } from 'pino';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PropertyConfiguration, Webhook } from '../../configuration/property/property-configuration.ts';
import { DeliveryJob, type DeliveryJobOptions } from './delivery-job.ts';
import { enqueue, type WebhookEvent } from './enqueue.ts';
import { pruneDeliveries } from './prune-deliveries.ts';
import { deliveryDetail, deliveryPage, queueTest, resendDelivery } from './webhook-routes.ts';

let configuration: MemoryConfiguration;
let receiver: WebhookReceiver;
let property: PropertyConfiguration;
let job: DeliveryJob;
let clock: number;
let logged: string[];

beforeEach(async () => {
  configuration = await openMemoryConfiguration();
  await configuration.apply({});
  receiver = await WebhookReceiver.open();
  clock = 0;
  logged = [];
  job = startJob();
});
afterEach(async () => {
  await job.close();
  await receiver.close();
  await configuration.handle.close();
});

const jobOptions = (): DeliveryJobOptions => ({
  database: configuration.handle.database,
  property: () => property,
  allowPrivate: true,
  log: pino({}, { write: (line: string) => logged.push(line) }),
  now: () => Date.now() + clock,
  firstPauseMs: 0,
});

const startJob = (options: Partial<DeliveryJobOptions> = {}) =>
  new DeliveryJob({ ...jobOptions(), ...options });

const database = () => configuration.handle.database;
const HOOK = { propertyId: 'shop', webhookId: 'hook' };

async function addWebhook(fields: Partial<Webhook> = {}): Promise<Webhook> {
  const webhook = await storeWebhook(database(), { url: receiver.url, ...fields });
  property = (await configuration.property())!;
  return webhook;
}

const event = (number: number, more: Partial<WebhookEvent> = {}) =>
  ({
    type: 'schedule.executed',
    data: { propertyId: 'shop', splitTestKey: `test-${number}`, status: 'running', at: 5 },
    dedupeKey: String(number),
    at: 5,
    ...more,
  }) as WebhookEvent;

const queue = (...events: WebhookEvent[]) =>
  Promise.all(events.map((each) => enqueue(database(), 'shop', property.webhooks, each)));

const all = async (webhookId = 'hook') =>
  (await deliveryPage(database(), { propertyId: 'shop', webhookId }, {})).deliveries.reverse();

const settled = (what: string, state: string, webhookId = 'hook') =>
  waitFor(what, async () => {
    const deliveries = await all(webhookId);
    return deliveries.every((delivery) => delivery.state === state) && deliveries;
  });

/** Waits until each delivery has had this many attempts. */
const attempted = (attempts: number) =>
  waitFor(`attempt ${attempts}`, async () => {
    const deliveries = await all();
    return deliveries.every((delivery) => delivery.attempts === attempts) && deliveries;
  });

const subscribed = { events: ['schedule.executed'] };
const keysOf = (received = receiver.received) =>
  received.map(({ body }) => JSON.parse(body).data.splitTestKey);

describe('a delivery', () => {
  test('is signed as Standard Webhooks describes, and sent once', async () => {
    const { secret } = await addWebhook(subscribed);
    await queue(event(1));
    await job.run();
    const [delivery] = await settled('the delivery', 'delivered');
    const { headers, body } = receiver.received[0]!;
    expect(new Verifier(secret).verify(body, headers as Record<string, string>)).toEqual({
      type: 'schedule.executed',
      timestamp: '1970-01-01T00:00:00.005Z',
      data: { propertyId: 'shop', splitTestKey: 'test-1', status: 'running', at: 5 },
    });
    expect(headers['content-type']).toBe('application/json');
    expect(headers['webhook-id']).toBe(delivery!.id);
    expect(delivery).toMatchObject({ attempts: 1, lastStatus: 204, lastError: null, nextAttemptAt: null });
    await job.run();
    expect(receiver.received).toHaveLength(1);
    expect(() => new Verifier(secret).verify(`${body} `, headers as Record<string, string>)).toThrow();
  });

  test('goes only to enabled webhooks that are subscribed, once per event', async () => {
    await addWebhook({ id: 'hook', ...subscribed });
    await addWebhook({ id: 'disabled', ...subscribed, enabled: false });
    await addWebhook({ id: 'others', events: ['verdict.changed'] });
    expect(await queue(event(1), event(1), event(2))).toEqual([1, 0, 1]);
    expect([(await all()).length, await all('disabled'), await all('others')]).toEqual([2, [], []]);
  });

  test('is not queued if the transaction of the change fails', async () => {
    await addWebhook(subscribed);
    const failing = database()
      .transaction()
      .execute(async (transaction) => {
        await enqueue(transaction, 'shop', property.webhooks, event(1));
        throw new Error('refused');
      });
    await expect(failing).rejects.toThrow('refused');
    expect(await all()).toEqual([]);
  });

  test('of one webhook are sent in order, one at a time', async () => {
    await addWebhook(subscribed);
    let open = 0;
    let most = 0;
    receiver.answer = (response) => {
      most = Math.max(most, ++open);
      setImmediate(() => {
        open--;
        response.end();
      });
    };
    const numbers = Array.from({ length: 30 }, (_, number) => number);
    for (const number of numbers) await queue(event(number));
    await job.run();
    await settled('all deliveries', 'delivered');
    expect(keysOf()).toEqual(numbers.map((number) => `test-${number}`));
    expect(most).toBe(1);
  });
});

describe('a failed attempt', () => {
  test('is repeated with growing pauses for about a day, then given up; always with the same id', async () => {
    const { secret } = await addWebhook(subscribed);
    await job.close();
    receiver.answerWith(500, {}, 'broken');
    await queue(event(1));
    const start = Date.now();
    job = startJob({ random: () => 0, now: () => start + clock });
    const delays: number[] = [];
    for (let attempts = 1; ; attempts++) {
      await job.run();
      const [delivery] = await attempted(attempts);
      if (delivery!.state === 'failed') break;
      const delay = delivery!.nextAttemptAt! - (start + clock);
      clock += delay - 1;
      await job.run();
      expect(receiver.received).toHaveLength(attempts);
      delays.push(delay / 1000);
      clock += 1;
    }
    const total = delays.reduce((sum, delay) => sum + delay, 0);
    expect(delays.slice(0, 3)).toEqual([5, 30, 120]);
    expect(Math.round(total / 3600)).toBe(24);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    const { headers, body } = receiver.received.at(-1)!;
    expect(Number(headers['webhook-timestamp']) * 1000).toBeGreaterThan(start + 23 * HOUR_MS);
    const id = headers['webhook-id'] as string;
    const sentAt = new Date(Number(headers['webhook-timestamp']) * 1000);
    expect(headers['webhook-signature']).toBe(new Verifier(secret).sign(id, sentAt, body));
    expect(await deliveryDetail(database(), HOOK, id)).toMatchObject({
      state: 'failed',
      lastStatus: 500,
      lastError: 'http_status',
      lastResponse: 'broken',
      payload: JSON.parse(body),
    });
    expect(logged.join('')).toContain('given up');
    expect(logged.join('')).not.toContain(secret);
  });

  test('does not hold up later deliveries of the same webhook', async () => {
    await addWebhook(subscribed);
    receiver.answer = (response, { body }) => response.writeHead(body.includes('test-1"') ? 500 : 200).end();
    await queue(event(1));
    await queue(event(2));
    await job.run();
    await waitFor('the second', async () => (await all())[1]!.state === 'delivered');
    expect((await all())[0]).toMatchObject({ state: 'pending', attempts: 1 });
  });

  test('with status 410 is the last one', async () => {
    await addWebhook(subscribed);
    receiver.answerWith(410);
    await queue(event(1));
    await job.run();
    expect(await settled('the failure', 'failed')).toMatchObject([{ lastError: 'gone', attempts: 1 }]);
  });

  test('with Retry-After waits as requested, at most an hour', async () => {
    await addWebhook(subscribed);
    receiver.answerWith(503, { 'retry-after': '999999' });
    await queue(event(1));
    await job.run();
    const [delivery] = await attempted(1);
    expect(delivery!.nextAttemptAt! - delivery!.lastAttemptAt!).toBeGreaterThanOrEqual(HOUR_MS);
    expect(delivery!.nextAttemptAt! - delivery!.lastAttemptAt!).toBeLessThan(HOUR_MS + 60_000);
  });

  test('to a private address is refused, unless the setting allows it', async () => {
    await addWebhook(subscribed);
    await job.close();
    job = startJob({ allowPrivate: false });
    await queue(event(1));
    await job.run();
    expect(await attempted(1)).toMatchObject([{ lastError: 'refused_address', lastStatus: null }]);
    expect(receiver.received).toEqual([]);
  });
});

describe('receivers that do not respond', () => {
  test('do not delay the others', async () => {
    const dead = ['dead-1', 'dead-2', 'dead-3', 'dead-4', 'dead-5', 'dead-6'];
    const silent = await WebhookReceiver.open();
    silent.answer = () => {};
    for (const id of dead) await addWebhook({ id, url: silent.url, ...subscribed });
    await job.close();
    const options = { ...jobOptions(), timeoutMs: 100 };
    job = new DeliveryJob(options);
    await queue(event(1));
    await job.run();
    await waitFor('a failure of each', async () => {
      const failed = await Promise.all(dead.map(async (id) => (await all(id))[0]!.attempts > 0));
      return failed.every(Boolean);
    });
    // Now they are known: however long they take, at most two places are theirs.
    options.timeoutMs = 600_000;
    await addWebhook(subscribed);
    await queue(event(2));
    await job.run();
    await settled('the delivery to the receiver that works', 'delivered');
    await job.close();
    await silent.close();
  });
});

describe('a restart', () => {
  test('repeats an attempt that was interrupted', async () => {
    await addWebhook(subscribed);
    receiver.answer = () => {};
    await queue(event(1));
    await job.run();
    await waitFor('the request', () => receiver.received.length === 1);
    await job.close();
    expect(await all()).toMatchObject([{ state: 'pending', attempts: 0 }]);
    receiver.acceptAll();
    job = startJob();
    await job.run();
    await settled('the delivery', 'delivered');
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).toEqual([ids[0], ids[0]]);
  });

  test('with the clock set back does not stop deliveries', async () => {
    await addWebhook(subscribed);
    clock = 1000 * HOUR_MS;
    receiver.answerWith(500);
    await queue(event(1));
    await job.run();
    await attempted(1);
    clock = 0;
    receiver.acceptAll();
    await job.run();
    await settled('the delivery', 'delivered');
  });
});

describe('a webhook that is', () => {
  test('disabled keeps its pending deliveries until it is enabled, at its new address', async () => {
    await addWebhook(subscribed);
    await queue(event(1));
    await changeWebhook(database(), 'hook', { enabled: false });
    property = (await configuration.property())!;
    await job.run();
    await job.run();
    expect([receiver.received, await all()]).toMatchObject([[], [{ state: 'pending', attempts: 0 }]]);
    await changeWebhook(database(), 'hook', { enabled: true, url: `${receiver.url}/new` });
    property = (await configuration.property())!;
    await job.run();
    await settled('the delivery', 'delivered');
    expect(receiver.received.map(({ url }) => url)).toEqual(['/hook/new']);
  });

  test('deleted takes its deliveries along', async () => {
    await addWebhook(subscribed);
    await queue(event(1));
    await database().deleteFrom('webhooks').where('id', '=', 'hook').execute();
    expect(await all()).toEqual([]);
    await job.run();
    expect(receiver.received).toEqual([]);
  });
});

describe('on request', () => {
  const wake = () => job.wake(HOOK);

  test('a finished delivery is sent again, with the same id and all its attempts', async () => {
    await addWebhook(subscribed);
    receiver.answerWith(410);
    await queue(event(1));
    await job.run();
    const [failed] = await settled('the failure', 'failed');
    receiver.acceptAll();
    expect(await resendDelivery(database(), HOOK, failed!.id, wake)).toEqual({ deliveryId: failed!.id });
    expect(await settled('the delivery', 'delivered')).toMatchObject([{ id: failed!.id, attempts: 1 }]);
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([failed!.id, failed!.id]);
  });

  test('a test event is sent, although nobody can subscribe to it', async () => {
    await addWebhook(subscribed);
    const { deliveryId } = await queueTest(database(), HOOK, wake);
    await settled('the delivery', 'delivered');
    expect(await deliveryDetail(database(), HOOK, deliveryId)).toMatchObject({
      type: 'webhook.test',
      payload: { type: 'webhook.test', data: { propertyId: 'shop', webhookId: 'hook' } },
    });
  });

  test('unknown deliveries, and those of other webhooks, are not found', async () => {
    await addWebhook(subscribed);
    await queue(event(1));
    const [{ id } = { id: '' }] = await all();
    const notFound = { code: 'not_found' };
    const elsewhere = { propertyId: 'shop', webhookId: 'other' };
    await expect(deliveryDetail(database(), HOOK, 'msg_unknown')).rejects.toMatchObject(notFound);
    await expect(deliveryDetail(database(), elsewhere, id)).rejects.toMatchObject(notFound);
    await expect(resendDelivery(database(), elsewhere, id, wake)).rejects.toMatchObject(notFound);
  });

  test('deliveries are listed in pages, newest first, and by state', async () => {
    await addWebhook(subscribed);
    for (let number = 0; number < 5; number++) await queue(event(number));
    const pages: string[][] = [];
    let cursor: string | null | undefined;
    do {
      const query = { limit: 2, ...(cursor ? { cursor } : {}) };
      const page = await deliveryPage(database(), HOOK, query);
      pages.push(page.deliveries.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(pages.flat()).toEqual((await all()).map(({ id }) => id).reverse());
    expect((await deliveryPage(database(), HOOK, { state: 'failed' })).deliveries).toEqual([]);
  });
});

describe('finished deliveries', () => {
  const finishAll = (queuedAt: number) =>
    database()
      .updateTable('webhook_deliveries')
      .set({ state: 'delivered', next_attempt_at: null, queued_at: queuedAt })
      .execute();

  test('are deleted after 30 days, or with the retention of the property; pending ones are kept', async () => {
    await addWebhook(subscribed);
    await queue(event(1));
    await finishAll(Date.now() - 10 * 24 * HOUR_MS);
    await queue(event(2));
    await pruneDeliveries(database(), [property], Date.now());
    expect(await all()).toHaveLength(2);
    await pruneDeliveries(database(), [{ ...property, retentionDays: 7 }], Date.now());
    expect(await all()).toMatchObject([{ state: 'pending' }]);
    await finishAll(Date.now() - 31 * 24 * HOUR_MS);
    await pruneDeliveries(database(), [property], Date.now());
    expect(await all()).toEqual([]);
  });

  test('are limited to 1,000 per webhook', async () => {
    await addWebhook(subscribed);
    await database()
      .transaction()
      .execute(async (transaction) => {
        for (let number = 0; number < 1250; number++) {
          await enqueue(transaction, 'shop', property.webhooks, event(number));
        }
      });
    await finishAll(Date.now());
    await pruneDeliveries(database(), [property], Date.now());
    const positions = await database().selectFrom('webhook_deliveries').select('position').execute();
    expect(positions).toHaveLength(1000);
    expect(Math.min(...positions.map(({ position }) => position))).toBe(251);
  });

  test('include those that nobody could deliver for a day and a half', async () => {
    await addWebhook({ ...subscribed });
    await queue(event(1));
    await pruneDeliveries(database(), [property], Date.now() + 37 * HOUR_MS);
    expect(await all()).toMatchObject([{ state: 'failed', lastError: 'expired' }]);
  });
});
