import { DAY_MS, HOUR_MS } from '@switchyard/core/time';
import { OTHER_SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import {
  accepted,
  closeShop,
  expectProblem,
  nextMillisecond,
  openShop,
  type Shop,
  sampleWith,
} from '@switchyard/testing/fixtures/shop';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const WEEK = 7 * DAY_MS;
/** 1970-01-05 was a Monday. */
const A_MONDAY = 4 * DAY_MS;

const SERIES = ['hour', 'day', 'week'].map((interval) => ({ id: `by-${interval}`, kind: 'revenue' }));
const goals = [
  { id: 'untouched', kind: 'count' },
  { id: 'periods', kind: 'revenue' },
  { id: 'counted', kind: 'count' },
  { id: 'bounds', kind: 'count' },
  { id: 'isolated', kind: 'count' },
  ...SERIES,
  ...[HOUR_MS, DAY_MS, WEEK].map((length) => ({ id: `long-by-${length}`, kind: 'count' })),
];
const other = { id: 'other', goals: [{ id: 'isolated', kind: 'count' }] };

let shop: Shop;
beforeAll(async () => {
  const { properties } = sampleWith({ goals });
  const merged = properties.map((property) =>
    property.id === 'other' ? { ...property, ...other } : property,
  );
  shop = await openShop({ provision: { properties: merged } });
});
afterAll(() => closeShop(shop));

const NO_PROGRESS = { total: 0, count: 0, gross: 0, reversed: 0, increments: 0, decrements: 0 };
const NOTHING = { ...NO_PROGRESS, amount: 0, grossAmount: 0, reversedAmount: 0 };
const window = (from: number, to: number) => ({ from: String(from), to: String(to) });

describe('progress', () => {
  it('of a goal without conversions: zeros for 30 days', async () => {
    const progress = await shop.progress('untouched');
    expect(progress).toEqual({
      goalId: 'untouched',
      kind: 'count',
      timeZone: 'UTC',
      current: NOTHING,
      previous: NOTHING,
      previousPeriod: { from: expect.any(Number), to: expect.any(Number) },
      bots: { increments: 0, decrements: 0 },
      series: expect.any(Array),
      previousSeries: expect.any(Array),
    });
    expect([30, 31]).toContain(progress.series.length);
    for (const { partial: _, ...bucket } of [...progress.series, ...progress.previousSeries]) {
      expect(bucket).toEqual({ at: expect.any(Number), ...NO_PROGRESS });
    }
  });

  it('compares a period with the previous one of the same length, including decrements', async () => {
    const goalId = 'periods';
    await accepted(shop.increment({ goalId, amount: 100 }), shop.increment({ goalId, amount: 20.5 }));
    await accepted(shop.decrement({ goalId, amount: 0.5 }));
    const turn = await nextMillisecond();
    await accepted(shop.increment({ goalId, amount: 7 }), shop.decrement({ goalId, amount: 9.25 }));
    const before = { total: 120, count: 1, gross: 120.5, reversed: 0.5 };
    const after = { total: -2.25, count: 0, gross: 7, reversed: 9.25 };
    const progress = await shop.progress(goalId, window(turn, turn + HOUR_MS));
    expect([progress.current, progress.previous]).toMatchObject([after, before]);
    const shifted = await shop.progress(goalId, window(turn + HOUR_MS, turn + 2 * HOUR_MS));
    expect([shifted.current, shifted.previous]).toMatchObject([NOTHING, after]);
    const whole = await shop.progress(goalId);
    expect(whole.current).toMatchObject({ total: 117.75, count: 1, gross: 127.5, reversed: 9.75 });
    expect(whole.previous).toEqual(NOTHING);
  });

  it('of a count goal is a number of conversions', async () => {
    const goalId = 'counted';
    await accepted(...Array.from({ length: 5 }, () => shop.increment({ goalId, amount: 12 })));
    await accepted(shop.decrement({ goalId }), shop.decrement({ goalId, amount: 3 }));
    const { kind, current, series } = await shop.progress(goalId);
    expect(kind).toBe('count');
    expect(current).toEqual({
      total: 3,
      count: 3,
      gross: 5,
      reversed: 2,
      increments: 5,
      decrements: 2,
      amount: 57,
      grossAmount: 60,
      reversedAmount: 3,
    });
    const sum = series.reduce((total: number, bucket: { total: number }) => total + bucket.total, 0);
    expect(sum).toBe(3);
  });

  it('`from` is inclusive, `to` exclusive', async () => {
    const goalId = 'bounds';
    await nextMillisecond();
    await accepted(shop.increment({ goalId, sessionId: 'bounds' }));
    const [{ at }] = await shop.timeline('bounds', 'goal');
    const counted = async (from: number, to: number) =>
      (await shop.progress(goalId, window(from, to))).current.count;
    expect(await counted(at, at + 1)).toBe(1);
    expect(await counted(at - 1, at)).toBe(0);
    expect(await counted(at + 1, at + 2)).toBe(0);
    const { previous } = await shop.progress(goalId, window(at + 1, at + 2));
    expect(previous.count).toBe(1);
  });

  it('counts events acknowledged in this millisecond', async () => {
    for (let n = 1; n <= 20; n++) {
      await accepted(shop.increment({ goalId: 'signup' }));
      expect((await shop.progress('signup')).current.total).toBe(n);
    }
  });

  it('is separate for each property', async () => {
    await accepted(shop.increment({ goalId: 'isolated' }));
    const body = { propertyId: 'other', goalId: 'isolated' };
    const elsewhere = () => shop.server.call('POST', '/v1/goals/increment', { key: OTHER_SECRET_KEY, body });
    await accepted(elsewhere(), elsewhere());
    expect((await shop.progress('isolated')).current.total).toBe(1);
    const address = '/v1/goals/progress?propertyId=other&goalId=isolated';
    const response = await shop.server.call('GET', address, { key: OTHER_SECRET_KEY });
    expect(response.body.current.total).toBe(2);
  });
});

describe('the series', () => {
  const intervals = [
    { interval: 'hour', length: HOUR_MS, origin: 0 },
    { interval: 'day', length: DAY_MS, origin: 0 },
    { interval: 'week', length: WEEK, origin: A_MONDAY },
  ];

  it.each(intervals)(
    'by $interval has every bucket, including empty ones',
    async ({ interval, length, origin }) => {
      const goalId = `by-${interval}`;
      const bucketOf = (time: number) => Math.floor((time - origin) / length) * length + origin;
      const before = bucketOf(Date.now());
      await accepted(shop.increment({ goalId, amount: 0.1 }), shop.increment({ goalId, amount: 0.2 }));
      await accepted(shop.decrement({ goalId, amount: 5 }));
      const after = bucketOf(Date.now());
      const from = before - 4 * length;
      const to = before + 3 * length;
      const { series, current } = await shop.progress(goalId, { ...window(from, to), interval });
      expect(series.map(({ at }: { at: number }) => at)).toEqual(
        [0, 1, 2, 3, 4, 5, 6].map((i) => from + i * length),
      );
      const used = series.filter(
        ({ count, total }: { count: number; total: number }) => count !== 0 || total !== 0,
      );
      for (const { at } of used) expect([before, after]).toContain(at);
      const progress = { total: -4.7, count: 1, gross: 0.3, reversed: 5, increments: 2, decrements: 1 };
      if (before === after) expect(used).toEqual([{ at: before, ...progress, partial: true }]);
      expect(current).toEqual({ ...progress, amount: -4.7, grossAmount: 0.3, reversedAmount: 5 });
    },
  );

  it.each(intervals)(
    'by $interval starts with the bucket of `from`',
    async ({ interval, length, origin }) => {
      const from = origin + 100 * length + 12_345;
      const { series } = await shop.progress('untouched', { ...window(from, from + length), interval });
      expect(series.map(({ at }: { at: number }) => at)).toEqual([from - 12_345, from - 12_345 + length]);
    },
  );

  it('weeks begin on Monday', async () => {
    const { series } = await shop.progress('untouched', {
      ...window(1767225600000, 1767225600001),
      interval: 'week',
    });
    // 1 January 2026 was a Thursday.
    expect(series.map(({ at }: { at: number }) => new Date(at).toISOString())).toEqual([
      '2025-12-29T00:00:00.000Z',
    ]);
  });

  it('is by day by default', async () => {
    const { series } = await shop.progress('untouched', window(0, 3 * DAY_MS));
    expect(series.map(({ at }: { at: number }) => at)).toEqual([0, DAY_MS, 2 * DAY_MS]);
  });

  const longPeriods: { name: string; query: Record<string, string>; length: number }[] = [
    { name: 'since 1970', query: { from: '0' }, length: DAY_MS },
    { name: 'by the hour', query: { from: '0', interval: 'hour' }, length: HOUR_MS },
    {
      name: 'the longest possible',
      query: { from: '0', to: '8640000000000000', interval: 'week' },
      length: WEEK,
    },
  ];
  it.each(longPeriods)(
    'over more than 10,000 buckets, $name, has those with progress',
    async ({ query, length }) => {
      const goalId = `long-by-${length}`;
      const before = Date.now();
      await accepted(shop.increment({ goalId }), shop.increment({ goalId }));
      await accepted(shop.decrement({ goalId }));
      const { current, previous, series } = await shop.progress(goalId, query);
      expect(current).toMatchObject({ total: 1, count: 1, gross: 2, reversed: 1 });
      expect(previous).toEqual(NOTHING);
      expect(series.reduce((sum: number, { total }: { total: number }) => sum + total, 0)).toBe(1);
      // Two if a bucket ended in between.
      expect(series.length).toBeLessThanOrEqual(2);
      expect(series[0].at).toBeGreaterThan(before - length);
    },
  );

  it('with `to` alone: the 30 days before it', async () => {
    const { series } = await shop.progress('untouched', { to: String(100 * DAY_MS) });
    expect(series.map(({ at }: { at: number }) => at)).toEqual(
      Array.from({ length: 30 }, (_, i) => (70 + i) * DAY_MS),
    );
  });
});

describe('invalid queries', () => {
  const rows: { name: string; query: Record<string, string>; pointers: string[] }[] = [
    { name: 'an end before the start', query: { from: '2', to: '1' }, pointers: ['/from'] },
    { name: 'an empty period', query: { from: '1', to: '1' }, pointers: ['/from'] },
    { name: 'a start in the future', query: { from: '4102444800000' }, pointers: ['/from'] },
    { name: 'a negative time', query: { from: '-1', to: '5' }, pointers: ['/from'] },
    { name: 'a fraction', query: { from: '1.5', to: '5' }, pointers: ['/from'] },
    { name: 'a date', query: { from: '2026-01-01', to: '5' }, pointers: ['/from'] },
    { name: 'an empty time', query: { from: '', to: '5' }, pointers: ['/from'] },
    { name: 'an end that is not a number', query: { from: '1', to: 'now' }, pointers: ['/to'] },
    { name: 'an unknown interval', query: { interval: 'month' }, pointers: ['/interval'] },
    { name: 'an interval in upper case', query: { interval: 'Day' }, pointers: ['/interval'] },
    { name: 'no goal', query: { goalId: '' }, pointers: ['/goalId'] },
  ];
  it.each(rows)('$name: 400', async ({ query, pointers }) => {
    const response = await shop.get('/v1/goals/progress', { goalId: 'untouched', ...query });
    expectProblem(response, { status: 400, code: 'invalid_request', pointers });
  });

  it('an unknown goal: 404', async () => {
    expectProblem(await shop.get('/v1/goals/progress', { goalId: 'nothing' }), {
      status: 404,
      code: 'goal_not_found',
    });
  });

  it('an invalid period takes precedence over an unknown goal: 400', async () => {
    const response = await shop.get('/v1/goals/progress', { goalId: 'nothing', from: '2', to: '1' });
    expectProblem(response, { status: 400, code: 'invalid_request', pointers: ['/from'] });
  });
});
