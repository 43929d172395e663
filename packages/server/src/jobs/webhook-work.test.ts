import {
  type MemoryConfiguration,
  openMemoryConfiguration,
} from '@switchyard/testing/configuration/memory-configuration';
import { storeWebhook } from '@switchyard/testing/configuration/stored-webhook';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { PropertyConfiguration } from '../configuration/property/property-configuration.ts';
import type { Configuration } from '../configuration/snapshot/configuration.ts';
import type { EventStorage } from '../events/thread/event-storage.ts';
import type { ReportRunner } from '../features/reports/report-runner.ts';
import { createWebhookWork, type WebhookWork } from './webhook-work.ts';

let configuration: MemoryConfiguration;
let webhooks: WebhookWork;
let properties: PropertyConfiguration[];
let queries: number;

beforeEach(async () => {
  configuration = await openMemoryConfiguration();
  await configuration.apply({});
  await load();
  webhooks = createWebhookWork({
    config: { webhookAllowPrivate: false },
    log: pino({ level: 'silent' }),
    database: configuration.handle.database.withPlugin({
      transformQuery: ({ node }) => {
        queries++;
        return node;
      },
      transformResult: async ({ result }) => result,
    }),
    configuration: { properties: () => properties } as Configuration,
    events: { eventStore: {} } as EventStorage,
    reports: { close: async () => {} } as ReportRunner,
  });
});
afterEach(async () => {
  await webhooks.close();
  await configuration.handle.close();
});

async function load(): Promise<void> {
  properties = [(await configuration.property())!];
}

async function queriesOfARun(): Promise<number> {
  queries = 0;
  const { deliver, watchFeedback, watchTests, watchGoals, prune } = webhooks;
  for (const run of [deliver, watchFeedback, watchTests, watchGoals, prune]) await run();
  return queries;
}

it('the jobs query nothing while no property has a webhook, but for one look at the start', async () => {
  expect(await queriesOfARun()).toBe(1);
  expect(await queriesOfARun()).toBe(0);
  const events = ['configuration.changed' as const];
  await storeWebhook(configuration.handle.database, { url: 'https://shop.example', events });
  await load();
  expect(await queriesOfARun()).toBeGreaterThan(0);
});

it('nothing is queried after the jobs were closed', async () => {
  await storeWebhook(configuration.handle.database, { url: 'https://shop.example' });
  await webhooks.close();
  queries = 0;
  webhooks.wake();
  await new Promise(setImmediate);
  expect(queries).toBe(0);
});
