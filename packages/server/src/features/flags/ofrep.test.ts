import { OTHER_SECRET_KEY, PUBLIC_KEY, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import {
  accepted,
  closeShop,
  expectProblem,
  openShop,
  type Shop,
  sampleWith,
} from '@switchyard/testing/fixtures/shop';
import { applyProvision } from '@switchyard/testing/server/command-line';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

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
    const response = await single(
      key,
      context,
      environment === undefined ? {} : { 'x-environment': environment },
    );
    expect(response.status, response.text).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(response.body).toEqual({ key, ...expected, metadata });
  });

  it('adds the visitor and the user of a session', async () => {
    await accepted(shop.collect({ sessionId: 'ofrep', visitorId: 'v', userId: 'vip' }));
    expect((await single('by-session', { sessionId: 'ofrep' })).body).toMatchObject({
      value: true,
      variant: 'vip',
    });
  });

  it.each(['nothing', 'Banner', 'a%2Fb', '%F0%9F%92%A1'])('%s: 404 FLAG_NOT_FOUND', async (key) => {
    const response = await single(key, {});
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(response.body).toEqual({
      key: decodeURIComponent(key),
      errorCode: 'FLAG_NOT_FOUND',
      errorDetails: expect.any(String),
    });
  });

  it('a flag of another property is not found', async () => {
    const response = await shop.server.call('POST', `${BULK}/banner`, {
      key: OTHER_SECRET_KEY,
      body: { context: {} },
    });
    expect([response.status, response.body.errorCode]).toEqual([404, 'FLAG_NOT_FOUND']);
  });
});

describe('all flags', () => {
  it('are returned in one list, with an ETag', async () => {
    const response = await bulk({ targetingKey: 'u-1', email: 'ada@shop.example' });
    expect(response.status).toBe(200);
    expect(response.headers.get('etag')).toMatch(/^(W\/)?"[^"]+"$/);
    expect(response.body.flags).toEqual(
      expect.arrayContaining([
        { key: 'new-checkout', value: true, reason: 'TARGETING_MATCH', variant: 'staff', metadata },
        { key: 'banner', value: 'spring', reason: 'STATIC', variant: 'default', metadata },
      ]),
    );
    const list = (await shop.get('/v1/flags/list')).body.flags;
    expect(response.body.flags).toHaveLength(list.length);
  });

  it('property without flags: empty list', async () => {
    const response = await shop.server.call('POST', BULK, { key: OTHER_SECRET_KEY, body: {} });
    expect(response.body.flags).toEqual([]);
  });

  const matching = [
    { name: 'the ETag itself', header: (etag: string) => etag },
    { name: 'the ETag as a weak ETag', header: (etag: string) => `W/${etag.replace(/^W\//, '')}` },
    { name: 'the ETag in a list', header: (etag: string) => `"other", ${etag}` },
  ];
  it.each(matching)('If-None-Match with $name: 304 without a body', async ({ header }) => {
    const context = { targetingKey: 'u-2' };
    const etag = (await bulk(context)).headers.get('etag')!;
    const response = await bulk(context, { 'if-none-match': header(etag) });
    expect(response.status).toBe(304);
    expect(response.text).toBe('');
    expect(response.headers.get('etag')).toBe(etag);
  });

  it('the ETag depends on context and environment', async () => {
    const etag = (await bulk({ targetingKey: 'u-3' })).headers.get('etag')!;
    const headers = { 'if-none-match': etag };
    expect((await bulk({ targetingKey: 'u-3', email: 'ada@shop.example' }, headers)).status).toBe(200);
    expect((await bulk({ targetingKey: 'u-3' }, { ...headers, 'x-environment': 'staging' })).status).toBe(
      200,
    );
  });

  it('an outdated ETag gets the full response', async () => {
    const before = await bulk({ targetingKey: 'u-4' });
    const flags = [{ key: 'banner', environments: { production: { value: 'autumn' } } }];
    await applyProvision(shop.server, { properties: [{ id: 'shop', flags }] });
    const again = () => bulk({ targetingKey: 'u-4' }, { 'if-none-match': before.headers.get('etag')! });
    await waitFor('the change', async () => (await again()).status === 200);
    const response = await again();
    expect(response.headers.get('etag')).not.toBe(before.headers.get('etag'));
    const banner = response.body.flags.find(({ key }: { key: string }) => key === 'banner');
    expect(banner).toMatchObject({ value: 'autumn' });
  });
});

describe('errors', () => {
  const paths = [
    { path: `${BULK}/banner`, expectedKey: { key: 'banner' } },
    { path: BULK, expectedKey: {} },
  ];
  const failures: { name: string; rawBody: string; errorCode: string; headers?: Record<string, string> }[] = [
    { name: 'broken JSON', rawBody: '{"context":', errorCode: 'PARSE_ERROR' },
    { name: 'an empty body', rawBody: '', errorCode: 'PARSE_ERROR' },
    { name: 'JSON that is nested too deeply', rawBody: '['.repeat(100), errorCode: 'PARSE_ERROR' },
    { name: 'a context that is a string', rawBody: '{"context":"u-1"}', errorCode: 'INVALID_CONTEXT' },
    { name: 'a context that is a list', rawBody: '{"context":[]}', errorCode: 'INVALID_CONTEXT' },
    { name: 'a context of null', rawBody: '{"context":null}', errorCode: 'INVALID_CONTEXT' },
    {
      name: 'a targeting key that is not a string',
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
  for (const { path, expectedKey } of paths) {
    it.each(failures)(`${path}: $name: 400 $errorCode`, async ({ rawBody, errorCode, headers }) => {
      const response = await shop.server.call('POST', path, {
        key: SECRET_KEY,
        rawBody,
        ...(headers && { headers }),
      });
      expect(response.status).toBe(400);
      expect(response.headers.get('content-type')).toMatch(/^application\/json\b/);
      expect(response.body).toEqual({ ...expectedKey, errorCode, errorDetails: expect.stringMatching(/\S/) });
    });

    const unauthorized: { name: string; key: string | undefined; status: number; code: string }[] = [
      { name: 'no key', key: undefined, status: 401, code: 'api_key_missing' },
      { name: 'an unknown key', key: 'service_sec_unknown', status: 401, code: 'api_key_invalid' },
      { name: 'a public key', key: PUBLIC_KEY, status: 403, code: 'wrong_key_kind' },
    ];
    it.each(unauthorized)(
      `${path}: $name: $status, before the body is parsed`,
      async ({ key, status, code }) => {
        const response = await shop.server.call('POST', path, { key, rawBody: '{' });
        expectProblem(response, { status, code });
      },
    );

    const absent: { name: string; call: () => Promise<TestResponse> }[] = [
      { name: 'no context', call: () => shop.post(path, {}) },
      { name: 'unknown members', call: () => shop.post(path, { flags: [], x: 1 }) },
      { name: 'no body', call: () => shop.server.call('POST', path, { key: SECRET_KEY }) },
    ];
    it.each(absent)(`${path}: $name is an empty context`, async ({ call }) => {
      const response = await call();
      expect(response.status, response.text).toBe(200);
    });

    it(`${path}: another media type: 415`, async () => {
      const response = await shop.server.call('POST', path, {
        key: SECRET_KEY,
        rawBody: '{}',
        headers: { 'content-type': 'text/plain' },
      });
      expectProblem(response, { status: 415, code: 'unsupported_media_type' });
    });
  }
});

describe('clients of the protocol', () => {
  const send = (path: string, headers: Record<string, string>, key?: string) =>
    shop.server.call('POST', path, { key, headers, body: { context: {} } });
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

  it.each([BULK, `${BULK}/banner`])('%s: a leading double slash makes no difference', async (path) => {
    const [single, doubled] = [await send(path, {}, SECRET_KEY), await send(`/${path}`, {}, SECRET_KEY)];
    expect([doubled.status, doubled.text]).toEqual([200, single.text]);
    expectProblem(await send(`/${path}`, {}), { status: 401, code: 'api_key_missing' });
  });

  it('errors have the same format behind a double slash', async () => {
    const response = await send(`/${BULK}/nothing`, {}, SECRET_KEY);
    expect([response.status, response.body.errorCode]).toEqual([404, 'FLAG_NOT_FOUND']);
  });

  it.each([BULK, `${BULK}/banner`])('%s: accepts the key as a bearer token', async (path) => {
    expect((await send(path, bearer(SECRET_KEY))).status).toBe(200);
    expect((await send(path, { authorization: `bearer  ${SECRET_KEY}` })).status).toBe(200);
    for (const wrong of [`Basic ${SECRET_KEY}`, SECRET_KEY, 'Bearer', 'Bearer ']) {
      const response = await send(path, { authorization: wrong });
      expectProblem(response, { status: 401, code: 'api_key_missing' });
    }
    expectProblem(await send(path, bearer('service_sec_0123456789abcdefUnknown')), {
      status: 401,
      code: 'api_key_invalid',
    });
    expectProblem(await send(path, bearer(PUBLIC_KEY)), { status: 403, code: 'wrong_key_kind' });
  });

  it('x-api-key takes precedence over a bearer token', async () => {
    expect((await send(BULK, bearer('somebody-else'), SECRET_KEY)).status).toBe(200);
    const response = await send(BULK, bearer(SECRET_KEY), 'service_sec_0123456789abcdefUnknown');
    expectProblem(response, { status: 401, code: 'api_key_invalid' });
  });

  it('no other endpoint accepts a bearer token or a double slash', async () => {
    const headers = bearer(SECRET_KEY);
    const list = await shop.server.call('GET', '/v1/flags/list?propertyId=shop', { headers });
    expectProblem(list, { status: 401, code: 'api_key_missing' });
    const doubled = await shop.server.call('GET', '//v1/flags/list?propertyId=shop', { key: SECRET_KEY });
    expectProblem(doubled, { status: 404, code: 'not_found' });
  });
});
