import { createPostgresDatabase, hasPostgres } from '@switchyard/testing/configuration/databases';
import { provisionDatabase } from '@switchyard/testing/configuration/provision-database';
import { storeWebhook } from '@switchyard/testing/configuration/stored-webhook';
import { WebhookReceiver } from '@switchyard/testing/network/webhook-receiver';
import { waitFor } from '@switchyard/testing/time/wait';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DatabaseHandle } from '../configuration/database/database.ts';
import { openDatabase } from '../configuration/database/open-database.ts';
import { type Configuration, openConfiguration } from '../configuration/snapshot/configuration.ts';
import { runSchedule } from '../features/split-testing/run-schedule.ts';
import { DeliveryJob } from '../features/webhooks/delivery-job.ts';
import { configurationModel, createConfigurationWriter } from '../start/definitions.ts';
import { startJobs } from './scheduler.ts';

const log = pino({ level: 'silent' });
let database: { url: string; remove: () => Promise<void> };
let receiver: WebhookReceiver;
let nodes: TestNode[];

interface TestNode {
  handle: DatabaseHandle;
  configuration: Configuration;
  close(): Promise<void>;
}

/** A node whose jobs look all the time, so that a second leader would be noticed. */
async function startNode(): Promise<TestNode> {
  const handle = await openDatabase('', { url: database.url });
  const configuration = await openConfiguration(handle, configurationModel);
  const writer = createConfigurationWriter(handle.database, configuration);
  const stopLeading = handle.nodes.lead(() => {
    const deliveries = new DeliveryJob({
      database: handle.background,
      log,
      allowPrivate: true,
      property: (id) => configuration.property(id),
    });
    const schedule = () => runSchedule(writer, configuration.properties(), Date.now());
    const stopJobs = startJobs(
      [
        { name: 'schedule', everyMs: 20, run: schedule },
        { name: 'webhook delivery', everyMs: 20, run: () => deliveries.run() },
      ],
      log,
    );
    return async () => {
      await deliveries.close();
      await stopJobs();
    };
  });
  const close = async () => {
    await stopLeading();
    await configuration.close();
    await handle.close();
  };
  return { handle, configuration, close };
}

beforeEach(async () => {
  database = await createPostgresDatabase();
  receiver = await WebhookReceiver.open();
  nodes = [await startNode(), await startNode(), await startNode()];
});

afterEach(async () => {
  await Promise.all(nodes.map((node) => node.close()));
  await receiver.close();
  await database.remove();
});

const startsAt = (key: string, startAt: number) => ({
  key,
  type: 'id' as const,
  status: 'draft' as const,
  startAt: new Date(startAt).toISOString(),
  variations: [
    { key: 'control', weight: 50 },
    { key: 'b', weight: 50 },
  ],
});

const isRunning = ({ configuration }: TestNode, key: string) =>
  configuration.property('shop')?.splitTests.some((test) => test.key === key && test.status === 'running');

/** Starts a test by its schedule, and waits until all nodes have it and the webhook was sent. */
async function scheduleStart(key: string): Promise<void> {
  const [{ handle }] = nodes as [TestNode];
  await provisionDatabase(handle.database, { id: 'shop', splitTests: [startsAt(key, Date.now() - 1000)] });
  await waitFor(`the start of ${key}`, () => nodes.every((node) => isRunning(node, key)));
  await waitFor(`the webhook of ${key}`, () => received().includes(key));
  // A leader that goes before it has saved that a webhook was sent leaves it to the next one, which sends it again.
  await waitFor(`the delivery of ${key}`, async () => (await pending(handle)) === 0);
}

const pending = async ({ database }: DatabaseHandle) => {
  const deliveries = database.selectFrom('webhook_deliveries').select('id').where('state', '=', 'pending');
  return (await deliveries.execute()).length;
};

const received = () =>
  receiver.received.map(
    ({ body }) => (JSON.parse(body) as { data: { splitTestKey: string } }).data.splitTestKey,
  );

const historyOf = async (key: string) => {
  const { database } = nodes[0]!.handle;
  const entries = database.selectFrom('history').select('via').where('entity_key', '=', key);
  return (await entries.where('via', '=', 'schedule').execute()).length;
};

describe.skipIf(!hasPostgres())('jobs of several nodes', () => {
  test('a schedule step and its webhook happen once, also after the leader is gone', async () => {
    await provisionDatabase(nodes[0]!.handle.database, { id: 'shop' });
    await storeWebhook(nodes[0]!.handle.database, { url: receiver.url, events: ['schedule.executed'] });
    await scheduleStart('first');
    const leaders = () => nodes.filter(({ handle }) => handle.nodes.isLeader);
    expect(leaders()).toHaveLength(1);
    const [leader] = leaders();
    nodes = nodes.filter((node) => node !== leader);
    await leader!.close();
    await scheduleStart('second');
    expect(leaders()).toHaveLength(1);
    expect([await historyOf('first'), await historyOf('second')]).toEqual([1, 1]);
    expect(received()).toEqual(['first', 'second']);
  });
});
