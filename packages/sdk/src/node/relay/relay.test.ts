import { SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { closeShop, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLAGS_WITH_FORMATS, PRICING, PRICING_TEXT } from '../../testing/flags-with-formats.ts';
import { FRAMEWORKS, fromPage, type RelaySite } from '../../testing/relay-site.ts';
import { createSwitchyard, type RelayOptions, type Switchyard } from '../node.ts';

const rule = (attribute: string, value: string) => ({
  id: `by-${attribute}`,
  conditions: [{ attribute, operator: 'equals', values: [value] }],
  value: true,
});
const flag = (key: string, rules: object[], rest: object = {}) => ({
  key,
  type: 'boolean',
  defaultValue: false,
  environments: { production: { enabled: true, value: false, rules, ...rest } },
});
const FLAGS = [
  flag('by-visitor', [rule('visitorId', 'visitor-1')]),
  flag('by-user', [rule('userId', 'ada'), rule('email', 'ada@shop.example')]),
  flag('by-plan', [rule('plan', 'pro')]),
  flag('secret-project', [], { value: true }),
  flag('depends', [], { value: true, prerequisites: [{ flag: 'secret-project', value: true }] }),
  ...FLAGS_WITH_FORMATS,
];

const OPTIONS: RelayOptions = {
  flags: ['by-visitor', 'by-user', 'by-plan', 'depends', 'missing'],
  feedback: ['nps'],
  goals: ['signup', 'revenue'],
  attributes: ['plan'],
  context: (request) => {
    const { headers } = request as { headers: Headers & Record<string, string> };
    const userId = headers['x-login'] ?? headers.get?.('x-login');
    return userId ? { userId } : undefined;
  },
};

let shop: Shop;
let switchyard: Switchyard;
beforeAll(async () => {
  shop = await openShop({ provision: sampleWith({ flags: FLAGS }), env: { TRUST_PROXY: 'true' } });
  switchyard = createSwitchyard({
    apiUrl: shop.server.url,
    secretApiKey: SECRET_KEY,
    propertyId: 'shop',
    stream: false,
    timeoutMs: 30_000,
  });
  await switchyard.ready();
});
afterAll(async () => {
  await switchyard?.close();
  await closeShop(shop);
});

let visits = 0;
/** Cookies of a new visit. */
const newVisit = () => {
  const sessionId = `relay-session-${++visits}`;
  return { sessionId, cookie: `sy_visitor=visitor-1; sy_session=${sessionId}` };
};

describe.each(Object.entries(FRAMEWORKS))('%s', (_name, serve) => {
  let site: RelaySite;
  beforeAll(async () => {
    site = await serve(switchyard.relay(OPTIONS));
  });
  afterAll(() => site?.close());

  const evaluate = async (body: object, headers: Record<string, string> = {}) => {
    const response = await fromPage(site, '/v1/flags/evaluate', { body, headers });
    expect(response.status, response.text).toBe(200);
    return response.body.flags;
  };

  it('flags: only those that are listed, for the visitor of the cookies and the user of the server', async () => {
    const { cookie } = newVisit();
    const value = { value: false, type: 'boolean', reason: 'DEFAULT' };
    expect(await evaluate({ propertyId: 'shop' }, { cookie })).toEqual({
      'by-visitor': { ...value, value: true, reason: 'TARGETING_MATCH' },
      'by-user': value,
      'by-plan': value,
      depends: { ...value, value: true, reason: 'STATIC' },
    });
    const flagKeys = ['by-user', 'secret-project', 'banner'];
    expect(await evaluate({ flagKeys }, { cookie, 'x-login': 'ada' })).toEqual({
      'by-user': { ...value, value: true, reason: 'TARGETING_MATCH' },
    });
  });

  it('flags: ids and attributes of the page are ignored, unless listed', async () => {
    const context = {
      userId: 'ada',
      email: 'ada@shop.example',
      targetingKey: 'ada',
      visitorId: 'visitor-1',
      plan: 'pro',
    };
    const flags = await evaluate({ context, environment: 'staging', visitorId: 'visitor-1' });
    expect([flags['by-visitor'].value, flags['by-user'].value, flags['by-plan'].value]).toEqual([
      false,
      false,
      true,
    ]);
    // Do Not Track: the cookies are not read either.
    const untracked = await evaluate({}, { cookie: newVisit().cookie, dnt: '1' });
    expect(untracked['by-visitor'].value).toBe(false);
  });

  it('goals and feedback: stored in the session of the cookies', async () => {
    const { cookie, sessionId } = newVisit();
    const headers = { cookie, 'idempotency-key': `order-${sessionId}` };
    const goal = { propertyId: 'shop', goalId: 'revenue', amount: 5, sessionId: 'forged-session' };
    for (let attempt = 0; attempt < 2; attempt++) {
      const response = await fromPage(site, '/v1/goals/increment', { headers, body: goal });
      expect([response.status, response.text]).toEqual([200, '{"success":true}']);
    }
    const feedback = { feedbackTypeId: 'nps', option: 'good', message: 'Fast', userId: 'ada' };
    const submitted = await fromPage(site, '/v1/feedback/submit', { headers: { cookie }, body: feedback });
    expect([submitted.status, submitted.text]).toEqual([200, '{"success":true}']);
    expect(await shop.session(sessionId)).toMatchObject({
      userId: null,
      goals: [{ goalId: 'revenue', count: 1, amount: 5 }],
      feedback: 1,
    });
    expect(await shop.isUnknown('forged-session')).toBe(true);
  });

  it('events: definitions, exposures and sessions go through', async () => {
    const config = await fromPage(site, '/v1/split-testing/config?propertyId=shop', { method: 'GET' });
    expect(config.body.tests.map(({ key }: { key: string }) => key)).toEqual(['hero']);
    expect(config.headers.get('cache-control')).toBe('public, max-age=60');
    const again = await fromPage(site, '/v1/split-testing/config?propertyId=shop', {
      method: 'GET',
      headers: { 'if-none-match': config.headers.get('etag')! },
    });
    expect([again.status, again.text]).toEqual([304, '']);

    const { sessionId } = newVisit();
    const headers = {
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0',
      // Anyone could send it.
      'cf-ipcountry': 'NL',
    };
    // Larger than other bodies may be.
    const collect = JSON.stringify({ propertyId: 'shop', sessionId, visitorId: 'visitor-9' }).padEnd(200_000);
    const exposures = [{ splitTestKey: 'hero', variationKey: 'b', sessionId }];
    const responses = await Promise.all([
      fromPage(site, '/v1/sessions/collect', { headers, body: collect }),
      fromPage(site, '/v1/split-testing/expose', { headers, body: { propertyId: 'shop', exposures } }),
    ]);
    expect(responses.map(({ text }) => text)).toEqual(['{"success":true}', '{"success":true}']);
    const session = await shop.session(sessionId);
    expect(session.country).toBeUndefined();
    expect(session).toMatchObject({
      visitorId: 'visitor-9',
      browser: 'Firefox',
      exposures: [{ splitTestKey: 'hero', variationKey: 'b' }],
    });
    const invalid = await fromPage(site, '/v1/sessions/collect', { body: { propertyId: 'shop' } });
    expect([invalid.status, invalid.body.error.code]).toEqual([400, 'invalid_request']);
  });

  it('the script of the browser client is served', async () => {
    const script = await fromPage(site, '/sdk.js', { method: 'GET', headers: { 'accept-encoding': 'br' } });
    expect(script.status).toBe(200);
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(script.text).toMatch(/switchyard\s*=/);
    const headers = { 'if-none-match': script.headers.get('etag')! };
    expect((await fromPage(site, '/sdk.js', { method: 'GET', headers })).status).toBe(304);
  });

  it.each(['sdk-debug', 'sdk-audience', 'sdk-audience-values'])(
    '%s.js, which it loads on demand, is served; other files are not',
    async (name) => {
      const script = await fromPage(site, `/${name}.js`, { method: 'GET' });
      expect(script.status).toBe(200);
      expect(script.text).toMatch(/export\s*\{/);
      expect((await fromPage(site, `/${name}.d.ts`, { method: 'GET' })).status).toBe(404);
    },
  );

  const evaluation = '/v1/flags/evaluate';
  const increment = '/v1/goals/increment';
  const refused: [name: string, path: string, call: Parameters<typeof fromPage>[2], expected: string][] = [
    ['unlisted goal', increment, { body: { goalId: 'elsewhere' } }, '404 goal_not_found'],
    [
      'unlisted feedback',
      '/v1/feedback/submit',
      { body: { feedbackTypeId: 'thumbs', option: 'up' } },
      '404 feedback_type_not_found',
    ],
    ['another property', evaluation, { body: { propertyId: 'other' } }, '403 wrong_property'],
    [
      'invalid fields',
      increment,
      { body: { goalId: 'revenue', amount: -1, metadata: { a: 1 } } },
      '400 invalid_request',
    ],
    ['infinite amount', increment, { body: '{"goalId":"revenue","amount":1e999}' }, '400 invalid_request'],
    [
      'rule of the service',
      '/v1/feedback/submit',
      { body: { feedbackTypeId: 'nps', option: 'meh' } },
      '400 option_not_allowed',
    ],
    ['another site', evaluation, { headers: { origin: 'https://evil.example' } }, '403 cross_origin'],
    ['subdomain', evaluation, { headers: { 'sec-fetch-site': 'same-site' } }, '403 cross_origin'],
    ['sandboxed frame', evaluation, { headers: { origin: 'null' } }, '403 cross_origin'],
    [
      'definitions for another site',
      '/v1/split-testing/config',
      { method: 'GET', headers: { 'sec-fetch-site': 'cross-site' } },
      '403 cross_origin',
    ],
    ['form', evaluation, { headers: { 'content-type': 'text/plain' } }, '415 unsupported_media_type'],
    ['too large', evaluation, { body: { context: { plan: 'x'.repeat(140_000) } } }, '413 body_too_large'],
    ['batch too large', '/v1/sessions/collect', { body: '{}'.padEnd(1_050_000) }, '413 body_too_large'],
    ['array', evaluation, { body: [] }, '400 invalid_json'],
    ['wrong method', evaluation, { method: 'GET' }, '405 method_not_allowed'],
  ];
  it.each(refused)('%s: refused', async (_case, path, call, expected) => {
    const response = await fromPage(site, path, call);
    expect(`${response.status} ${response.body?.error.code}`, response.text).toBe(expected);
    expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(response.body.type).toBe('about:blank');
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it.each(['/v1/goals/decrement', '/v1/flags/list', '/v1/sessions', '/v1/keys/public', '/v1/manage'])(
    '%s: does not exist',
    async (path) => {
      expect((await fromPage(site, path, { body: { goalId: 'signup' } })).status).toBe(404);
      expect((await fromPage(site, path, { method: 'GET' })).status).toBe(404);
    },
  );
});

it.each(['local', 'remote'] as const)(
  'flags with formats and splits, %s evaluation: the same members as those of the service, except for the rule',
  async (evaluation) => {
    const keys = ['price', 'pricing', 'nothing', 'size', 'theme', 'new-checkout'];
    const client = createSwitchyard({
      apiUrl: shop.server.url,
      secretApiKey: SECRET_KEY,
      propertyId: 'shop',
      evaluation,
      stream: false,
      timeoutMs: 30_000,
    });
    const site = await FRAMEWORKS['node:http']!(client.relay({ flags: keys }));
    const { body } = await fromPage(site, '/v1/flags/evaluate');
    const { flags } = (await shop.evaluate({ context: {}, flagKeys: keys })).body;
    const shown = keys.map((key) => {
      const { ruleId: _ruleId, version: _version, ...members } = flags[key];
      return [key, members];
    });
    expect(body.flags).toEqual(Object.fromEntries(shown));
    expect(body.flags.pricing).toMatchObject({ value: PRICING_TEXT, type: 'string', format: 'json' });
    expect(body.flags.size).toMatchObject({ value: '4', format: 'number', variant: 'large' });

    const listed = (await fromPage(site, '/ofrep/v1/evaluate/flags')).body.flags;
    expect(listed.slice(0, 4)).toEqual([
      { key: 'price', value: 12.5, reason: 'DEFAULT' },
      { key: 'pricing', value: PRICING, reason: 'STATIC' },
      { key: 'nothing', value: null, reason: 'STATIC' },
      { key: 'size', value: 4, reason: 'SPLIT', variant: 'large' },
    ]);
    await site.close();
    await client.close();
  },
);

it('keys of pages cannot equal keys of the server or of other visitors', async () => {
  const site = await FRAMEWORKS['node:http']!(switchyard.relay({ goals: ['signup'] }));
  const idempotencyKey = 'the-same-key';
  const { sessionId } = newVisit();
  const submit = (visitor: string) =>
    fromPage(site, '/v1/goals/increment', {
      body: { goalId: 'signup' },
      headers: {
        cookie: `sy_visitor=${visitor}; sy_session=${sessionId}`,
        'idempotency-key': idempotencyKey,
      },
    });
  expect((await switchyard.goals.increment('signup', { sessionId, idempotencyKey })).success).toBe(true);
  expect((await submit('visitor-2')).status).toBe(200);
  expect((await submit('visitor-3')).status).toBe(200);
  expect((await submit('visitor-3')).status).toBe(200);
  expect((await shop.session(sessionId)).goals).toEqual([{ goalId: 'signup', count: 3, amount: 0 }]);
  await site.close();
});
