import {
  accepted,
  closeShop,
  expectProblem,
  nextMillisecond,
  openShop,
  type Shop,
} from '@switchyard/testing/fixtures/shop';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, expect, it } from 'vitest';

type Body = TestResponse['body'];

let shop: Shop;
/** Before the refund, after everything else. */
let beforeRefund: number;
beforeAll(async () => {
  shop = await openShop();
  await accepted(shop.increment({ goalId: 'signup' }));
  await nextMillisecond();
  await accepted(
    shop.increment({ goalId: 'revenue', sessionId: 's', amount: 49.9, metadata: { order: '7' } }),
    shop.collect({ sessionId: 's', visitorId: 'ann', userId: 'u' }),
  );
  beforeRefund = await nextMillisecond();
  await accepted(shop.decrement({ goalId: 'revenue', sessionId: 's', amount: 9.9 }));
});
afterAll(() => closeShop(shop));

async function conversions(query: Record<string, string> = {}): Promise<Body> {
  const response = await shop.get('/v1/goals/conversions', query);
  expect(response.status, response.text).toBe(200);
  return response.body;
}
const amounts = async (query: Record<string, string>) =>
  (await conversions(query)).conversions.map(({ amount }: Body) => amount);

it('lists conversions and refunds, newest first, with session, visitor and user', async () => {
  const session = { sessionId: 's', visitorId: 'ann', userId: 'u' };
  const rest = { id: expect.stringMatching(/^cnv_\d+$/), createdAt: expect.any(Number), bot: false };
  expect(await conversions()).toEqual({
    conversions: [
      { goalId: 'revenue', type: 'decrement', amount: -9.9, metadata: {}, ...session, ...rest },
      { goalId: 'revenue', type: 'increment', amount: 49.9, metadata: { order: '7' }, ...session, ...rest },
      {
        goalId: 'signup',
        type: 'increment',
        amount: 0,
        metadata: {},
        ...rest,
        sessionId: null,
        visitorId: null,
        userId: null,
      },
    ],
    nextCursor: null,
  });
});

it('filters by goal, type and time', async () => {
  expect(await amounts({ goalId: 'revenue' })).toEqual([-9.9, 49.9]);
  expect(await amounts({ type: 'increment' })).toEqual([49.9, 0]);
  expect(await amounts({ goalId: 'revenue', type: 'decrement' })).toEqual([-9.9]);
  expect(await amounts({ from: String(beforeRefund) })).toEqual([-9.9]);
  expect(await amounts({ to: String(beforeRefund) })).toEqual([49.9, 0]);
});

it('filters by session, visitor and user', async () => {
  expect(await amounts({ sessionId: 's' })).toEqual([-9.9, 49.9]);
  expect(await amounts({ visitorId: 'ann', type: 'increment' })).toEqual([49.9]);
  expect(await amounts({ userId: 'u' })).toEqual([-9.9, 49.9]);
  const others: Record<string, string>[] = [
    { sessionId: 'ann' },
    { visitorId: 'u' },
    { userId: 'ann' },
    { goalId: 'signup', userId: 'u' },
  ];
  for (const filter of others) expect(await amounts(filter)).toEqual([]);
});

it('pages neither skip nor repeat', async () => {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Body = await conversions({ limit: '1', ...(cursor !== '' && { cursor }) });
    expect(page.conversions).toHaveLength(1);
    ids.push(page.conversions[0].id);
    cursor = page.nextCursor;
  }
  expect(new Set(ids).size).toBe(3);
});

it('rejects unknown goals, types and cursors', async () => {
  const get = (query: Record<string, string>) => shop.get('/v1/goals/conversions', query);
  expectProblem(await get({ goalId: 'nothing' }), { status: 404, code: 'goal_not_found' });
  expectProblem(await get({ type: 'refund', cursor: 'x', limit: '501' }), {
    status: 400,
    code: 'invalid_request',
    pointers: ['/cursor', '/limit', '/type'],
  });
});
