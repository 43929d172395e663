import { INTERVALS } from '@switchyard/core/api/goals';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@switchyard/core/time';
import { mulberry32 } from '@switchyard/testing/random/mulberry32';
import { expect, test } from 'vitest';
import type { AcceptedRequest } from '../../accepted-request.ts';
import { type EventStore, LOCAL_SOURCE } from '../../event-store.ts';
import { PAGE_BYTES } from '../../page.ts';
import { T0 } from '../random-requests.contract.ts';
import { collect, entry, goal } from '../sample-requests.contract.ts';
import { naiveBuckets } from './naive-buckets.contract.ts';

interface Suite {
  store: () => EventStore;
  add: (...requests: AcceptedRequest[]) => Promise<void>;
  nextProperty: () => string;
}

const SEED = 20_261_120;

const CLOCK_CHANGES = [
  ['Europe/Berlin', Date.UTC(2025, 2, 30, 1)],
  ['Europe/Berlin', Date.UTC(2025, 9, 26, 1)],
  // By half an hour.
  ['Australia/Lord_Howe', Date.UTC(2025, 3, 5, 15)],
  // At one o'clock, back to midnight.
  ['America/Havana', Date.UTC(2025, 10, 2, 5)],
  // Never, and three quarters of an hour from full hours.
  ['Asia/Kathmandu', Date.UTC(2025, 4, 1)],
] as const;

/** The contract for totals, series and lists of conversions. */
export function describeGoals({ store, add, nextProperty }: Suite): void {
  test('sums money exactly, in the right buckets', async () => {
    const propertyId = nextProperty();
    const monday = Date.UTC(2025, 10, 10);
    const huge = Number.MAX_SAFE_INTEGER;
    await add(
      ...Array.from({ length: 10 }, () => goal({ propertyId, receivedAt: monday, amountMicros: 100_000 })),
      ...[huge, huge].map((amountMicros) => goal({ propertyId, receivedAt: monday + DAY_MS, amountMicros })),
      goal({ propertyId, receivedAt: monday + DAY_MS, direction: -1, amountMicros: -huge }),
      goal({ propertyId, receivedAt: monday - 1, amountMicros: 5 }),
    );
    const range = { propertyId, goalId: 'signup', from: monday, to: monday + 7 * DAY_MS };
    expect(await store().goalTotals({ ...range, to: monday + 1 })).toMatchObject({
      incrementedMicros: 1_000_000n,
    });
    expect(await store().goalTotals(range)).toEqual({
      increments: 12,
      decrements: 1,
      incrementedMicros: 1_000_000n + 2n * BigInt(huge),
      decrementedMicros: BigInt(huge),
    });
    const bucket = (
      at: number,
      [increments, incrementedMicros]: [number, bigint],
      [decrements, decrementedMicros]: [number, bigint] = [0, 0n],
    ) => ({ at, increments, decrements, incrementedMicros, decrementedMicros });
    const buckets = [
      bucket(monday, [10, 1_000_000n]),
      bucket(monday + DAY_MS, [2, 2n * BigInt(huge)], [1, BigInt(huge)]),
    ];
    expect(await store().goalSeries({ ...range, interval: 'hour', timeZone: 'UTC' })).toEqual(buckets);
    expect(await store().goalSeries({ ...range, interval: 'day', timeZone: 'UTC' })).toEqual(buckets);
    const byWeek = { ...range, from: monday - 1, interval: 'week', timeZone: 'UTC' } as const;
    expect(await store().goalSeries(byWeek)).toEqual([
      bucket(monday - 7 * DAY_MS, [1, 5n]),
      bucket(monday, [12, 1_000_000n + 2n * BigInt(huge)], [1, BigInt(huge)]),
    ]);
  });

  test('has the hours, days and weeks of a time zone, also when clocks change', async () => {
    const propertyId = nextProperty();
    const feedback = nextProperty();
    const times = CLOCK_CHANGES.flatMap(([, change]) =>
      [-8 * 24, -25, -24, -23, -4, -2, -1, 0, 1, 2, 4, 21, 22, 23, 24, 25, 8 * 24].flatMap((hours) =>
        [-1, 0, 30 * MINUTE_MS].map((ms) => change + hours * HOUR_MS + ms),
      ),
    );
    await add(
      ...times.map((receivedAt) => goal({ propertyId, receivedAt })),
      ...times.map((receivedAt) => entry({ propertyId: feedback, receivedAt })),
    );
    for (const [timeZone, change] of CLOCK_CHANGES) {
      const range = { from: change - 9 * DAY_MS + 5, to: change + 9 * DAY_MS - 5 };
      const counted = times.filter((time) => time >= range.from && time < range.to);
      for (const interval of INTERVALS) {
        const query = { ...range, interval, timeZone };
        const expected = naiveBuckets(timeZone, interval, counted);
        const series = await store().goalSeries({ propertyId, goalId: 'signup', ...query });
        expect(series.map(({ at, increments }) => [at, increments])).toEqual(expected);
        const summary = await store().feedbackSummary({ propertyId: feedback, ...query });
        expect(summary.series.map(({ at, total }) => [at, total])).toEqual(expected);
      }
    }
  });

  test(`has the buckets of random periods in random time zones (seed ${SEED})`, async () => {
    const propertyId = nextProperty();
    const random = mulberry32(SEED);
    const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
    const between = (from: number, to: number) => from + Math.floor(random() * (to - from));
    const [first, last] = [Date.UTC(2024, 0), Date.UTC(2026, 0)];
    const times = Array.from({ length: 200 }, () => between(first, last));
    // Many of them close to a clock change.
    times.push(
      ...Array.from({ length: 200 }, () => pick(CLOCK_CHANGES)[1] + between(-2 * DAY_MS, 2 * DAY_MS)),
    );
    await add(...times.map((receivedAt) => goal({ propertyId, receivedAt })));
    for (let run = 0; run < 8; run++) {
      const from = between(first, last);
      const range = { from, to: between(from, last) + 1 };
      const [timeZone, interval] = [pick(CLOCK_CHANGES)[0], pick(INTERVALS)];
      const counted = times.filter((time) => time >= range.from && time < range.to);
      const series = await store().goalSeries({ propertyId, goalId: 'signup', ...range, interval, timeZone });
      expect(
        series.map(({ at, increments }) => [at, increments]),
        JSON.stringify({ ...range, interval, timeZone }),
      ).toEqual(naiveBuckets(timeZone, interval, counted));
    }
  });

  test('has buckets that start at given times', async () => {
    const propertyId = nextProperty();
    await add(...[0, 5, 10, 11, 30].map((ms) => goal({ propertyId, receivedAt: T0 + ms, amountMicros: ms })));
    const query = { propertyId, goalId: 'signup', from: T0 + 5, to: T0 + 30 };
    const series = await store().goalSeries({ ...query, starts: [T0, T0 + 10, T0 + 11, T0 + 20] });
    expect(
      series.map(({ at, increments, incrementedMicros }) => [at - T0, increments, incrementedMicros]),
    ).toEqual([
      [0, 1, 5n],
      [10, 1, 10n],
      [11, 1, 11n],
    ]);
  });

  test('conversions are listed newest first, with their session; those of one moment in order of arrival', async () => {
    const propertyId = nextProperty();
    await add(
      goal({ propertyId, sessionId: 's', receivedAt: T0, amountMicros: 5, metadata: '{"order":"7"}' }),
      goal({ propertyId, sessionId: 's', receivedAt: T0, amountMicros: -5, direction: -1 }),
      goal({ propertyId, sessionId: 'unlinked', receivedAt: T0 + 1 }),
      goal({ propertyId, receivedAt: T0 - 1, goalId: 'other' }),
      collect({ propertyId, sessionId: 's', visitorId: 'ann', userId: 'u', receivedAt: T0 + 2 }),
    );
    const { rows, next } = await store().conversionPage({ propertyId, limit: 4 });
    const none = { metadata: null, visitorId: null, userId: null, bot: false };
    const ofAnn = { goalId: 'signup', sessionId: 's', visitorId: 'ann', userId: 'u', at: T0, bot: false };
    expect(rows.map(({ source: _source, ordinal: _ordinal, ...it }) => it)).toEqual([
      { ...none, goalId: 'signup', direction: 1, amountMicros: 0, sessionId: 'unlinked', at: T0 + 1 },
      { ...ofAnn, direction: -1, amountMicros: -5, metadata: null },
      { ...ofAnn, direction: 1, amountMicros: 5, metadata: '{"order":"7"}' },
      { ...none, goalId: 'other', direction: 1, amountMicros: 0, sessionId: null, at: T0 - 1 },
    ]);
    expect(next).toBeUndefined();
    expect((await store().conversionPage({ propertyId, limit: 2 })).next).toEqual({
      at: T0,
      source: LOCAL_SOURCE,
      ordinal: rows[1]!.ordinal,
    });
    expect(await store().conversionPage({ propertyId: nextProperty(), limit: 2 })).toEqual({
      rows: [],
      next: undefined,
    });
  });

  test('a page of conversions ends at its size in bytes', async () => {
    const propertyId = nextProperty();
    const metadata = JSON.stringify({ note: 'm'.repeat(PAGE_BYTES / 4) });
    await add(...[1, 2, 3, 4, 5, 6].map((n) => goal({ propertyId, receivedAt: T0 + n, metadata })));
    const { rows, next } = await store().conversionPage({ propertyId, limit: 9 });
    expect(rows.map(({ at }) => at - T0)).toEqual([6, 5, 4, 3]);
    expect(next).toEqual({ at: T0 + 3, source: LOCAL_SOURCE, ordinal: rows[3]!.ordinal });
  });
}
