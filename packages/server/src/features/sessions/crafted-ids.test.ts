import { murmur3 } from '@switchyard/core/evaluation/hash';
import { accepted, closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/**
 * Ids with the same MurmurHash3 under every seed, which no secret can prevent: the first four bytes differ in what
 * becomes the top bit of the state, which the next four cancel out.
 */
const [one, two] = ["0aqX,7'r", 'ؿPc,7v6'];

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => closeShop(shop));

describe(`ids crafted to collide (${one}, ${two})`, () => {
  it('collide without a secret', () => {
    for (const seed of [0, 1, -1, 0x5bd1e995]) expect(murmur3(one, seed)).toBe(murmur3(two, seed));
  });

  it('are two sessions', async () => {
    for (const sessionId of [one, two]) {
      const events = [{ type: 'pageview', url: `/${sessionId}` }];
      await accepted(shop.collect({ sessionId, visitorId: `visitor-${sessionId}`, events }));
      await accepted(shop.submit({ feedbackTypeId: 'nps', sessionId, option: 'good' }));
    }
    for (const sessionId of [one, two]) {
      expect(await shop.session(sessionId)).toMatchObject({
        sessionId,
        visitorId: `visitor-${sessionId}`,
        pageviews: 1,
        entryUrl: `/${sessionId}`,
        feedback: 1,
      });
    }
  });

  it('are two visitors', async () => {
    for (const visitorId of [one, two]) {
      const sessionId = `session-of-${visitorId}`;
      await accepted(shop.collect({ sessionId, visitorId }));
      await accepted(shop.expose({ splitTestKey: 'hero', variationKey: 'b', sessionId }));
      const { sessions } = await shop.sessions({ visitorId });
      expect(sessions.map((session: { sessionId: string }) => session.sessionId)).toEqual([sessionId]);
    }
    expect((await shop.results('hero')).variations[1]).toMatchObject({ exposures: 2, visitors: 2 });
  });
});
