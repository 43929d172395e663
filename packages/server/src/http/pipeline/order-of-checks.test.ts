import { ENDPOINTS, type Endpoint, keyFor, nameOf, withQuery } from '@switchyard/testing/fixtures/endpoints';
import {
  OTHER_PUBLIC_KEY,
  OTHER_SECRET_KEY,
  PUBLIC_KEY,
  SECRET_KEY,
} from '@switchyard/testing/fixtures/sample-property';
import { closeShop, expectProblem, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import type { CallOptions, TestResponse } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => closeShop(shop));

const MEBIBYTE = 1024 * 1024;
const NOT_JSON = '{"propertyId":';
const TOO_LARGE = `{"propertyId":5,"pad":"${'x'.repeat(MEBIBYTE)}"}`;
const WRONG_TYPE = { 'content-type': 'text/csv' };

/** A request to the endpoint with some fields replaced, or removed if undefined. */
function request(
  endpoint: Endpoint,
  fields: Record<string, unknown>,
  options: CallOptions,
): Promise<TestResponse> {
  const { method, path, query, body } = endpoint;
  if (body !== undefined) {
    const content = options.rawBody === undefined ? { body: { ...body, ...fields } } : {};
    return shop.server.call(method, path, { ...content, ...options });
  }
  const texts = Object.entries({ ...query, ...fields }).filter(([, value]) => value !== undefined);
  const search = Object.fromEntries(texts.map(([name, value]) => [name, String(value)]));
  return shop.server.call(method, withQuery(path, search), options);
}

/** Invalid in every later check: property and reference. */
const invalidFields = ({ reference }: Endpoint): Record<string, unknown> => ({
  propertyId: undefined,
  ...(reference === undefined ? {} : { [reference.field]: 'no-such-thing' }),
});

const rows = (endpoints: readonly Endpoint[]) =>
  endpoints.map((endpoint) => ({ name: nameOf(endpoint), endpoint }));
const all = rows(ENDPOINTS);
const withBody = rows(ENDPOINTS.filter(({ body, ofrep }) => body !== undefined && !ofrep));
const withProperty = rows(ENDPOINTS.filter(({ ofrep }) => !ofrep));
const withReference = rows(ENDPOINTS.filter(({ reference }) => reference !== undefined));

/** A body that is too large, not JSON and of the wrong media type, if the endpoint has a body. */
const worstBody = ({ body }: Endpoint): CallOptions =>
  body === undefined ? {} : { rawBody: TOO_LARGE.slice(0, -2), headers: WRONG_TYPE };

describe('1. the key must be present', () => {
  it.each(all)('$name: 401 api_key_missing before anything else', async ({ endpoint }) => {
    const response = await request(endpoint, invalidFields(endpoint), worstBody(endpoint));
    expectProblem(response, { status: 401, code: 'api_key_missing' });
  });

  it.each(all)('$name: an empty key counts as missing', async ({ endpoint }) => {
    const response = await request(endpoint, invalidFields(endpoint), { key: '' });
    expectProblem(response, { status: 401, code: 'api_key_missing' });
  });
});

describe('2. the key must be valid', () => {
  const keys = [
    { what: 'unknown', key: 'service_sec_0123456789abcdefUnknown' },
    { what: 'unknown and public', key: 'service_pub_0123456789abcdefUnknown' },
    { what: 'too short', key: 'x' },
    { what: 'too long', key: `service_sec_${'x'.repeat(4000)}` },
    { what: 'a list of two', key: `${PUBLIC_KEY}, ${SECRET_KEY}` },
    { what: 'in another case', key: SECRET_KEY.toUpperCase() },
  ];
  for (const { what, key } of keys) {
    it.each(all)(`$name: 401 api_key_invalid for a key that is ${what}`, async ({ endpoint }) => {
      const response = await request(endpoint, invalidFields(endpoint), { ...worstBody(endpoint), key });
      expectProblem(response, { status: 401, code: 'api_key_invalid' });
    });
  }

  it('a key is only accepted in the x-api-key header', async () => {
    const response = await shop.server.call('GET', `/v1/flags/list?propertyId=shop&x-api-key=${SECRET_KEY}`, {
      headers: { authorization: `Bearer ${SECRET_KEY}` },
    });
    expectProblem(response, { status: 401, code: 'api_key_missing' });
  });
});

describe('3. the key must be of the right kind', () => {
  it.each(all)('$name: 403 wrong_key_kind before the body is checked', async ({ endpoint }) => {
    const key = endpoint.kind === 'public' ? SECRET_KEY : PUBLIC_KEY;
    const response = await request(endpoint, invalidFields(endpoint), { ...worstBody(endpoint), key });
    expectProblem(response, { status: 403, code: 'wrong_key_kind' });
  });

  it.each(all)('$name: 403 wrong_key_kind before the property is checked', async ({ endpoint }) => {
    const key = endpoint.kind === 'public' ? OTHER_SECRET_KEY : OTHER_PUBLIC_KEY;
    expectProblem(await request(endpoint, {}, { key }), { status: 403, code: 'wrong_key_kind' });
  });
});

describe('4. the body must be JSON and not too large', () => {
  it.each(withBody)('$name: 415 for another media type before the body is parsed', async ({ endpoint }) => {
    const response = await request(
      endpoint,
      {},
      { key: keyFor(endpoint), rawBody: NOT_JSON, headers: WRONG_TYPE },
    );
    expectProblem(response, { status: 415, code: 'unsupported_media_type' });
  });

  it.each(withBody)('$name: 413 for more than 1 MiB before the body is parsed', async ({ endpoint }) => {
    const response = await request(endpoint, {}, { key: keyFor(endpoint), rawBody: TOO_LARGE.slice(0, -2) });
    expectProblem(response, { status: 413, code: 'body_too_large' });
  });

  it.each(withBody)('$name: 400 invalid_json', async ({ endpoint }) => {
    const response = await request(endpoint, {}, { key: keyFor(endpoint), rawBody: NOT_JSON });
    expectProblem(response, { status: 400, code: 'invalid_json' });
  });
});

describe('5. the fields must be valid', () => {
  it.each(withProperty)('$name: 400 before the reference is looked up', async ({ endpoint }) => {
    const response = await request(endpoint, invalidFields(endpoint), { key: keyFor(endpoint) });
    expectProblem(response, { status: 400, code: 'invalid_request', pointers: ['/propertyId'] });
  });

  /** An invalid field, sent together with the property of another key. */
  const invalid: Record<string, { fields: Record<string, unknown>; pointers: string[]; code?: string }> = {
    'GET /v1/split-testing/config': { fields: { propertyId: 'x'.repeat(129) }, pointers: ['/propertyId'] },
    'POST /v1/split-testing/expose': { fields: { exposures: [] }, pointers: ['/exposures'] },
    'GET /v1/split-testing/results': { fields: { splitTestKey: '' }, pointers: ['/splitTestKey'] },
    'GET /v1/split-testing/results/export': { fields: { format: 'pdf' }, pointers: ['/format'] },
    'GET /v1/split-testing/plan': { fields: { power: '2' }, pointers: ['/power'] },
    'GET /v1/split-testing/aa-test': { fields: { propertyId: '' }, pointers: ['/propertyId'] },
    'GET /v1/split-testing/holdout': { fields: { propertyId: '' }, pointers: ['/propertyId'] },
    'GET /v1/split-testing/library': { fields: { outcome: 'won' }, pointers: ['/outcome'] },
    'GET /v1/split-testing/overlap': { fields: { splitTestKey: '' }, pointers: ['/splitTestKey'] },
    'POST /v1/flags/evaluate': { fields: { context: 5 }, pointers: ['/context'] },
    'GET /v1/flags/list': { fields: { propertyId: '' }, pointers: ['/propertyId'] },
    'GET /v1/flags/segments': { fields: { propertyId: '' }, pointers: ['/propertyId'] },
    'GET /v1/flags/rollout': { fields: { ruleId: '' }, pointers: ['/ruleId'] },
    'GET /v1/flags/results': { fields: { ruleId: '' }, pointers: ['/ruleId'] },
    'GET /v1/flags/overlap': { fields: { ruleId: '' }, pointers: ['/ruleId'] },
    'GET /v1/flags/results/export': { fields: { format: 'pdf' }, pointers: ['/format'] },
    'GET /v1/flags/usage': { fields: { flagKey: '' }, pointers: ['/flagKey'] },
    'POST /v1/flags/usage': { fields: { counts: [] }, pointers: ['/counts'] },
    'GET /v1/keys/public': { fields: { propertyId: '' }, pointers: ['/propertyId'] },
    'GET /v1/flags/stream': { fields: { propertyId: '' }, pointers: ['/propertyId'] },
    'POST /v1/goals/increment': { fields: { sessionId: 'a b' }, pointers: ['/sessionId'] },
    'POST /v1/goals/decrement': { fields: { amount: 0 }, pointers: ['/amount'], code: 'amount_not_positive' },
    'GET /v1/goals/progress': { fields: { from: '2', to: '1' }, pointers: ['/from'] },
    'GET /v1/goals/conversions': { fields: { type: 'refund' }, pointers: ['/type'] },
    'POST /v1/feedback/submit': { fields: { metadata: { a: 1 } }, pointers: ['/metadata/a'] },
    'GET /v1/metrics/preview': { fields: { metric: '' }, pointers: ['/metric'] },
    'GET /v1/feedback': { fields: { cursor: 'garbage' }, pointers: ['/cursor'] },
    'GET /v1/feedback/summary': { fields: { from: '0', to: '99999999999999' }, pointers: ['/interval'] },
    'GET /v1/feedback/export': { fields: { format: 'pdf' }, pointers: ['/format'] },
    'POST /v1/sessions/daily-identity': { fields: { propertyId: '' }, pointers: ['/propertyId'] },
    'POST /v1/sessions/collect': { fields: { visitorId: '' }, pointers: ['/visitorId'] },
    'GET /v1/sessions': { fields: { cursor: 'garbage' }, pointers: ['/cursor'] },
    'GET /v1/sessions/{sessionId}': { fields: { propertyId: '' }, pointers: ['/propertyId'] },
    'GET /v1/traffic/summary': { fields: { from: '2', to: '1' }, pointers: ['/from'] },
    'GET /v1/traffic/series': {
      fields: { from: '0', to: '31536000000', interval: 'hour' },
      pointers: ['/interval'],
    },
    'GET /v1/traffic/breakdown': { fields: { by: 'weather' }, pointers: ['/by'] },
    'GET /v1/traffic/live': { fields: { propertyId: '' }, pointers: ['/propertyId'] },
    'GET /v1/traffic/received': { fields: { propertyId: '' }, pointers: ['/propertyId'] },
  };
  it.each(withProperty)('$name: 400 before the property is checked', async ({ name, endpoint }) => {
    const { fields, pointers, code = 'invalid_request' } = invalid[name]!;
    const response = await request(endpoint, { propertyId: 'other', ...fields }, { key: keyFor(endpoint) });
    expectProblem(response, { status: 400, code, pointers });
  });

  it('a session id that is too long is rejected after the key check', async () => {
    const path = `/v1/sessions/${'x'.repeat(600)}?propertyId=shop`;
    expectProblem(await shop.server.call('GET', path), { status: 401, code: 'api_key_missing' });
    const response = await shop.server.call('GET', path, { key: SECRET_KEY });
    expectProblem(response, { status: 400, code: 'invalid_request', pointers: ['/sessionId'] });
  });
});

describe('6. the property must belong to the key', () => {
  for (const propertyId of ['other', 'unknown', '__proto__', 'Shop', 'shop ']) {
    it.each(withProperty)(
      `$name: 403 wrong_property for ${JSON.stringify(propertyId)}`,
      async ({ endpoint }) => {
        const { reference } = endpoint;
        const unknown = reference === undefined ? {} : { [reference.field]: 'no-such-thing' };
        const response = await request(endpoint, { ...unknown, propertyId }, { key: keyFor(endpoint) });
        expectProblem(response, { status: 403, code: 'wrong_property' });
      },
    );
  }

  it.each(withProperty)(
    '$name: the response does not reveal whether the property exists',
    async ({ endpoint }) => {
      const responseTo = (propertyId: string) =>
        request(endpoint, { propertyId }, { key: keyFor(endpoint), headers: { 'x-request-id': 'same' } });
      expect((await responseTo('other')).text).toBe((await responseTo('unknown')).text);
    },
  );
});

describe('7. referenced objects must exist', () => {
  it.each(withReference)('$name: 404', async ({ endpoint }) => {
    const { field, code } = endpoint.reference!;
    const response = await request(endpoint, { [field]: 'no-such-thing' }, { key: keyFor(endpoint) });
    expectProblem(response, { status: 404, code });
  });

  it('objects of another property are not found', async () => {
    expectProblem(await shop.increment({ goalId: 'elsewhere' }), { status: 404, code: 'goal_not_found' });
    const progress = await shop.get('/v1/goals/progress', { goalId: 'elsewhere' });
    expectProblem(progress, { status: 404, code: 'goal_not_found' });
  });
});

describe('a valid request succeeds', () => {
  // A session must exist before it can be read.
  const writesFirst = [...all].sort(
    (a, b) => Number(a.endpoint.method === 'GET') - Number(b.endpoint.method === 'GET'),
  );
  it.each(writesFirst.filter(({ endpoint }) => !endpoint.endless))('$name: 200', async ({ endpoint }) => {
    const response = await request(endpoint, {}, { key: keyFor(endpoint) });
    expect(response.status, response.text).toBe(200);
  });
});
