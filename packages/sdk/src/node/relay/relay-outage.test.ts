import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { OpenFeature } from '@openfeature/web-sdk';
import { SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { FaultyProxy } from '../../testing/faulty-proxy.ts';
import { loadExpress } from '../../testing/load-express.ts';
import { FRAMEWORKS, fromPage, listen, type RelaySite } from '../../testing/relay-site.ts';
import { createSwitchyard, type RelayOptions, type Switchyard } from '../node.ts';

let shop: Shop;
let proxy: FaultyProxy;
let switchyard: Switchyard;
const sites: RelaySite[] = [];
beforeAll(async () => {
  shop = await openShop();
  proxy = await FaultyProxy.start(shop.server.url);
  switchyard = createSwitchyard({
    apiUrl: proxy.url,
    secretApiKey: SECRET_KEY,
    propertyId: 'shop',
    stream: false,
    timeoutMs: 1000,
  });
  await waitFor('the flags', async () => (await switchyard.ready()).success);
});
afterAll(async () => {
  await switchyard?.close();
  proxy?.close();
  await closeShop(shop);
});
afterEach(async () => {
  proxy.intercept = () => false;
  await OpenFeature.close();
  for (const site of sites.splice(0)) await site.close();
});

const open = async (options: RelayOptions, framework = 'node:http') => {
  const site = await FRAMEWORKS[framework]!(switchyard.relay(options));
  sites.push(site);
  return site;
};

function startOutage(): void {
  proxy.intercept = (_request, response) => {
    response.destroy();
    return true;
  };
}

const config = (site: RelaySite) =>
  fromPage(site, '/v1/split-testing/config?propertyId=shop', { method: 'GET' });

describe('while the service is down', () => {
  it('flags and definitions come from memory, and events can be sent again later', async () => {
    const site = await open({ flags: ['banner'] });
    const known = '{"tests":[],"ttl":0}';
    proxy.intercept = ({ path }, response) => {
      if (!path.startsWith('/v1/split-testing/config')) return false;
      const headers = { 'cache-control': 'public, max-age=0', etag: '"a"' };
      response.writeHead(200, headers).end(known);
      return true;
    };
    await waitFor('definitions', async () => (await config(site)).text === known);
    startOutage();
    const flags = await fromPage(site, '/v1/flags/evaluate');
    expect(flags.body).toEqual({ flags: { banner: { value: 'spring', type: 'string', reason: 'STATIC' } } });
    expect((await config(site)).text).toBe(known);
    const collect = { propertyId: 'shop', sessionId: 'outage-session', visitorId: 'visitor-1' };
    const lost = await fromPage(site, '/v1/sessions/collect', { body: collect });
    expect([lost.status, lost.body.error.code]).toEqual([503, 'overloaded']);
    expect(Number(lost.headers.get('retry-after'))).toBeGreaterThan(0);

    proxy.intercept = () => false;
    await waitFor('the retry', async () => {
      const response = await fromPage(site, '/v1/sessions/collect', { body: collect });
      return response.status === 200;
    });
    expect((await shop.session('outage-session')).visitorId).toBe('visitor-1');
  });

  it('a page that knows nothing yet gets 503', async () => {
    const site = await open({});
    startOutage();
    expect((await config(site)).status).toBe(503);
  });

  it('a goal is counted once, however often the page sends it', async () => {
    const site = await open({ goals: ['signup'] });
    const headers = {
      cookie: 'sy_visitor=visitor-1; sy_session=goal-in-outage',
      'idempotency-key': 'click-1',
    };
    const send = () => fromPage(site, '/v1/goals/increment', { headers, body: { goalId: 'signup' } });
    startOutage();
    // Queued by the client of the server.
    expect((await send()).text).toBe('{"success":true}');
    proxy.intercept = () => false;
    await waitFor('the retry', async () => (await send()).status === 200);
    await waitFor('delivery', async () => (await switchyard.flush()).success);
    expect((await shop.session('goal-in-outage')).goals).toEqual([{ goalId: 'signup', count: 1, amount: 0 }]);
  });
});

describe('the queue of the server', () => {
  it('has room for its own goals, however much pages send in an outage', async () => {
    const client = createSwitchyard({
      apiUrl: proxy.url,
      secretApiKey: SECRET_KEY,
      propertyId: 'shop',
      evaluation: 'remote',
      timeoutMs: 100,
    });
    const relay = client.relay({ feedback: ['nps'], limits: { perAddress: 0, perSession: 0 } });
    const site = await FRAMEWORKS['node:http']!(relay);
    sites.push(site);
    startOutage();
    // 60 KB each; a quarter of the queue is 4 MiB.
    const metadata = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`k${i}`, '€'.repeat(1000)]));
    const body = { feedbackTypeId: 'nps', option: 'good', metadata };
    const submit = () => fromPage(site, '/v1/feedback/submit', { body });
    const responses = await Promise.all(Array.from({ length: 75 }, submit));
    const refused = responses.filter(({ status }) => status === 503);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(75 - refused.length);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(15);
    expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await client.goals.increment('signup')).toMatchObject({ queued: true });
    await client.close();
  });

  it('is no reason for a page to forget a goal while the service refuses the key', async () => {
    vi.spyOn(console, 'warn').mockReturnValue();
    const client = createSwitchyard({
      apiUrl: proxy.url,
      secretApiKey: 'service_sec_0123456789abcdefUnknown',
      propertyId: 'shop',
      evaluation: 'remote',
    });
    const site = await FRAMEWORKS['node:http']!(client.relay({ goals: ['signup'] }));
    sites.push(site);
    const response = await fromPage(site, '/v1/goals/increment', { body: { goalId: 'signup' } });
    expect([response.status, response.body.error.code]).toEqual([503, 'overloaded']);
    await client.close();
  });
});

describe('while the service hangs', () => {
  it('events leave flags and goals alone, and pause after a timeout', async () => {
    const site = await open({ flags: ['banner'], goals: ['signup'], limits: { concurrency: 1 } });
    await config(site);
    const collect = { propertyId: 'shop', sessionId: 'hanging-session', visitorId: 'visitor-1' };
    const send = () => fromPage(site, '/v1/sessions/collect', { body: collect });
    const forwarded = () => proxy.requestsTo('/v1/sessions/collect').length;
    const before = forwarded();
    proxy.intercept = () => true;
    // Whole, because the sum with a fraction may be rounded up to another second.
    const startedAt = Math.floor(performance.now());
    const clock = vi.spyOn(performance, 'now').mockReturnValue(startedAt);
    const first = send();
    await waitFor('the first event', async () => forwarded() > before);
    const [goal, flags] = await Promise.all([
      fromPage(site, '/v1/goals/increment', { body: { goalId: 'signup' } }),
      fromPage(site, '/v1/flags/evaluate'),
    ]);
    // The goal is queued by the client of the server.
    expect([goal.status, flags.status, (await send()).status]).toEqual([200, 200, 503]);
    expect((await first).status).toBe(503);

    const refused = await send();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(forwarded()).toBe(before + 1);
    proxy.intercept = () => false;
    clock.mockReturnValue(startedAt + 5001);
    expect((await send()).status).toBe(200);
  });
});

describe('the country of visitors', () => {
  const address = { 'x-forwarded-for': '192.0.2.1' };
  const forwarded = async (site: RelaySite, rest: Record<string, string> = {}) => {
    const headers = { 'cf-ipcountry': 'NL', ...rest };
    const collect = { propertyId: 'shop', sessionId: 'country-session', visitorId: 'visitor-1' };
    expect((await fromPage(site, '/v1/sessions/collect', { headers, body: collect })).status).toBe(200);
    const { headers: sent } = proxy.requestsTo('/v1/sessions/collect').at(-1)!;
    return [sent['cf-ipcountry'], sent['x-forwarded-for']];
  };
  const behindProxy = async (options: RelayOptions) => {
    const app = loadExpress()().set('trust proxy', 1).use('/sy', switchyard.relay(options));
    const site = await listen(app);
    sites.push(site);
    return site;
  };

  it('comes from a proxy that the framework trusts, or as the option says', async () => {
    expect(await forwarded(await open({}))).toEqual([undefined, '127.0.0.1']);
    expect(await forwarded(await open({ trustCountryHeaders: true }))).toEqual(['NL', '127.0.0.1']);
    expect(await forwarded(await behindProxy({}), address)).toEqual(['NL', '192.0.2.1']);
    expect(await forwarded(await behindProxy({ trustCountryHeaders: false }), address)).toEqual([
      undefined,
      '192.0.2.1',
    ]);
  });
});

describe('the OFREP provider for the web, with the relay as base URL', () => {
  it('gets the listed flags for the allowed attributes, and 304 while nothing changes', async () => {
    const site = await open({ flags: ['banner', 'new-checkout'], attributes: ['plan'] }, 'Fastify');
    const fetchSpy = vi.spyOn(globalThis, 'fetch');
    const provider = new OFREPWebProvider({
      baseUrl: `${site.url}/sy`,
      // A browser sends it.
      headers: [['Origin', site.url]],
      changeDetection: 'polling',
      pollInterval: 50,
      cacheMode: 'disabled',
    });
    await OpenFeature.setContext({ targetingKey: 'ada', email: 'ada@shop.example' });
    await OpenFeature.setProviderAndWait(provider);
    const client = OpenFeature.getClient();
    expect(client.getStringDetails('banner', 'x')).toMatchObject({ value: 'spring', reason: 'STATIC' });
    expect(client.getBooleanValue('new-checkout', true)).toBe(false);
    await waitFor('304', async () => {
      const responses = await Promise.all(
        fetchSpy.mock.results.map(({ value }) => value as Promise<Response>),
      );
      return responses.some(({ status }) => status === 304);
    });
    await OpenFeature.setContext({ plan: 'beta' });
    expect(client.getBooleanValue('new-checkout', false)).toBe(true);
  });

  it('evaluates one flag, and knows no unlisted ones', async () => {
    const site = await open({ flags: ['banner'] });
    const single = (key: string) =>
      fromPage(site, `//ofrep/v1/evaluate/flags/${key}`, { body: { context: {} } });
    expect((await single('banner')).body).toEqual({ key: 'banner', value: 'spring', reason: 'STATIC' });
    const unlisted = await single('new-checkout');
    expect([unlisted.status, unlisted.body.errorCode]).toEqual([404, 'FLAG_NOT_FOUND']);
    expect((await single('%E0%A4%A')).status).toBe(404);
  });
});

describe('mistakes', () => {
  it('warns once about a proxy that the framework does not know', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    const site = await open({}, 'Express');
    const headers = { 'x-forwarded-for': '192.0.2.1' };
    for (let call = 0; call < 2; call++) await fromPage(site, '/v1/flags/evaluate', { headers });
    expect(warn.mock.calls.flat()).toEqual([expect.stringContaining('trust proxy')]);
  });

  it('never takes ids from pages, even if they are listed as attributes', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    const site = await open({ flags: ['new-checkout'], attributes: ['email'] });
    const context = { email: 'ada@shop.example' };
    const response = await fromPage(site, '/v1/flags/evaluate', { body: { context } });
    expect(response.body.flags['new-checkout'].value).toBe(false);
    expect(warn.mock.calls.flat()).toEqual([expect.stringContaining('`context`')]);
  });

  it('takes anything as options', async () => {
    vi.spyOn(console, 'warn').mockReturnValue();
    for (const options of [undefined, null, 'flags', { flags: 'banner', limits: { perAddress: -1 } }]) {
      const site = await open(options as RelayOptions);
      expect((await fromPage(site, '/v1/flags/evaluate')).body).toEqual({ flags: {} });
    }
  });
});
