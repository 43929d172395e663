import { join } from 'node:path';
import { DAY_MS } from '@switchyard/core/time';
import { engines } from '@switchyard/testing/configuration/databases';
import {
  type MemoryConfiguration,
  openMemoryConfiguration,
} from '@switchyard/testing/configuration/memory-configuration';
import { storeWebhook } from '@switchyard/testing/configuration/stored-webhook';
import { temporaryDirectory } from '@switchyard/testing/server/test-server';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import { openDuckDbEventStore } from '../../events/duckdb/duckdb-event-store.ts';
import { goal } from '../../events/store/contract/sample-requests.contract.ts';
import { type EventStore, LOCAL_SOURCE } from '../../events/store/event-store.ts';
import { GoalTargetWatch } from './goal-target-watch.ts';

describe.each(engines())('$name', (engine) => {
  /** A Wednesday in the middle of May. */
  const NOW = Date.UTC(2026, 4, 13, 12);

  let configuration: MemoryConfiguration;
  let store: EventStore;
  let property: PropertyConfiguration;
  let seq = 0;

  beforeEach(async () => {
    configuration = await openMemoryConfiguration(engine);
    await configuration.apply({
      goals: [
        { id: 'signup', name: 'Sign-ups', kind: 'count' },
        { id: 'revenue', name: 'Revenue', kind: 'revenue' },
      ],
    });
    store = await openDuckDbEventStore(join(temporaryDirectory(), 'events.duckdb'));
    const url = 'https://shop.example';
    await storeWebhook(configuration.handle.database, { url, events: ['goal.target_reached'] });
  });
  afterEach(async () => {
    await store.close();
    await configuration.handle.close();
  });

  async function setTarget(goalId: string, target: object): Promise<void> {
    property = (await configuration.property())!;
    const goals = property.goals.map((each) => (each.id === goalId ? { ...each, target } : each));
    property = { ...property, goals: goals as typeof property.goals };
  }

  const look = (now: number) =>
    new GoalTargetWatch({
      database: configuration.handle.database,
      properties: () => [property],
      eventStore: store,
      onQueued: () => {},
    }).look(now);

  const convert = (goalId: string, receivedAt: number, direction: 1 | -1 = 1, amountMicros = 0) => {
    const request = goal({ propertyId: 'shop', goalId, receivedAt, direction, amountMicros });
    return store.append(LOCAL_SOURCE, [{ seq: ++seq, request }]);
  };

  async function queued() {
    const rows = await configuration.handle.database
      .selectFrom('webhook_deliveries')
      .select('body')
      .orderBy('position')
      .execute();
    return rows.map(({ body }) => JSON.parse(body).data);
  }

  test('tells once per period that a goal has reached its target', async () => {
    await setTarget('signup', { value: 2, period: 'week' });
    await convert('signup', NOW - 3 * DAY_MS);
    await convert('signup', NOW);
    await look(NOW);
    expect(await queued()).toEqual([]);
    await convert('signup', NOW + 1);
    for (const later of [1, 2]) await look(NOW + later);
    const monday = Date.UTC(2026, 4, 11);
    expect(await queued()).toEqual([
      {
        propertyId: 'shop',
        goal: { id: 'signup', name: 'Sign-ups', kind: 'count' },
        total: 2,
        target: { value: 2, period: 'week' },
        from: monday,
        to: monday + 7 * DAY_MS,
      },
    ]);
    // A refund and another conversion do not repeat it.
    await convert('signup', NOW + 3, -1);
    await look(NOW + 3);
    await convert('signup', NOW + 4);
    await look(NOW + 4);
    expect(await queued()).toHaveLength(1);
    const nextWeek = NOW + 7 * DAY_MS;
    for (let n = 0; n < 2; n++) await convert('signup', nextWeek);
    await look(nextWeek);
    expect((await queued()).map(({ from }) => from)).toEqual([monday, monday + 7 * DAY_MS]);
  });

  test('counts dollars, less refunds, and a new target is reached anew', async () => {
    await setTarget('revenue', { value: 100, period: 'month' });
    await convert('revenue', NOW, 1, 150_000_000);
    await convert('revenue', NOW, -1, -60_000_000);
    await look(NOW);
    expect(await queued()).toEqual([]);
    await convert('revenue', NOW, 1, 10_000_000);
    await look(NOW);
    await setTarget('revenue', { value: 50.5, period: 'month' });
    await look(NOW);
    expect((await queued()).map(({ total, target }) => [total, target.value])).toEqual([
      [100, 100],
      [100, 50.5],
    ]);
  });

  test('goals without a target are ignored', async () => {
    property = (await configuration.property())!;
    await convert('signup', NOW);
    await look(NOW);
    expect(await queued()).toEqual([]);
  });

  test.each([
    ['UTC', Date.UTC(2026, 4, 11)],
    ['Europe/Berlin', Date.parse('2026-05-11T00:00+02:00')],
    ['America/New_York', Date.parse('2026-05-11T00:00-04:00')],
  ])('has the weeks of the time zone %s', async (timeZone, monday) => {
    await setTarget('signup', { value: 1, period: 'week' });
    property = { ...property, timeZone };
    await convert('signup', monday - 1);
    await look(monday);
    expect(await queued()).toEqual([]);
    await convert('signup', monday);
    await look(monday);
    expect(await queued()).toMatchObject([{ total: 1, from: monday, to: monday + 7 * DAY_MS }]);
  });
});
