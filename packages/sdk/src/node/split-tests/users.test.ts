import { closeShop, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { choose } from '../../client/split-tests.ts';
import { FaultyProxy } from '../../testing/faulty-proxy.ts';
import { connectThrough } from '../../testing/proxied-client.ts';
import type { Switchyard } from '../node.ts';

const BY_USER = {
  key: 'by-user',
  type: 'id',
  status: 'running',
  hashSeed: 's1',
  unit: 'user',
  variations: [
    { key: 'control', weight: 1 },
    { key: 'b', weight: 1 },
  ],
};

let shop: Shop;
let proxy: FaultyProxy;
let client: Switchyard;
beforeAll(async () => {
  shop = await openShop({ provision: sampleWith({ splitTests: [BY_USER] }) });
});
afterAll(() => closeShop(shop));
beforeEach(async () => {
  proxy = await FaultyProxy.start(shop.server.url);
  client = connectThrough(proxy);
});
afterEach(async () => {
  await client.close();
  proxy.close();
});

const cookies = (sessionId: string, visitorId = `visitor-of-${sessionId}`) => ({
  headers: { cookie: `sy_visitor=${visitorId}; sy_session=${sessionId}` },
});
const exposures = (sessionId: string) => shop.timeline(sessionId, 'exposure');

describe('the user of a request', () => {
  it('decides in tests with the unit user, on all devices and in the page', async () => {
    // By the vectors, these visitors see different variations, and the user sees the control.
    const requests = [cookies('session-phone', 'visitor-1'), cookies('session-laptop', 'visitor-6')];
    const before = await Promise.all(requests.map((each) => client.splitTest.forRequest(each)));
    expect(before.map((tests) => tests.peek('by-user', 'x'))).toEqual(['b', 'control']);
    expect(before[0]!.bootstrap).not.toHaveProperty('userId');
    for (const request of requests) {
      const tests = await client.splitTest.forRequest(request, { userId: 'user-3' });
      expect(tests.get('by-user', 'x')).toBe('control');
      const { config, visitorId, userId } = tests.bootstrap!;
      const definition = config.tests.find(({ key }) => key === 'by-user')!;
      expect(choose(definition, { visitorId, userId })?.value).toBe('control');
      // Other tests are not affected.
      const hero = config.tests.find(({ key }) => key === 'hero')!;
      expect(tests.peek('hero', 'x')).toBe(choose(hero, { visitorId })?.value);
    }
    expect(await client.flush()).toEqual({ success: true });
    for (const sessionId of ['session-phone', 'session-laptop']) {
      expect(await shop.session(sessionId)).toMatchObject({ userId: 'user-3' });
      expect(await exposures(sessionId)).toMatchObject([{ variationKey: 'control' }]);
    }
  });

  it('is linked to the session at the sign-in, once, and ignored if the id is invalid', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const request = cookies('session-sign-in');
    const show = async (userId?: string) =>
      (await client.splitTest.forRequest(request, { userId })).get('hero', 'x');
    for (const userId of [undefined, '', undefined, 'u1', 'u1', undefined]) await show(userId);
    await show('u'.repeat(257));
    expect(await client.flush()).toEqual({ success: true });
    const bodies = proxy.requestsTo('/v1/sessions/collect').map(({ body }) => JSON.parse(body));
    expect(bodies.map(({ userId }) => userId)).toEqual([undefined, 'u1']);
    expect(await shop.session('session-sign-in')).toMatchObject({ userId: 'u1' });
    expect(await exposures('session-sign-in')).toHaveLength(1);
    expect(warn.mock.calls.join()).toContain('The user id is ignored');
  });
});
