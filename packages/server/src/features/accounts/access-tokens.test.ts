import { closeShop, expectProblem, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { type Browser, newMember, ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { AdjustableClock } from '@switchyard/testing/time/adjustable-clock';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, expect, it } from 'vitest';

const HOUR_MS = 3_600_000;
const TOKENS = '/v1/manage/me/tokens';

let shop: Shop;
let owner: Browser;
const clock = new AdjustableClock();
beforeAll(async () => {
  shop = await openShop({ env: WITH_OWNER, wrap: clock.wrap });
  owner = await ownerBrowser(shop.server);
});
afterAll(() => closeShop(shop));

const inAnHour = () => Date.now() + HOUR_MS;

async function create(browser: Browser, fields: object): Promise<TestResponse['body']> {
  const response = await browser.post(TOKENS, { name: 'CI', expiresAt: inAnHour(), ...fields });
  expect(response.status, response.text).toBe(201);
  return response.body;
}

const send = (token: string, method: string, path: string, body?: object) =>
  shop.server.call(method, path, {
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body }),
  });

it('a token is shown once, works, has a last use, and ends when it is revoked', async () => {
  const { token, id, prefix, lastFour } = await create(owner, { role: 'owner' });
  expect(token).toMatch(/^service_adm_[A-Za-z0-9]{38}$/);
  expect([token.startsWith(prefix), token.endsWith(lastFour)]).toEqual([true, true]);
  const me = await send(token, 'GET', '/v1/manage/me');
  expect(me.body).toMatchObject({ via: 'token', roles: { shop: 'owner', other: 'owner' } });
  // No origin is needed: no browser sends this header by itself.
  const path = '/v1/manage/properties/shop/invitations';
  expect((await send(token, 'POST', path, { email: 'a@b.example', role: 'viewer' })).status).toBe(201);
  await waitFor('the last use', async () => {
    const { tokens } = (await owner.get(TOKENS)).body;
    expect(JSON.stringify(tokens)).not.toContain(token);
    return tokens.find((one: { id: string }) => one.id === id).lastUsedAt !== null;
  });
  expect((await owner.delete(`${TOKENS}/${id}`)).status).toBe(200);
  expectProblem(await send(token, 'GET', '/v1/manage/me'), { status: 401, code: 'sign_in_required' });
});

it('a token cannot manage the account itself', async () => {
  const { token } = await create(owner, { role: 'owner' });
  const calls: [string, string, object?][] = [
    ['POST', TOKENS, { name: 'x', role: 'viewer', expiresAt: inAnHour() }],
    ['GET', TOKENS],
    ['PATCH', '/v1/manage/me', { name: 'x' }],
    ['GET', '/v1/manage/me/sessions'],
    ['DELETE', '/v1/manage/me/sessions/ses_x'],
    ['POST', '/v1/manage/me/two-factor'],
    ['DELETE', '/v1/manage/me/two-factor', { password: 'x' }],
    ['POST', '/v1/manage/sign-out'],
  ];
  for (const [method, path, body] of calls) {
    const response = await send(token, method, path, body);
    expectProblem(response, { status: 403, code: 'role_required' });
    expect(response.body.detail).toMatch(/Access tokens cannot/);
  }
});

it('a token is limited to its role and properties', async () => {
  const { token } = await create(owner, { role: 'viewer', properties: ['shop'] });
  const me = await send(token, 'GET', '/v1/manage/me');
  expect(me.body.roles).toEqual({ shop: 'viewer' });
  const members = '/v1/manage/properties/shop/members';
  expect((await send(token, 'GET', members)).status).toBe(200);
  expect((await send(token, 'GET', '/v1/manage/properties/other/members')).status).toBe(404);
  const put = await send(token, 'PUT', `${members}/acc_x`, { role: 'viewer' });
  expectProblem(put, { status: 403, code: 'role_required' });
  expectProblem(await send(token, 'GET', '/v1/manage/accounts'), { status: 403, code: 'role_required' });
  expect((await send(token, 'GET', '/v1/flags/list?propertyId=shop')).status).toBe(200);
  expect((await send(token, 'GET', '/v1/flags/list?propertyId=other')).status).toBe(404);
});

it('a token never has a higher role than its account, when created and later', async () => {
  const { browser: admin, accountId } = await newMember(owner, 'admin@shop.example', 'admin');
  const fields = { name: 'x', expiresAt: inAnHour() };
  const tooHigh = await admin.post(TOKENS, { ...fields, role: 'owner' });
  expectProblem(tooHigh, { status: 403, code: 'role_required' });
  const foreign = await admin.post(TOKENS, { ...fields, role: 'viewer', properties: ['other'] });
  expectProblem(foreign, { status: 400, code: 'invalid_request', pointers: ['/properties/0'] });
  const { token } = await create(admin, { role: 'admin' });
  const member = `/v1/manage/properties/shop/members/${accountId}`;
  expect((await owner.put(member, { role: 'viewer' })).body.role).toBe('viewer');
  expect((await send(token, 'GET', '/v1/manage/me')).body.roles).toEqual({ shop: 'viewer' });
  expect((await owner.delete(member)).status).toBe(200);
  expect((await send(token, 'GET', '/v1/manage/me')).body.roles).toEqual({});
  await owner.patch(`/v1/manage/accounts/${accountId}`, { disabled: true });
  expectProblem(await send(token, 'GET', '/v1/manage/me'), { status: 401, code: 'sign_in_required' });
});

it('a token expires, at the latest after a year', async () => {
  for (const expiresAt of [Date.now() - 1000, Date.now() + 400 * 24 * HOUR_MS]) {
    const response = await owner.post(TOKENS, { name: 'x', role: 'viewer', expiresAt });
    expectProblem(response, { status: 400, code: 'invalid_request', pointers: ['/expiresAt'] });
  }
  const { token } = await create(owner, { role: 'viewer' });
  clock.set(2 * HOUR_MS);
  expect((await send(token, 'GET', '/v1/manage/me')).status).toBe(401);
  clock.set(0);
});
