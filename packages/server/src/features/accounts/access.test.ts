import { ENDPOINTS, nameOf, withQuery } from '@switchyard/testing/fixtures/endpoints';
import { PUBLIC_KEY, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { closeShop, expectProblem, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { Browser, newMember, ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let shop: Shop;
let owner: Browser;
let viewer: Browser;
beforeAll(async () => {
  shop = await openShop({ env: WITH_OWNER });
  owner = await ownerBrowser(shop.server);
  ({ browser: viewer } = await newMember(owner, 'viewer@shop.example', 'viewer'));
});
afterAll(() => closeShop(shop));

const MEMBERS = '/v1/manage/properties/shop/members';

describe('credentials', () => {
  it.each<[string, Record<string, string>]>([
    ['nothing', {}],
    ['an API key', { 'x-api-key': SECRET_KEY }],
    ['an API key as bearer', { authorization: `Bearer ${SECRET_KEY}` }],
    ['a wrong cookie', { cookie: `switchyard_session=${'x'.repeat(43)}` }],
    ['an empty cookie', { cookie: 'switchyard_session=' }],
    ['a wrong token', { authorization: `Bearer service_adm_${'0'.repeat(38)}` }],
  ])('%s is not enough for management', async (_what, headers) => {
    const response = await shop.server.call('GET', '/v1/manage/me', { headers });
    expectProblem(response, { status: 401, code: 'sign_in_required' });
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('a bearer token counts before the cookie', async () => {
    const headers = { cookie: owner.cookieHeader, authorization: 'Bearer service_adm_wrong' };
    const response = await shop.server.call('GET', '/v1/manage/me', { headers });
    expectProblem(response, { status: 401, code: 'sign_in_required' });
  });

  it('are checked before the body', async () => {
    const response = await shop.server.call('POST', '/v1/manage/me/tokens', { rawBody: 'no JSON' });
    expectProblem(response, { status: 401, code: 'sign_in_required' });
  });
});

describe('the origin of a write with a cookie', () => {
  const rename = (headers: Record<string, string>) =>
    shop.server.call('PATCH', '/v1/manage/me', {
      body: { name: 'Owner' },
      headers: { cookie: owner.cookieHeader, ...headers },
    });

  it.each<[Record<string, string>, number]>([
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{}, 403],
    [{ 'sec-fetch-site': 'same-origin' }, 200],
    [{ 'sec-fetch-site': 'none' }, 200],
  ])('%o: %i', async (headers, status) => {
    const response = await rename(headers);
    if (status === 200) expect(response.status).toBe(200);
    else expectProblem(response, { status, code: 'cross_origin' });
  });

  it('is accepted if it is our own, also with TLS that ends at a proxy', async () => {
    const own = shop.server.url;
    expect((await rename({ origin: own })).status).toBe(200);
    const https = own.replace('http:', 'https:');
    expect((await rename({ origin: https })).status).toBe(403);
    expect((await rename({ origin: https, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });

  it('is checked before signing in too, if a browser sends it', async () => {
    const body = { email: 'x@y.example', password: 'wrong' };
    const headers = { origin: 'https://evil.example' };
    const response = await shop.server.call('POST', '/v1/manage/sign-in', { body, headers });
    expectProblem(response, { status: 403, code: 'cross_origin' });
    expect((await shop.server.call('POST', '/v1/manage/sign-in', { body })).status).toBe(401);
  });

  it('does not matter for reading, which no other page can see', async () => {
    const headers = { cookie: owner.cookieHeader, origin: 'https://evil.example' };
    const response = await shop.server.call('GET', '/v1/manage/me', { headers });
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('is that of PUBLIC_URL, which also makes cookies secure', async () => {
    const env = { ...WITH_OWNER, PUBLIC_URL: 'https://switchyard.example/' };
    const other = await openShop({ env });
    const browser = new Browser(other.server);
    const signedIn = await browser.signIn(WITH_OWNER.ADMIN_EMAIL, WITH_OWNER.ADMIN_PASSWORD);
    expect(signedIn.headers.getSetCookie()[0]).toMatch(/; Secure$/);
    const headers = { cookie: browser.cookieHeader, origin: 'https://switchyard.example' };
    const body = { email: 'new@shop.example', role: 'viewer' };
    const path = '/v1/manage/properties/shop/invitations';
    const invited = await other.server.call('POST', path, { body, headers });
    expect(invited.body.url).toMatch(/^https:\/\/switchyard\.example\/invitation#token=[\w-]{43}$/);
    await closeShop(other);
  });
});

describe('properties and roles', () => {
  it('a foreign property is the same as an unknown one', async () => {
    const headers = { 'x-request-id': 'same' };
    const other = await viewer.call('GET', '/v1/manage/properties/other/members', { headers });
    const unknown = await viewer.call('GET', '/v1/manage/properties/unknown/members', { headers });
    expectProblem(other, { status: 404, code: 'not_found' });
    expect(other.text).toBe(unknown.text);
    expect((await owner.get('/v1/manage/properties/other/members')).status).toBe(200);
  });

  it('a role that is too low is refused before the body is read', async () => {
    const response = await viewer.call('PUT', `${MEMBERS}/acc_x`, { rawBody: 'no JSON' });
    expectProblem(response, { status: 403, code: 'role_required' });
    const accounts = await viewer.get('/v1/manage/accounts');
    expectProblem(accounts, { status: 403, code: 'role_required' });
  });
});

describe('read endpoints with a secret key', () => {
  const reads = ENDPOINTS.filter(({ members }) => members);
  const rows = reads.map((endpoint) => ({ name: nameOf(endpoint), endpoint }));

  it('are all that only read and need no stream, evaluation or key', () => {
    const others = ENDPOINTS.filter(({ method, kind }) => method === 'GET' && kind === 'secret')
      .filter(({ members }) => !members)
      .map(nameOf);
    expect(others).toEqual(['GET /v1/keys/public', 'GET /v1/flags/stream']);
  });

  it.each(rows)('$name: takes the cookie of a member', async ({ endpoint: { path, query } }) => {
    await shop.collect({ sessionId: 's-table', visitorId: 'v-table', events: [] });
    const response = await viewer.get(withQuery(path, query));
    expect(response.status, response.text).toBe(200);
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
  });

  it.each(rows)('$name: 404 for other properties, 401 for a wrong cookie', async ({ endpoint }) => {
    const { path, query } = endpoint;
    for (const propertyId of ['other', 'unknown']) {
      const response = await viewer.get(withQuery(path, { ...query, propertyId }));
      expectProblem(response, { status: 404, code: 'not_found' });
    }
    const headers = { cookie: 'switchyard_session=wrong' };
    const response = await shop.server.call('GET', withQuery(path, query), { headers });
    expectProblem(response, { status: 401, code: 'sign_in_required' });
  });

  it('an API key counts before the cookie', async () => {
    const options = { key: PUBLIC_KEY };
    const response = await viewer.call('GET', '/v1/flags/list?propertyId=shop', options);
    expectProblem(response, { status: 403, code: 'wrong_key_kind' });
  });

  it('writes do not take the cookie', async () => {
    const body = { propertyId: 'shop', goalId: 'signup' };
    const response = await owner.post('/v1/goals/increment', body);
    expectProblem(response, { status: 401, code: 'api_key_missing' });
  });
});
