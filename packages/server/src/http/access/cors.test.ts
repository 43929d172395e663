import { ENDPOINTS, keyFor, nameOf, withQuery } from '@switchyard/testing/fixtures/endpoints';
import { closeShop, expectProblem, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const RESTRICTED_PUBLIC_KEY = 'service_pub_0123456789abcdefRestrictedPublic';
const RESTRICTED_SECRET_KEY = 'service_sec_0123456789abcdefRestrictedSecret';
const ALLOWED = 'https://shop.example';
const FOREIGN = 'https://evil.example';

/** A property with a list of allowed origins. */
const RESTRICTED = {
  id: 'restricted',
  name: 'Restricted',
  allowedOrigins: [ALLOWED, 'http://localhost:3000'],
  apiKeys: [
    { kind: 'public', name: 'web', key: RESTRICTED_PUBLIC_KEY },
    { kind: 'secret', name: 'backend', key: RESTRICTED_SECRET_KEY },
  ],
  splitTests: [
    { key: 'hero', type: 'text', status: 'running', variations: [{ key: 'b', weight: 1, value: 'B' }] },
  ],
};

let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ provision: sampleWith({}, [RESTRICTED]) });
});
afterAll(() => closeShop(shop));

const browser = ENDPOINTS.filter(({ kind }) => kind === 'public').map((endpoint) => ({
  name: nameOf(endpoint),
  endpoint,
}));
const server = ENDPOINTS.filter(({ kind }) => kind === 'secret').map((endpoint) => ({
  name: nameOf(endpoint),
  endpoint,
}));

const corsHeaders = ({ headers }: TestResponse) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));
const words = (response: TestResponse, name: string) =>
  (response.headers.get(name) ?? '').toLowerCase().split(/, */);

describe('the browser endpoints', () => {
  it('are config, expose, daily identity and collect', () => {
    expect(browser.map(({ name }) => name)).toEqual([
      'GET /v1/split-testing/config',
      'POST /v1/split-testing/expose',
      'POST /v1/sessions/daily-identity',
      'POST /v1/sessions/collect',
    ]);
  });

  it.each(browser)('$name: the preflight needs no key and is cached for a day', async ({ endpoint }) => {
    const response = await shop.server.call('OPTIONS', endpoint.path, {
      headers: {
        origin: 'https://anywhere.example',
        'access-control-request-method': endpoint.method,
        'access-control-request-headers': 'content-type,x-api-key',
      },
    });
    expect(response.status).toBe(204);
    expect(response.text).toBe('');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(words(response, 'access-control-allow-headers')).toEqual(
      expect.arrayContaining(['x-api-key', 'content-type']),
    );
    expect(words(response, 'access-control-allow-methods')).toContain(endpoint.method.toLowerCase());
    expect(response.headers.get('access-control-max-age')).toBe('86400');
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  });

  it.each(browser)('$name: any origin can read the response and its headers', async ({ endpoint }) => {
    const { method, path, query, body } = endpoint;
    const response = await shop.server.call(method, withQuery(path, query), {
      key: keyFor(endpoint),
      body,
      headers: { origin: 'https://anywhere.example' },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const exposed = ['x-request-id', 'retry-after', 'ratelimit', 'ratelimit-policy'];
    expect(words(response, 'access-control-expose-headers')).toEqual(expect.arrayContaining(exposed));
  });

  const failures = [
    { what: 'a missing key', status: 401, options: {} },
    { what: 'an invalid key', status: 401, options: { key: 'unknown' } },
    { what: 'a wrong property', status: 403, fields: { propertyId: 'unknown' } },
    { what: 'an invalid field', status: 400, fields: { propertyId: '' } },
  ];
  for (const { what, status, options, fields = {} } of failures) {
    it.each(browser)(`$name: pages can read ${status} for ${what}`, async ({ endpoint }) => {
      const { method, path, query, body } = endpoint;
      const address = withQuery(path, query && { ...query, ...fields });
      const response = await shop.server.call(method, address, {
        ...(options ?? { key: keyFor(endpoint) }),
        body: body && { ...body, ...fields },
        headers: { origin: 'https://anywhere.example' },
      });
      expect(response.status).toBe(status);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(words(response, 'access-control-expose-headers')).toContain('x-request-id');
    });
  }

  const unreadable: { what: string; status: number; rawBody: string; headers: Record<string, string> }[] = [
    { what: 'a wrong media type', status: 415, rawBody: 'x', headers: { 'content-type': 'text/csv' } },
    { what: 'broken JSON', status: 400, rawBody: '{', headers: {} },
    { what: 'a body that is too large', status: 413, rawBody: 'x'.repeat(1024 * 1024 + 1), headers: {} },
  ];
  for (const { what, status, rawBody, headers } of unreadable) {
    it.each(browser.filter(({ endpoint }) => endpoint.body))(
      `$name: pages can read ${status} for ${what}`,
      async ({ endpoint }) => {
        const response = await shop.server.call('POST', endpoint.path, {
          key: keyFor(endpoint),
          rawBody,
          headers: { origin: 'https://anywhere.example', ...headers },
        });
        expect(response.status).toBe(status);
        expect(response.headers.get('access-control-allow-origin')).toBe('*');
      },
    );
  }
});

describe('a property with allowed origins', () => {
  const requests = [
    {
      name: 'config',
      method: 'GET',
      path: '/v1/split-testing/config?propertyId=restricted',
      body: () => undefined,
    },
    {
      name: 'expose',
      method: 'POST',
      path: '/v1/split-testing/expose',
      body: (sessionId: string) => ({
        propertyId: 'restricted',
        exposures: [{ splitTestKey: 'hero', variationKey: 'b', sessionId }],
      }),
    },
    {
      name: 'collect',
      method: 'POST',
      path: '/v1/sessions/collect',
      body: (sessionId: string) => ({ propertyId: 'restricted', sessionId, visitorId: 'v' }),
    },
  ];
  const send = (
    { method, path, body }: (typeof requests)[number],
    sessionId: string,
    headers: Record<string, string>,
  ) => shop.server.call(method, path, { key: RESTRICTED_PUBLIC_KEY, body: body(sessionId), headers });
  const stored = async (sessionId: string) => {
    const address = `/v1/sessions/${sessionId}?propertyId=restricted`;
    return (await shop.server.call('GET', address, { key: RESTRICTED_SECRET_KEY })).status === 200;
  };

  it.each(requests)('$name: an allowed origin is echoed', async (request) => {
    for (const origin of RESTRICTED.allowedOrigins) {
      const response = await send(request, `allowed-${request.name}`, { origin });
      expect(response.status).toBe(200);
      expect(response.headers.get('access-control-allow-origin')).toBe(origin);
      expect(words(response, 'vary')).toContain('origin');
    }
    if (request.method === 'POST') expect(await stored(`allowed-${request.name}`)).toBe(true);
  });

  const foreign = [
    FOREIGN,
    'null',
    'http://shop.example',
    'https://shop.example:444',
    `${ALLOWED}.evil.example`,
    'https://sub.shop.example',
  ];
  for (const origin of foreign) {
    it.each(requests)(`$name: ${origin} is rejected and nothing is stored`, async (request) => {
      const response = await send(request, `foreign-${request.name}`, { origin });
      expectProblem(response, { status: 403, code: 'origin_not_allowed' });
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
      expect(words(response, 'vary')).toContain('origin');
      expect(await stored(`foreign-${request.name}`)).toBe(false);
    });
  }

  it.each(requests)('$name: a request without an origin is accepted', async (request) => {
    const response = await send(request, `no-origin-${request.name}`, {});
    expect(response.status).toBe(200);
    // A cache must not serve this response to a page from a foreign origin.
    expect(words(response, 'vary')).toContain('origin');
  });
});

describe('the secret-key endpoints send no CORS headers', () => {
  it.each(server.filter(({ endpoint }) => !endpoint.endless))('$name: success', async ({ endpoint }) => {
    const { method, path, query, body } = endpoint;
    const response = await shop.server.call(method, withQuery(path, query), {
      key: keyFor(endpoint),
      body,
      headers: { origin: 'https://shop.example' },
    });
    expect(response.status, response.text).toBe(200);
    expect(corsHeaders(response)).toEqual([]);
  });

  it.each(server)('$name: failure', async ({ endpoint }) => {
    const { method, path, body } = endpoint;
    const response = await shop.server.call(method, path, {
      body,
      headers: { origin: 'https://shop.example' },
    });
    expect(response.status).toBe(401);
    expect(corsHeaders(response)).toEqual([]);
  });

  it.each(server)('$name: no preflight', async ({ endpoint }) => {
    const response = await shop.server.call('OPTIONS', endpoint.path, {
      headers: { origin: 'https://shop.example', 'access-control-request-method': endpoint.method },
    });
    expectProblem(response, { status: 405, code: 'method_not_allowed' });
    expect(corsHeaders(response)).toEqual([]);
  });
});
