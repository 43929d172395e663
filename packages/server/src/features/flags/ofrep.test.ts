import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyProvision } from '../../testing/command-line.ts';
import { OTHER_SECRET_KEY, PUBLIC_KEY, SECRET_KEY } from '../../testing/sample-property.ts';
import { accepted, closeShop, expectProblem, openShop, type Shop, sampleWith } from '../../testing/shop.ts';
import type { Answer } from '../../testing/test-server.ts';
import { waitFor } from '../../testing/wait.ts';

// https://github.com/open-feature/protocol/blob/main/service/openapi.yaml

const BY_SESSION = {
  key: 'by-session',
  type: 'boolean',
  defaultValue: false,
  environments: {
    production: {
      enabled: true,
      value: false,
      rules: [
        {
          id: 'vip',
          conditions: [{ attribute: 'userId', operator: 'equals', values: ['vip'] }],
          value: true,
        },
      ],
    },
  },
};

let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ provision: sampleWith({ flags: [BY_SESSION] }) });
});
afterAll(() => closeShop(shop));

const BULK = '/ofrep/v1/evaluate/flags';
const single = (key: string, context?: object, headers?: Record<string, string>) =>
  shop.post(`${BULK}/${key}`, { context }, headers);
const bulk = (context?: object, headers?: Record<string, string>) => shop.post(BULK, { context }, headers);

const metadata = { version: expect.any(Number) };

describe('one flag', () => {
  const rows: { key: string; context: object; environment?: string; expected: Record<string, unknown> }[] = [
    { key: 'banner', context: {}, expected: { value: 'spring', reason: 'STATIC', variant: 'default' } },
    {
      key: 'banner',
      context: { targetingKey: 'u-1' },
      expected: { value: 'spring', reason: 'STATIC', variant: 'default' },
    },
    {
      key: 'banner',
      context: {},
      environment: 'staging',
      expected: { value: 'none', reason: 'DEFAULT', variant: 'default' },
    },
    {
      key: 'new-checkout',
      context: { targetingKey: 'u-1' },
      expected: { value: false, reason: 'DEFAULT', variant: 'default' },
    },
    {
      key: 'new-checkout',
      context: { email: 'ada@shop.example' },
      expected: { value: true, reason: 'TARGETING_MATCH', variant: 'staff' },
    },
    {
      key: 'new-checkout',
      context: { targetingKey: 'u-1', plan: 'beta' },
      expected: { value: true, reason: 'SPLIT', variant: 'beta' },
    },
    {
      key: 'new-checkout',
      context: {},
      environment: 'staging',
      expected: { value: false, reason: 'DISABLED', variant: 'default' },
    },
  ];
  it.each(rows)('$key $context $environment', async ({ key, context, environment, expected }) => {
    const answer = await single(
      key,
      context,
      environment === undefined ? {} : { 'x-environment': environment },
    );
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(answer.body).toEqual({ key, ...expected, metadata });
  });

  it('fills in the visitor and the user of a session', async () => {
    await accepted(shop.collect({ sessionId: 'ofrep', visitorId: 'v', userId: 'vip' }));
    expect((await single('by-session', { sessionId: 'ofrep' })).body).toMatchObject({
      value: true,
      variant: 'vip',
    });
  });

  it.each(['nothing', 'Banner', 'a%2Fb', '%F0%9F%92%A1'])('%s: 404 FLAG_NOT_FOUND', async (key) => {
    const answer = await single(key, {});
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(answer.body).toEqual({
      key: decodeURIComponent(key),
      errorCode: 'FLAG_NOT_FOUND',
      errorDetails: expect.any(String),
    });
  });

  it('a flag of another property is not found', async () => {
    const answer = await shop.server.call('POST', `${BULK}/banner`, {
      key: OTHER_SECRET_KEY,
      body: { context: {} },
    });
    expect([answer.status, answer.body.errorCode]).toEqual([404, 'FLAG_NOT_FOUND']);
  });
});

describe('all flags', () => {
  it('are answered in one list, with an ETag', async () => {
    const answer = await bulk({ targetingKey: 'u-1', email: 'ada@shop.example' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('etag')).toMatch(/^(W\/)?"[^"]+"$/);
    expect(answer.body.flags).toEqual(
      expect.arrayContaining([
        { key: 'new-checkout', value: true, reason: 'TARGETING_MATCH', variant: 'staff', metadata },
        { key: 'banner', value: 'spring', reason: 'STATIC', variant: 'default', metadata },
      ]),
    );
    const list = (await shop.get('/v1/flags/list')).body.flags;
    expect(answer.body.flags).toHaveLength(list.length);
  });

  it('of a property without flags: an empty list', async () => {
    const answer = await shop.server.call('POST', BULK, { key: OTHER_SECRET_KEY, body: {} });
    expect(answer.body.flags).toEqual([]);
  });

  const matching = [
    { name: 'the ETag itself', header: (etag: string) => etag },
    { name: 'the ETag as a weak one', header: (etag: string) => `W/${etag.replace(/^W\//, '')}` },
    { name: 'the ETag among the values listed', header: (etag: string) => `"other", ${etag}` },
  ];
  it.each(matching)('If-None-Match with $name: 304 without a body', async ({ header }) => {
    const context = { targetingKey: 'u-2' };
    const etag = (await bulk(context)).headers.get('etag')!;
    const answer = await bulk(context, { 'if-none-match': header(etag) });
    expect(answer.status).toBe(304);
    expect(answer.text).toBe('');
    expect(answer.headers.get('etag')).toBe(etag);
  });

  it('an ETag is that of the answer, not of another context or environment', async () => {
    const etag = (await bulk({ targetingKey: 'u-3' })).headers.get('etag')!;
    const headers = { 'if-none-match': etag };
    expect((await bulk({ targetingKey: 'u-3', email: 'ada@shop.example' }, headers)).status).toBe(200);
    expect((await bulk({ targetingKey: 'u-3' }, { ...headers, 'x-environment': 'staging' })).status).toBe(
      200,
    );
  });

  it('an ETag from before a saved change is answered in full', async () => {
    const before = await bulk({ targetingKey: 'u-4' });
    const flags = [{ key: 'banner', environments: { production: { value: 'autumn' } } }];
    await applyProvision(shop.server, { properties: [{ id: 'shop', flags }] });
    const again = () => bulk({ targetingKey: 'u-4' }, { 'if-none-match': before.headers.get('etag')! });
    await waitFor('the change', async () => (await again()).status === 200);
    const answer = await again();
    expect(answer.headers.get('etag')).not.toBe(before.headers.get('etag'));
    const banner = answer.body.flags.find(({ key }: { key: string }) => key === 'banner');
    expect(banner).toMatchObject({ value: 'autumn' });
  });
});

describe('errors', () => {
  const paths = [
    { path: `${BULK}/banner`, named: { key: 'banner' } },
    { path: BULK, named: {} },
  ];
  const failures: { name: string; rawBody: string; errorCode: string; headers?: Record<string, string> }[] = [
    { name: 'broken JSON', rawBody: '{"context":', errorCode: 'PARSE_ERROR' },
    { name: 'an empty body', rawBody: '', errorCode: 'PARSE_ERROR' },
    { name: 'JSON that is nested too deeply', rawBody: '['.repeat(100), errorCode: 'PARSE_ERROR' },
    { name: 'a context that is a text', rawBody: '{"context":"u-1"}', errorCode: 'INVALID_CONTEXT' },
    { name: 'a context that is a list', rawBody: '{"context":[]}', errorCode: 'INVALID_CONTEXT' },
    { name: 'a context of null', rawBody: '{"context":null}', errorCode: 'INVALID_CONTEXT' },
    {
      name: 'a targeting key that is no text',
      rawBody: '{"context":{"targetingKey":5}}',
      errorCode: 'INVALID_CONTEXT',
    },
    {
      name: 'a context of more than 64 KiB',
      rawBody: `{"context":{"a":"${'x'.repeat(65_529)}"}}`,
      errorCode: 'INVALID_CONTEXT',
    },
    {
      name: 'an unknown environment',
      rawBody: '{"context":{}}',
      errorCode: 'GENERAL',
      headers: { 'x-environment': 'nowhere' },
    },
  ];
  for (const { path, named } of paths) {
    it.each(failures)(`${path}: $name: 400 $errorCode`, async ({ rawBody, errorCode, headers }) => {
      const answer = await shop.server.call('POST', path, {
        key: SECRET_KEY,
        rawBody,
        ...(headers && { headers }),
      });
      expect(answer.status).toBe(400);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
      expect(answer.body).toEqual({ ...named, errorCode, errorDetails: expect.stringMatching(/\S/) });
    });

    const refused: { name: string; key: string | undefined; status: number; code: string }[] = [
      { name: 'no key', key: undefined, status: 401, code: 'api_key_missing' },
      { name: 'an unknown key', key: 'service_sec_unknown', status: 401, code: 'api_key_invalid' },
      { name: 'a public key', key: PUBLIC_KEY, status: 403, code: 'wrong_key_kind' },
    ];
    it.each(refused)(
      `${path}: $name: $status, before the body is looked at`,
      async ({ key, status, code }) => {
        const answer = await shop.server.call('POST', path, { key, rawBody: '{' });
        expectProblem(answer, { status, code });
      },
    );

    const absent: { name: string; call: () => Promise<Answer> }[] = [
      { name: 'no context', call: () => shop.post(path, {}) },
      { name: 'members that nobody knows', call: () => shop.post(path, { flags: [], x: 1 }) },
      { name: 'no body', call: () => shop.server.call('POST', path, { key: SECRET_KEY }) },
    ];
    it.each(absent)(`${path}: $name is an empty context`, async ({ call }) => {
      const answer = await call();
      expect(answer.status, answer.text).toBe(200);
    });

    it(`${path}: another media type: 415`, async () => {
      const answer = await shop.server.call('POST', path, {
        key: SECRET_KEY,
        rawBody: '{}',
        headers: { 'content-type': 'text/plain' },
      });
      expectProblem(answer, { status: 415, code: 'unsupported_media_type' });
    });
  }
});

describe('clients of the protocol', () => {
  const asked = (path: string, headers: Record<string, string>, key?: string) =>
    shop.server.call('POST', path, { key, headers, body: { context: {} } });
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

  it.each([BULK, `${BULK}/banner`])(
    '%s: answers with a doubled slash in front as without it',
    async (path) => {
      const [single, doubled] = [await asked(path, {}, SECRET_KEY), await asked(`/${path}`, {}, SECRET_KEY)];
      expect([doubled.status, doubled.text]).toEqual([200, single.text]);
      expectProblem(await asked(`/${path}`, {}), { status: 401, code: 'api_key_missing' });
    },
  );

  it('errors keep their shape behind a doubled slash', async () => {
    const answer = await asked(`/${BULK}/nothing`, {}, SECRET_KEY);
    expect([answer.status, answer.body.errorCode]).toEqual([404, 'FLAG_NOT_FOUND']);
  });

  it.each([BULK, `${BULK}/banner`])('%s: takes the key as a bearer token', async (path) => {
    expect((await asked(path, bearer(SECRET_KEY))).status).toBe(200);
    expect((await asked(path, { authorization: `bearer  ${SECRET_KEY}` })).status).toBe(200);
    for (const wrong of [`Basic ${SECRET_KEY}`, SECRET_KEY, 'Bearer', 'Bearer ']) {
      const answer = await asked(path, { authorization: wrong });
      expectProblem(answer, { status: 401, code: 'api_key_missing' });
    }
    expectProblem(await asked(path, bearer('service_sec_0123456789abcdefUnknown')), {
      ...{ status: 401, code: 'api_key_invalid' },
    });
    expectProblem(await asked(path, bearer(PUBLIC_KEY)), { status: 403, code: 'wrong_key_kind' });
  });

  it('x-api-key wins over a bearer token', async () => {
    expect((await asked(BULK, bearer('somebody-else'), SECRET_KEY)).status).toBe(200);
    const answer = await asked(BULK, bearer(SECRET_KEY), 'service_sec_0123456789abcdefUnknown');
    expectProblem(answer, { status: 401, code: 'api_key_invalid' });
  });

  it('no other endpoint takes a bearer token or a doubled slash', async () => {
    const headers = bearer(SECRET_KEY);
    const list = await shop.server.call('GET', '/v1/flags/list?propertyId=shop', { headers });
    expectProblem(list, { status: 401, code: 'api_key_missing' });
    const doubled = await shop.server.call('GET', '//v1/flags/list?propertyId=shop', { key: SECRET_KEY });
    expectProblem(doubled, { status: 404, code: 'not_found' });
  });
});
