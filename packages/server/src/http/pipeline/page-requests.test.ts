import { OTHER_PUBLIC_KEY, PUBLIC_KEY, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import {
  closeShop,
  expectAccepted,
  expectProblem,
  openShop,
  type Shop,
} from '@switchyard/testing/fixtures/shop';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// Requests that pages of other origins can send without a preflight: the key in the query or in the body, which is text.

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => closeShop(shop));

const TEXT = { 'content-type': 'text/plain;charset=UTF-8' };
const LANES: { lane: string; headers: Record<string, string> }[] = [
  { lane: 'fast', headers: {} },
  { lane: 'slow', headers: { 'x-switchyard-slow-lane': '1' } },
];

const collected = (sessionId: string) => ({ propertyId: 'shop', sessionId, visitorId: `v-${sessionId}` });
const exposed = (sessionId: string) => ({
  propertyId: 'shop',
  exposures: [{ splitTestKey: 'hero', variationKey: 'b', sessionId }],
});
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  shop.server.call('POST', path, { rawBody: JSON.stringify(body), headers: { ...TEXT, ...headers } });

describe.each(LANES)('in the $lane lane', ({ lane, headers }) => {
  it('the key may be in the query', async () => {
    const query = `key=${PUBLIC_KEY}`;
    const config = await shop.server.call('GET', `/v1/split-testing/config?propertyId=shop&${query}`, {
      headers,
    });
    expect(config.status).toBe(200);
    const sessionId = `query-${lane}`;
    expectAccepted(await post(`/v1/sessions/collect?${query}`, collected(sessionId), headers));
    expectAccepted(await post(`/v1/split-testing/expose?${query}`, exposed(sessionId), headers));
    expect(await shop.session(sessionId)).toMatchObject({
      visitorId: `v-${sessionId}`,
      exposures: [{ splitTestKey: 'hero', variationKey: 'b' }],
    });
  });

  it('the key may be in the body, as text or JSON', async () => {
    const sessionId = `body-${lane}`;
    const body = { apiKey: PUBLIC_KEY, ...collected(sessionId) };
    expectAccepted(await post('/v1/sessions/collect', body, headers));
    expectAccepted(await shop.server.call('POST', '/v1/sessions/collect', { body, headers }));
    expectAccepted(
      await post('/v1/split-testing/expose', { apiKey: PUBLIC_KEY, ...exposed(sessionId) }, headers),
    );
    expect(await shop.session(sessionId)).toMatchObject({ visitorId: `v-${sessionId}` });
  });

  it('the header wins over the query, and the query over the body', async () => {
    const body = { apiKey: OTHER_PUBLIC_KEY, ...collected(`order-${lane}`) };
    expectAccepted(await post(`/v1/sessions/collect?key=${PUBLIC_KEY}`, body, headers));
    const keyed = { ...headers, 'x-api-key': PUBLIC_KEY };
    expectAccepted(await post('/v1/sessions/collect?key=none', body, keyed));
    const foreign = await post(`/v1/sessions/collect?key=${OTHER_PUBLIC_KEY}`, body, headers);
    expectProblem(foreign, { status: 403, code: 'wrong_property' });
  });

  it.each([
    { what: 'no key', key: undefined, code: 'api_key_missing' },
    { what: 'an empty key', key: '', code: 'api_key_missing' },
    { what: 'an unknown key', key: 'service_pub_0123456789abcdefUnknown', code: 'api_key_invalid' },
    { what: 'a secret key', key: SECRET_KEY, code: 'api_key_invalid' },
  ])('$what in query and body: 401 $code, whatever else is wrong', async ({ key, code }) => {
    const search = key === undefined ? '' : `key=${key}`;
    const responses = [
      await shop.server.call('GET', `/v1/split-testing/config?${search}`, { headers }),
      await post(`/v1/sessions/collect?${search}`, { propertyId: 5 }, headers),
      await post('/v1/split-testing/expose', { apiKey: key, propertyId: 5 }, headers),
    ];
    for (const response of responses) expectProblem(response, { status: 401, code });
    if (key !== SECRET_KEY) return;
    for (const { body } of responses) expect(body.detail).toContain('only in the `x-api-key` header');
  });

  it.each(['[]', 'null', '5', '"text"', '{"propertyId":', ''])(
    'a body without a key, %j: 401',
    async (rawBody) => {
      const response = await shop.server.call('POST', '/v1/split-testing/expose', {
        rawBody,
        headers: { ...TEXT, ...headers },
      });
      expectProblem(response, { status: 401, code: 'api_key_missing' });
    },
  );

  it('a repeated idempotencyKey in the query counts once, and one that is too long is refused', async () => {
    const path = `/v1/sessions/collect?key=${PUBLIC_KEY}&idempotencyKey=once-${lane}`;
    const body = { ...collected(`once-${lane}`), events: [{ type: 'event', name: 'click' }] };
    expectAccepted(await post(path, body, headers));
    expectAccepted(await post(path, body, headers));
    expect((await shop.session(`once-${lane}`)).events).toBe(1);
    // The same key in the header is the same key.
    const keyed = { ...headers, 'idempotency-key': `once-${lane}` };
    expectAccepted(await post(`/v1/sessions/collect?key=${PUBLIC_KEY}`, body, keyed));
    expect((await shop.session(`once-${lane}`)).events).toBe(1);
    const long = await post(`${path}${'x'.repeat(255)}`, body, headers);
    expectProblem(long, { status: 400, code: 'invalid_request', pointers: ['/idempotencyKey'] });
  });

  it('other endpoints take neither text nor a key in the query or body', async () => {
    const body = { propertyId: 'shop', goalId: 'signup', apiKey: SECRET_KEY };
    const unkeyed = await shop.server.call('POST', `/v1/goals/increment?key=${SECRET_KEY}`, {
      body,
      headers,
    });
    expectProblem(unkeyed, { status: 401, code: 'api_key_missing' });
    const text = await post('/v1/goals/increment', body, { ...headers, 'x-api-key': SECRET_KEY });
    expectProblem(text, { status: 415, code: 'unsupported_media_type' });
  });
});
