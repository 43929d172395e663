import { closeShop, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { condition, targetedTest } from '@switchyard/testing/fixtures/targeted-test';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FaultyProxy } from '../../testing/faulty-proxy.ts';
import { connectThrough } from '../../testing/proxied-client.ts';
import type { Switchyard } from '../node.ts';

const TESTS = [
  targetedTest('plan', condition('plan', 'in', 'pro')),
  targetedTest('visit', condition('path', 'matches', '^/pricing'), condition('query.coupon', 'in', 'SPRING')),
  targetedTest(
    'campaign',
    condition('utm.source', 'in', 'mail'),
    condition('referrer', 'contains', 'news.example'),
  ),
  targetedTest('client', condition('device', 'in', 'mobile'), condition('browser', 'in', 'Safari')),
  targetedTest('language', condition('language', 'startsWith', 'nl')),
  targetedTest('staff', condition('email', 'endsWith', '@shop.example')),
  targetedTest('user', condition('userId', 'in', 'u-1')),
  targetedTest('release', condition('version', 'semverLessThan', '2.0.0')),
];
const KEYS = TESTS.map(({ key }) => key);
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1';

let shop: Shop;
let proxy: FaultyProxy;
let client: Switchyard;
beforeAll(async () => {
  shop = await openShop({ provision: sampleWith({ splitTests: TESTS }) });
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

const request = (name: string, { url = '/', headers = {}, cookie = '' } = {}) => ({
  url,
  headers: { cookie: `sy_visitor=visitor-${name}; sy_session=session-${name}; ${cookie}`, ...headers },
});
type Tests = Awaited<ReturnType<Switchyard['splitTest']['forRequest']>>;
const shownIn = (tests: Tests) => KEYS.filter((key) => tests.get(key, '') === 'new');
const audienceCookie = (tests: Tests) =>
  tests.setCookie.find((each) => each.startsWith('sy_audience='))?.split(';')[0];

describe('audiences of split tests on servers', () => {
  it('are decided by the request and the attributes; others see the control and are not counted', async () => {
    const nobody = await client.splitTest.forRequest(request('nobody'));
    expect(shownIn(nobody)).toEqual([]);
    expect(nobody.peek('plan', 'x')).toBe('old');
    expect(audienceCookie(nobody)).toBeUndefined();

    const headers = {
      'user-agent': IPHONE,
      'accept-language': 'nl-NL,nl;q=0.9',
      referer: 'https://news.example/today',
    };
    const url = '/pricing/all?coupon=SPRING&utm_source=mail';
    const attributes = { plan: ['free', 'pro'], email: 'jo@shop.example', version: '1.9.0' };
    const everything = await client.splitTest.forRequest(request('everything', { url, headers }), {
      userId: 'u-1',
      attributes,
    });
    expect(shownIn(everything)).toEqual(KEYS);
    expect(await client.flush()).toEqual({ success: true });
    expect(await shop.timeline('session-everything', 'exposure')).toHaveLength(KEYS.length);
    expect(await shop.isUnknown('session-nobody')).toBe(true);
  });

  it('are passed to the page, which shows the same at the first paint', async () => {
    const tests = await client.splitTest.forRequest(request('page'), { attributes: { plan: 'pro' } });
    expect(tests.bootstrap?.audiences).toEqual(Object.fromEntries(KEYS.map((key) => [key, key === 'plan'])));
  });

  it('keep whoever was exposed, by a cookie, as long as the phase lasts', async () => {
    const attributes = { plan: 'pro' };
    const first = await client.splitTest.forRequest(request('kept'), { attributes });
    expect(first.get('plan', '')).toBe('new');
    const cookie = audienceCookie(first)!;
    expect(cookie).toBe('sy_audience=plan:1');
    const later = await client.splitTest.forRequest(request('kept', { cookie }));
    expect(shownIn(later)).toEqual(['plan']);
    // Prolonged, as in pages.
    expect(audienceCookie(later)).toBe(cookie);
    const old = { cookie: 'sy_audience=other:3~plan:0' };
    const again = await client.splitTest.forRequest(request('old', old));
    expect(shownIn(again)).toEqual([]);
    const back = await client.splitTest.forRequest(request('old', old), { attributes });
    expect(shownIn(back)).toEqual(['plan']);
    expect(audienceCookie(back)).toBe('sy_audience=other:3~plan:1');
  });

  it('are not impressed by attributes that cannot be sent', async () => {
    const attributes: Record<string, unknown> = { plan: 'pro' };
    attributes.self = attributes;
    const tests = await client.splitTest.forRequest(request('cycle'), { attributes });
    expect(shownIn(tests)).toEqual([]);
  });
});
