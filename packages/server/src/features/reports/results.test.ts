import {
  accepted,
  closeShop,
  expectProblem,
  openShop,
  type Shop,
  sampleWith,
} from '@switchyard/testing/fixtures/shop';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const KEYS = ['none', 'counted', 'visitors', 'late', 'users', 'isolated'];
const splitTests = KEYS.map((key) => ({
  key,
  type: 'id',
  status: 'running',
  variations: [
    { key: 'control', weight: 1 },
    { key: 'b', weight: 1 },
    { key: 'c', weight: 1 },
  ],
}));
const ELSEWHERE = 'service_pub_0123456789abcdefElsewhere';
const elsewhere = { id: 'elsewhere', apiKeys: [{ kind: 'public', key: ELSEWHERE }], splitTests };

let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ provision: sampleWith({ splitTests }, [elsewhere]) });
});
afterAll(() => closeShop(shop));

const expose = (splitTestKey: string, variationKey: string, ...sessionIds: string[]) =>
  shop.expose(...sessionIds.map((sessionId) => ({ splitTestKey, variationKey, sessionId })));

const row = (key: string, exposures: number, visitors: number, firstVisitors = visitors) => ({
  key,
  weight: 1,
  exposures,
  visitors,
  firstVisitors,
  bots: 0,
});

describe('the counts of a split test', () => {
  it('are zero for each variation at first', async () => {
    expect(await shop.results('none')).toMatchObject({
      splitTestKey: 'none',
      status: 'running',
      variations: [row('control', 0, 0), row('b', 0, 0), row('c', 0, 0)],
      mixedVisitors: 0,
      goals: [],
      verdict: null,
    });
  });

  it('are exposures and visitors, per variation', async () => {
    await accepted(
      expose('counted', 'control', 'c1', 'c2', 'c3'),
      expose('counted', 'b', 'c4', 'c4', 'c4', 'c5'),
    );
    await accepted(expose('counted', 'control', 'c1'));
    const { variations } = await shop.results('counted');
    expect(variations).toEqual([row('control', 4, 3), row('b', 4, 2), row('c', 0, 0)]);
  });

  it('distinguish visitors from sessions', async () => {
    await accepted(
      shop.collect({ sessionId: 'v1', visitorId: 'ann' }),
      shop.collect({ sessionId: 'v2', visitorId: 'ann' }),
      shop.collect({ sessionId: 'v3', visitorId: 'bob' }),
    );
    await accepted(expose('visitors', 'b', 'v1', 'v2', 'v3', 'v4', 'v5'));
    // Of the five sessions, two are Ann's and one is Bob's; two have no visitor.
    expect((await shop.results('visitors')).variations[1]).toEqual(row('b', 5, 4));
  });

  it('use an identity that arrives after the exposure', async () => {
    await accepted(expose('late', 'c', 'l1', 'l2', 'l3'));
    expect((await shop.results('late')).variations[2]).toEqual(row('c', 3, 3));
    await accepted(
      ...['l1', 'l2', 'l3'].map((sessionId) => shop.collect({ sessionId, visitorId: 'late-visitor' })),
    );
    expect((await shop.results('late')).variations[2]).toEqual(row('c', 3, 1));
  });

  it('exclude visitors who saw two variations, and report their number', async () => {
    await accepted(
      shop.collect({ sessionId: 'u1', visitorId: 'both' }),
      shop.collect({ sessionId: 'u2', visitorId: 'both' }),
    );
    await accepted(expose('users', 'control', 'u1'), expose('users', 'b', 'u2'));
    const { variations, mixedVisitors } = await shop.results('users');
    expect(variations.slice(0, 2)).toEqual([row('control', 1, 0, 1), row('b', 1, 0)]);
    expect(mixedVisitors).toBe(1);
  });

  it('are separate for each property', async () => {
    await accepted(expose('isolated', 'b', 'same-session'));
    const body = {
      propertyId: 'elsewhere',
      exposures: [{ splitTestKey: 'isolated', variationKey: 'b', sessionId: 'same-session' }],
    };
    await accepted(shop.server.call('POST', '/v1/split-testing/expose', { key: ELSEWHERE, body }));
    expect((await shop.results('isolated')).variations[1]).toEqual(row('b', 1, 1));
  });

  it('include the status of the test', async () => {
    await accepted(expose('finished', 'b', 'f1'));
    const { status, variations } = await shop.results('finished');
    expect(status).toBe('stopped');
    expect(variations).toMatchObject([
      { key: 'control', visitors: 0 },
      { key: 'b', visitors: 1 },
    ]);
  });

  it('unknown test: 404', async () => {
    const response = await shop.get('/v1/split-testing/results', { splitTestKey: 'nothing' });
    expectProblem(response, { status: 404, code: 'split_test_not_found' });
  });
});
