import { DAY_MS } from '@switchyard/core/time';
import { expect, test } from 'vitest';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import { Retention } from './retention-job.ts';

const property = (id: string, retentionDays: number | null) =>
  ({ id, retentionDays }) as PropertyConfiguration;

test('the event store is told at the start, after changes, and again after a failure', async () => {
  const told: Record<string, number>[] = [];
  const expired: [string, number][] = [];
  let fails = false;
  const removed: number[] = [];
  const store = {
    removeRemains: async (at: number) => {
      removed.push(at);
      return false;
    },
    setRetention: async (days: ReadonlyMap<string, number>) => {
      if (fails) throw new Error('unavailable');
      told.push(Object.fromEntries(days));
    },
    expire: async (propertyId: string, before: number) => {
      expired.push([propertyId, before]);
      return { rows: 0 };
    },
  };
  const now = 100 * DAY_MS;
  const retention = new Retention(store, { onExpired: async () => {}, removeRemains: async () => {} });
  const enforce = (...properties: PropertyConfiguration[]) => retention.enforce(properties, now);
  await enforce(property('shop', 30), property('blog', null));
  await enforce(property('shop', 30), property('blog', null));
  expect(told).toEqual([{ shop: 30, blog: 0 }]);
  expect(expired).toEqual([['shop', 70 * DAY_MS]]);
  expect(removed).toEqual([now]);

  fails = true;
  await expect(enforce(property('shop', 7), property('blog', null))).rejects.toThrow('unavailable');
  expect(expired).toEqual([
    ['shop', 70 * DAY_MS],
    ['shop', 93 * DAY_MS],
  ]);
  fails = false;
  // Back to what was told before the failure, which may have changed something.
  await enforce(property('shop', 30), property('blog', null));
  await enforce(property('shop', null), property('blog', null));
  expect(told.slice(1)).toEqual([
    { shop: 30, blog: 0 },
    { shop: 0, blog: 0 },
  ]);
});
