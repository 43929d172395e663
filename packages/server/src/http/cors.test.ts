import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINTS, keyFor, nameOf, withQuery } from '../testing/endpoints.ts';
import { closeShop, expectProblem, openShop, type Shop, sampleWith } from '../testing/shop.ts';
import type { Answer } from '../testing/test-server.ts';

const FENCED_PUBLIC_KEY = 'service_pub_0123456789abcdefFencedPublic';
const FENCED_SECRET_KEY = 'service_sec_0123456789abcdefFencedSecret';
const LISTED = 'https://shop.example';
const UNLISTED = 'https://evil.example';

/** A property that names the origins of its pages. */
const FENCED = {
  id: 'fenced',
  name: 'Fenced',
  allowedOrigins: [LISTED, 'http://localhost:3000'],
  apiKeys: [
    { kind: 'public', name: 'web', key: FENCED_PUBLIC_KEY },
    { kind: 'secret', name: 'backend', key: FENCED_SECRET_KEY },
  ],
  splitTests: [
    { key: 'hero', type: 'text', status: 'running', variations: [{ key: 'b', weight: 1, value: 'B' }] },
  ],
};

let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ provision: sampleWith({}, [FENCED]) });
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

const corsHeaders = ({ headers }: Answer) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));
const words = (answer: Answer, name: string) => (answer.headers.get(name) ?? '').toLowerCase().split(/, */);

describe('the browser endpoints', () => {
  it('are these three', () => {
    expect(browser.map(({ name }) => name)).toEqual([
      'GET /v1/split-testing/config',
      'POST /v1/split-testing/expose',
      'POST /v1/sessions/collect',
    ]);
  });

  it.each(browser)('$name: the preflight needs no key and is cached for a day', async ({ endpoint }) => {
    const answer = await shop.server.call('OPTIONS', endpoint.path, {
      headers: {
        origin: 'https://anywhere.example',
        'access-control-request-method': endpoint.method,
        'access-control-request-headers': 'content-type,x-api-key',
      },
    });
    expect(answer.status).toBe(204);
    expect(answer.text).toBe('');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(words(answer, 'access-control-allow-headers')).toEqual(
      expect.arrayContaining(['x-api-key', 'content-type']),
    );
    expect(words(answer, 'access-control-allow-methods')).toContain(endpoint.method.toLowerCase());
    expect(answer.headers.get('access-control-max-age')).toBe('86400');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  });

  it.each(browser)('$name: any origin may read the answer and its headers', async ({ endpoint }) => {
    const { method, path, query, body } = endpoint;
    const answer = await shop.server.call(method, withQuery(path, query), {
      key: keyFor(endpoint),
      body,
      headers: { origin: 'https://anywhere.example' },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    const exposed = ['x-request-id', 'retry-after', 'ratelimit', 'ratelimit-policy'];
    expect(words(answer, 'access-control-expose-headers')).toEqual(expect.arrayContaining(exposed));
  });

  const failures = [
    { what: 'a missing key', status: 401, options: {} },
    { what: 'an invalid key', status: 401, options: { key: 'nobody' } },
    { what: 'a wrong property', status: 403, fields: { propertyId: 'nobody' } },
    { what: 'a wrong field', status: 400, fields: { propertyId: '' } },
  ];
  for (const { what, status, options, fields = {} } of failures) {
    it.each(browser)(`$name: pages can read ${status} for ${what}`, async ({ endpoint }) => {
      const { method, path, query, body } = endpoint;
      const address = withQuery(path, query && { ...query, ...fields });
      const answer = await shop.server.call(method, address, {
        ...(options ?? { key: keyFor(endpoint) }),
        body: body && { ...body, ...fields },
        headers: { origin: 'https://anywhere.example' },
      });
      expect(answer.status).toBe(status);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(words(answer, 'access-control-expose-headers')).toContain('x-request-id');
    });
  }

  const unreadable: { what: string; status: number; rawBody: string; headers: Record<string, string> }[] = [
    { what: 'a wrong media type', status: 415, rawBody: 'x', headers: { 'content-type': 'text/plain' } },
    { what: 'broken JSON', status: 400, rawBody: '{', headers: {} },
    { what: 'too large a body', status: 413, rawBody: 'x'.repeat(1024 * 1024 + 1), headers: {} },
  ];
  for (const { what, status, rawBody, headers } of unreadable) {
    it.each(browser.filter(({ endpoint }) => endpoint.body))(
      `$name: pages can read ${status} for ${what}`,
      async ({ endpoint }) => {
        const answer = await shop.server.call('POST', endpoint.path, {
          key: keyFor(endpoint),
          rawBody,
          headers: { origin: 'https://anywhere.example', ...headers },
        });
        expect(answer.status).toBe(status);
        expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      },
    );
  }
});

describe('a property that lists its origins', () => {
  const requests = [
    {
      name: 'config',
      method: 'GET',
      path: '/v1/split-testing/config?propertyId=fenced',
      body: () => undefined,
    },
    {
      name: 'expose',
      method: 'POST',
      path: '/v1/split-testing/expose',
      body: (sessionId: string) => ({
        propertyId: 'fenced',
        exposures: [{ splitTestKey: 'hero', variationKey: 'b', sessionId }],
      }),
    },
    {
      name: 'collect',
      method: 'POST',
      path: '/v1/sessions/collect',
      body: (sessionId: string) => ({ propertyId: 'fenced', sessionId, visitorId: 'v' }),
    },
  ];
  const send = (
    { method, path, body }: (typeof requests)[number],
    sessionId: string,
    headers: Record<string, string>,
  ) => shop.server.call(method, path, { key: FENCED_PUBLIC_KEY, body: body(sessionId), headers });
  const stored = async (sessionId: string) => {
    const address = `/v1/sessions/${sessionId}?propertyId=fenced`;
    return (await shop.server.call('GET', address, { key: FENCED_SECRET_KEY })).status === 200;
  };

  it.each(requests)('$name: a listed origin is named', async (request) => {
    for (const origin of FENCED.allowedOrigins) {
      const answer = await send(request, `listed-${request.name}`, { origin });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
      expect(words(answer, 'vary')).toContain('origin');
    }
    if (request.method === 'POST') expect(await stored(`listed-${request.name}`)).toBe(true);
  });

  const unlisted = [
    UNLISTED,
    'null',
    'http://shop.example',
    'https://shop.example:444',
    `${LISTED}.evil.example`,
    'https://sub.shop.example',
  ];
  for (const origin of unlisted) {
    it.each(requests)(`$name: ${origin} is refused and nothing stored`, async (request) => {
      const answer = await send(request, `unlisted-${request.name}`, { origin });
      expectProblem(answer, { status: 403, code: 'origin_not_allowed' });
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      expect(words(answer, 'vary')).toContain('origin');
      expect(await stored(`unlisted-${request.name}`)).toBe(false);
    });
  }

  it.each(requests)('$name: a caller that is no page has no origin', async (request) => {
    const answer = await send(request, `no-origin-${request.name}`, {});
    expect(answer.status).toBe(200);
    // A cache must not hand this answer to a page of an origin that is not listed.
    expect(words(answer, 'vary')).toContain('origin');
  });
});

describe('the secret-key endpoints send no CORS headers', () => {
  it.each(server.filter(({ endpoint }) => !endpoint.endless))('$name: success', async ({ endpoint }) => {
    const { method, path, query, body } = endpoint;
    const answer = await shop.server.call(method, withQuery(path, query), {
      key: keyFor(endpoint),
      body,
      headers: { origin: 'https://shop.example' },
    });
    expect(answer.status, answer.text).toBe(200);
    expect(corsHeaders(answer)).toEqual([]);
  });

  it.each(server)('$name: failure', async ({ endpoint }) => {
    const { method, path, body } = endpoint;
    const answer = await shop.server.call(method, path, {
      body,
      headers: { origin: 'https://shop.example' },
    });
    expect(answer.status).toBe(401);
    expect(corsHeaders(answer)).toEqual([]);
  });

  it.each(server)('$name: no preflight', async ({ endpoint }) => {
    const answer = await shop.server.call('OPTIONS', endpoint.path, {
      headers: { origin: 'https://shop.example', 'access-control-request-method': endpoint.method },
    });
    expectProblem(answer, { status: 405, code: 'method_not_allowed' });
    expect(corsHeaders(answer)).toEqual([]);
  });
});
