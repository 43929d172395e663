import { join } from 'node:path';
import type { GoalProgress } from '@switchyard/core/api/goals';
import { DAY_MS, HOUR_MS } from '@switchyard/core/time';
import { temporaryDirectory } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Goal } from '../../configuration/property/property-configuration.ts';
import { openDuckDbEventStore } from '../../events/duckdb/duckdb-event-store.ts';
import { goal } from '../../events/store/contract/sample-requests.contract.ts';
import { type EventStore, LOCAL_SOURCE } from '../../events/store/event-store.ts';
import { type Period, periodOf } from '../../http/contract/period.ts';
import { goalProgress } from './goal-progress.ts';

const SIGNUP = { id: 'signup', name: 'Sign-ups', kind: 'count' } as Goal;
const at = (text: string) => Date.parse(text);

let store: EventStore;
beforeAll(async () => {
  store = await openDuckDbEventStore(join(temporaryDirectory(), 'events.duckdb'));
  // One conversion in the middle of every hour.
  const first = at('2025-12-01T00:30Z');
  const hours = (at('2026-11-01T00:00Z') - first) / HOUR_MS;
  await store.append(
    LOCAL_SOURCE,
    Array.from({ length: hours }, (_, hour) => ({
      seq: hour + 1,
      request: goal({ propertyId: 'shop', goalId: 'signup', receivedAt: first + hour * HOUR_MS }),
    })),
  );
});
afterAll(() => store.close());

async function progress(timeZone: string, query: Partial<Period> & { now: number }): Promise<GoalProgress> {
  const { now, ...given } = query;
  const period = periodOf({ to: now, ...given }, now);
  return goalProgress(store, { id: 'shop', timeZone }, SIGNUP, period, 'exclude');
}

const counts = (series: readonly (GoalProgress['series'][number] | null)[]) =>
  series.map((bucket) => bucket && (bucket.partial ? [bucket.count] : bucket.count));

describe('days of a time zone', () => {
  test('have 23 or 25 hours when clocks change', async () => {
    const to = at('2026-03-31T00:00+02:00');
    const spring = await progress('Europe/Berlin', { from: at('2026-03-28T00:00+01:00'), to, now: to });
    expect(spring.timeZone).toBe('Europe/Berlin');
    expect(spring.series.map((bucket) => bucket.at)).toEqual(
      ['2026-03-28T00:00+01:00', '2026-03-29T00:00+01:00', '2026-03-30T00:00+02:00'].map(at),
    );
    expect(counts(spring.series)).toEqual([24, 23, 24]);
    expect(spring.current.count).toBe(71);
    const until = at('2026-10-26T00:00+01:00');
    const autumn = await progress('Europe/Berlin', {
      from: at('2026-10-25T00:00+02:00'),
      to: until,
      now: until,
      interval: 'hour',
    });
    expect(counts(autumn.series)).toEqual(Array(25).fill(1));
    // The second of two equal hours has no counterpart.
    expect(counts(autumn.previousSeries)).toEqual([1, 1, 1, null, ...Array(21).fill(1)]);
    expect(autumn.previous.count).toBe(24);
  });
});

describe('the previous period', () => {
  test('of today at 10:00 is yesterday until 10:00', async () => {
    const now = at('2026-05-13T10:00+02:00');
    const today = await progress('Europe/Berlin', {
      from: at('2026-05-13T00:00+02:00'),
      now,
      interval: 'hour',
    });
    expect(today.previousPeriod).toEqual({ from: at('2026-05-12T00:00+02:00'), to: now - DAY_MS });
    expect([today.current.count, today.previous.count]).toEqual([10, 10]);
    expect(today.previousSeries.map((bucket) => bucket!.at)).toEqual(
      today.series.map((bucket) => bucket.at - DAY_MS),
    );
  });

  test('of the last days is as many days before, until the same time', async () => {
    const now = at('2026-05-13T10:00Z');
    const { series, previousSeries, previousPeriod } = await progress('UTC', {
      from: at('2026-05-07T00:00Z'),
      now,
    });
    expect(counts(series)).toEqual([24, 24, 24, 24, 24, 24, [10]]);
    expect(counts(previousSeries)).toEqual([24, 24, 24, 24, 24, 24, [10]]);
    expect(previousPeriod).toEqual({ from: at('2026-04-30T00:00Z'), to: at('2026-05-06T10:00Z') });
  });

  test('of whole days is as many whole days before, also across a clock change', async () => {
    const { previousPeriod, current, previous } = await progress('Europe/Berlin', {
      from: at('2026-03-29T00:00+01:00'),
      to: at('2026-03-30T00:00+02:00'),
      now: at('2026-05-13T10:00Z'),
    });
    expect(previousPeriod).toEqual({ from: at('2026-03-28T00:00+01:00'), to: at('2026-03-29T00:00+01:00') });
    expect([current.count, previous.count]).toEqual([23, 24]);
  });

  test('of days that are not over ends at the same time', async () => {
    const { series, previousSeries, previous } = await progress('UTC', {
      from: at('2026-05-12T00:00Z'),
      to: at('2026-05-15T00:00Z'),
      now: at('2026-05-13T10:00Z') - 1,
    });
    expect(counts(series)).toEqual([24, [24], [24]]);
    expect(counts(previousSeries)).toEqual([24, [10], null]);
    expect(previous.count).toBe(34);
  });

  test('of this week and this month so far is the same part of the one before', async () => {
    const now = at('2026-05-13T10:00Z');
    const week = await progress('UTC', { from: at('2026-05-11T00:00Z'), now, compare: 'week' });
    expect(week.previousPeriod).toEqual({ from: at('2026-05-04T00:00Z'), to: at('2026-05-06T10:00Z') });
    const month = await progress('UTC', { from: at('2026-05-01T00:00Z'), now, compare: 'month' });
    expect(month.previousPeriod).toEqual({ from: at('2026-04-01T00:00Z'), to: at('2026-04-13T10:00Z') });
    const long = await progress('UTC', {
      from: at('2026-03-01T00:00Z'),
      now: at('2026-03-30T10:00Z'),
      compare: 'month',
    });
    expect(long.previousPeriod).toEqual({ from: at('2026-02-01T00:00Z'), to: at('2026-03-01T00:00Z') });
    expect(counts(long.previousSeries)).toEqual([...Array(28).fill(24), null, null]);
  });

  test('of any other period is the time of the same length before it', async () => {
    const now = at('2026-05-13T10:00Z');
    const rolling = await progress('UTC', { from: now - 2 * DAY_MS, now });
    expect(rolling.previousPeriod).toEqual({ from: now - 4 * DAY_MS, to: now - 2 * DAY_MS });
    expect(counts(rolling.series)).toEqual([[14], 24, [10]]);
    expect(counts(rolling.previousSeries)).toEqual([[14], 24, [10]]);
  });

  test('by week has the same days of each week', async () => {
    const { series, previousSeries, previous } = await progress('UTC', {
      from: at('2026-05-04T00:00Z'),
      now: at('2026-05-13T10:00Z'),
      interval: 'week',
    });
    expect(counts(series)).toEqual([7 * 24, [58]]);
    expect(counts(previousSeries)).toEqual([7 * 24, [58]]);
    expect(previous.count).toBe(7 * 24 + 58);
  });
});
