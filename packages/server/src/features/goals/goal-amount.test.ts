import { SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import {
  accepted,
  closeShop,
  expectAccepted,
  expectProblem,
  openShop,
  type Shop,
  sampleWith,
} from '@switchyard/testing/fixtures/shop';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const MAX_AMOUNT = 1_000_000_000;

/** A goal for each scenario, so that each starts at zero. */
const GOALS = 80;
const goals = ['revenue', 'count'].flatMap((kind) =>
  Array.from({ length: GOALS }, (_, i) => ({ id: `${kind}-${i}`, kind })),
);

let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ provision: sampleWith({ goals }) });
});
afterAll(() => closeShop(shop));

let used = 0;
const newGoal = (kind: 'revenue' | 'count') => `${kind}-${used++ % GOALS}`;

const step = (endpoint: 'increment' | 'decrement', goalId: string, amount: unknown) => {
  // 1e400 is valid JSON, but too large for a JavaScript number.
  const text =
    typeof amount === 'string' && amount.startsWith('raw:') ? amount.slice(4) : JSON.stringify(amount);
  const rawBody = `{"propertyId":"shop","goalId":"${goalId}"${amount === undefined ? '' : `,"amount":${text}`}}`;
  return shop.server.call('POST', `/v1/goals/${endpoint}`, { key: SECRET_KEY, rawBody });
};

const NOTHING = { total: 0, count: 0, gross: 0, reversed: 0 };

describe('a revenue goal', () => {
  const amounts: { amount: unknown; total: number }[] = [
    { amount: 0, total: 0 },
    { amount: 'raw:-0', total: 0 },
    { amount: 1, total: 1 },
    { amount: 49.9, total: 49.9 },
    { amount: 0.1, total: 0.1 },
    { amount: 19.99, total: 19.99 },
    { amount: 1.005, total: 1.005 },
    { amount: 0.000001, total: 0.000001 },
    { amount: 123456789.123456, total: 123456789.123456 },
    { amount: MAX_AMOUNT, total: MAX_AMOUNT },
    { amount: 'raw:1.5e2', total: 150 },
  ];
  it.each(amounts)('increment by $amount: $total', async ({ amount, total }) => {
    const goal = newGoal('revenue');
    expectAccepted(await step('increment', goal, amount));
    expect((await shop.progress(goal)).current).toMatchObject({ total, count: 1, gross: total, reversed: 0 });
  });

  it.each(amounts.filter(({ total }) => total > 0))(
    'decrement by $amount: -$total',
    async ({ amount, total }) => {
      const goal = newGoal('revenue');
      expectAccepted(await step('decrement', goal, amount));
      expect((await shop.progress(goal)).current).toMatchObject({
        total: -total,
        count: -1,
        gross: 0,
        reversed: total,
      });
    },
  );

  const invalidAmounts: { name: string; amount: unknown }[] = [
    { name: 'a string', amount: '5' },
    { name: 'an empty string', amount: '' },
    { name: 'null', amount: null },
    { name: 'a boolean', amount: true },
    { name: 'a list', amount: [5] },
    { name: 'an object', amount: {} },
    { name: 'more than the largest number', amount: 'raw:1e400' },
    { name: 'more than the maximum', amount: MAX_AMOUNT + 0.01 },
    { name: 'much more than the maximum', amount: 1e300 },
  ];
  for (const endpoint of ['increment', 'decrement'] as const) {
    it.each(invalidAmounts)(`${endpoint} by $name: 400, and nothing counted`, async ({ amount }) => {
      const goal = newGoal('revenue');
      expectProblem(await step(endpoint, goal, amount), {
        status: 400,
        code: 'invalid_request',
        pointers: ['/amount'],
      });
      expect((await shop.progress(goal)).current).toMatchObject(NOTHING);
    });

    it(`${endpoint} without an amount: 400 amount_required`, async () => {
      const goal = newGoal('revenue');
      expectProblem(await step(endpoint, goal, undefined), {
        status: 400,
        code: 'amount_required',
        pointers: ['/amount'],
      });
      expect((await shop.progress(goal)).current).toMatchObject(NOTHING);
    });
  }

  it.each([1e-7, 4.9e-7])('increment by %s: 400, because it would be rounded to 0', async (amount) => {
    const goal = newGoal('revenue');
    expectProblem(await step('increment', goal, amount), {
      status: 400,
      code: 'amount_not_positive',
      pointers: ['/amount'],
    });
    expect((await shop.progress(goal)).current).toMatchObject(NOTHING);
  });

  it('increment by half a millionth: it is rounded up', async () => {
    const goal = newGoal('revenue');
    expectAccepted(await step('increment', goal, 5e-7));
    expect((await shop.progress(goal)).current.total).toBe(0.000001);
  });

  it.each([-1, -0.01, 'raw:-1e400'])('increment by %s: 400', async (amount) => {
    const goal = newGoal('revenue');
    expectProblem(await step('increment', goal, amount), {
      status: 400,
      code: 'invalid_request',
      pointers: ['/amount'],
    });
    expect((await shop.progress(goal)).current).toMatchObject(NOTHING);
  });

  it.each([0, 'raw:-0', -1, -0.01, 'raw:-1e400', 1e-7, 4.9e-7])(
    'decrement by %s: 400 amount_not_positive',
    async (amount) => {
      const goal = newGoal('revenue');
      expectProblem(await step('decrement', goal, amount), {
        status: 400,
        code: 'amount_not_positive',
        pointers: ['/amount'],
      });
      expect((await shop.progress(goal)).current).toMatchObject(NOTHING);
    },
  );
});

describe('a count goal', () => {
  const ignored: unknown[] = [undefined, 0, 7, 49.9, MAX_AMOUNT];
  it.each(ignored)('increment with an amount of %s: one conversion', async (amount) => {
    const goal = newGoal('count');
    expectAccepted(await step('increment', goal, amount));
    const { kind, current } = await shop.progress(goal);
    expect(kind).toBe('count');
    expect(current).toMatchObject({ total: 1, count: 1, gross: 1, reversed: 0 });
  });

  it.each(ignored.filter((amount) => amount !== 0))(
    'decrement with an amount of %s: minus one conversion',
    async (amount) => {
      const goal = newGoal('count');
      expectAccepted(await step('decrement', goal, amount));
      expect((await shop.progress(goal)).current).toMatchObject({
        total: -1,
        count: -1,
        gross: 0,
        reversed: 1,
      });
    },
  );

  it('rejects a negative amount in an increment', async () => {
    const response = await step('increment', newGoal('count'), -1);
    expectProblem(response, { status: 400, code: 'invalid_request', pointers: ['/amount'] });
  });

  it.each([0, -5, 1e-7])('rejects an amount of %s in a decrement', async (amount) => {
    const goal = newGoal('count');
    expectProblem(await step('decrement', goal, amount), {
      status: 400,
      code: 'amount_not_positive',
      pointers: ['/amount'],
    });
    expect((await shop.progress(goal)).current).toMatchObject(NOTHING);
  });

  it('rejects an amount that is not a number', async () => {
    const response = await step('increment', newGoal('count'), '5');
    expectProblem(response, { status: 400, code: 'invalid_request', pointers: ['/amount'] });
  });
});

describe('money is exact', () => {
  const times = (number: number, amount: number) => Array.from({ length: number }, () => amount);
  const sums: {
    name: string;
    plus: number[];
    minus?: number[];
    total: number;
    gross: number;
    reversed?: number;
  }[] = [
    { name: 'ten times 0.1', plus: times(10, 0.1), total: 1, gross: 1 },
    { name: '0.1 and 0.2', plus: [0.1, 0.2], total: 0.3, gross: 0.3 },
    { name: 'a hundred times 0.01', plus: times(100, 0.01), total: 1, gross: 1 },
    { name: 'three times 1.1', plus: times(3, 1.1), total: 3.3, gross: 3.3 },
    { name: '0.3 minus 0.1', plus: [0.3], minus: [0.1], total: 0.2, gross: 0.3, reversed: 0.1 },
    { name: '1 minus ten times 0.1', plus: [1], minus: times(10, 0.1), total: 0, gross: 1, reversed: 1 },
    {
      name: 'a large amount and a small one',
      plus: [MAX_AMOUNT, 0.000001],
      total: 1000000000.000001,
      gross: 1000000000.000001,
    },
    {
      name: 'a large amount and its reversal',
      plus: [MAX_AMOUNT, 0.01],
      minus: [MAX_AMOUNT],
      total: 0.01,
      gross: 1000000000.01,
      reversed: MAX_AMOUNT,
    },
    {
      name: 'more reversed than added',
      plus: [10],
      minus: [10.5],
      total: -0.5,
      gross: 10,
      reversed: 10.5,
    },
  ];
  it.each(sums)('$name: $total', async ({ plus, minus = [], total, gross, reversed = 0 }) => {
    const goal = newGoal('revenue');
    await accepted(...plus.map((amount) => step('increment', goal, amount)));
    await accepted(...minus.map((amount) => step('decrement', goal, amount)));
    const { current, series } = await shop.progress(goal);
    expect(current).toMatchObject({ total, count: plus.length - minus.length, gross, reversed });
    const inSeries = series
      .map((bucket: { total: number }) => bucket.total)
      .filter((value: number) => value !== 0);
    // Around midnight, the scenario may span two buckets.
    if (inSeries.length < 2) expect(inSeries).toEqual(total === 0 ? [] : [total]);
  });
});
