import { closeShop, expectProblem, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import {
  Browser,
  newMember,
  OWNER,
  ownerBrowser,
  tokenIn,
  WITH_OWNER,
} from '@switchyard/testing/server/browser';
import { AdjustableClock } from '@switchyard/testing/time/adjustable-clock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const DAY_MS = 86_400_000;
const SHOP = '/v1/manage/properties/shop';
const PASSWORD = 'correct horse battery staple';

let shop: Shop;
let owner: Browser;
const clock = new AdjustableClock();
beforeAll(async () => {
  shop = await openShop({ env: WITH_OWNER, wrap: clock.wrap });
  owner = await ownerBrowser(shop.server);
});
afterAll(() => closeShop(shop));

async function invite(email: string, role = 'viewer', by = owner): Promise<{ id: string; token: string }> {
  const { body } = await by.post(`${SHOP}/invitations`, { email, role });
  return { id: body.id, token: tokenIn(body.url) };
}

const accept = (token: string, fields: object = { password: PASSWORD }, browser = new Browser(shop.server)) =>
  browser.post('/v1/manage/invitations/accept', { token, ...fields });

const invalid = { status: 410, code: 'invitation_invalid' };

describe('invitations', () => {
  it('create an account and a membership, once', async () => {
    const { token } = await invite('Grace@Shop.example', 'editor');
    const browser = new Browser(shop.server);
    const lookup = await browser.post('/v1/manage/invitations/lookup', { token });
    expect(lookup.body).toMatchObject({
      property: { id: 'shop', name: 'Shop' },
      email: 'grace@shop.example',
      role: 'editor',
      accountExists: false,
    });
    const missing = await accept(token, {});
    expectProblem(missing, { status: 400, code: 'invalid_request', pointers: ['/password'] });
    const both = await Promise.all([
      accept(token, { name: 'Grace', password: PASSWORD }, browser),
      accept(token, { name: 'Mallory', password: PASSWORD }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 410]);
    expectProblem(await accept(token), invalid);
    const { members } = (await owner.get(`${SHOP}/members`)).body;
    expect(members).toContainEqual(
      expect.objectContaining({ email: 'grace@shop.example', role: 'editor', disabled: false }),
    );
    const { invitations } = (await owner.get(`${SHOP}/invitations`)).body;
    expect(invitations.map(({ email }: { email: string }) => email)).not.toContain('grace@shop.example');
  });

  it('of an existing account need that account to be signed in, and never lower its role', async () => {
    const { browser } = await newMember(owner, 'ada@shop.example', 'admin');
    const { token } = await invite('ada@shop.example', 'viewer');
    const lookup = await browser.post('/v1/manage/invitations/lookup', { token });
    expect(lookup.body.accountExists).toBe(true);
    expectProblem(await accept(token), { status: 401, code: 'sign_in_required' });
    expectProblem(await accept(token, {}, owner), { status: 401, code: 'sign_in_required' });
    expect((await accept(token, {}, browser)).status).toBe(200);
    expect((await browser.get('/v1/manage/me')).body.roles).toEqual({ shop: 'admin' });
  });

  it('end after 7 days, when revoked, and when the inviter may not invite any more', async () => {
    const expiring = await invite('late@shop.example');
    const revoked = await invite('revoked@shop.example');
    const { browser: admin, accountId } = await newMember(owner, 'temporary@shop.example', 'admin');
    const orphaned = await invite('orphaned@shop.example', 'viewer', admin);
    expect((await owner.delete(`${SHOP}/invitations/${revoked.id}`)).status).toBe(200);
    expect((await owner.delete(`${SHOP}/invitations/${revoked.id}`)).status).toBe(404);
    expectProblem(await accept(revoked.token), invalid);
    await owner.put(`${SHOP}/members/${accountId}`, { role: 'editor' });
    expectProblem(await accept(orphaned.token), invalid);
    clock.set(7 * DAY_MS + 1000);
    expectProblem(await accept(expiring.token), invalid);
    clock.set(0);
    expectProblem(await accept('nonsense'), invalid);
  });
});

describe('members', () => {
  it('are added by account id, changed and removed at once; sessions without access end', async () => {
    const { browser, accountId } = await newMember(owner, 'joan@shop.example', 'viewer');
    const path = `/v1/manage/properties/other/members/${accountId}`;
    expect((await owner.put(path, { role: 'editor' })).status).toBe(201);
    const changed = await owner.put(path, { role: 'admin' });
    expect([changed.status, changed.body.role]).toEqual([200, 'admin']);
    expect((await browser.get('/v1/manage/me')).body.roles).toEqual({ shop: 'viewer', other: 'admin' });
    expect((await owner.delete(path)).status).toBe(200);
    expect((await browser.get('/v1/manage/properties/other/members')).status).toBe(404);
    expect((await browser.get(`${SHOP}/members`)).status).toBe(200);
    expect((await owner.delete(`${SHOP}/members/${accountId}`)).status).toBe(200);
    expect((await browser.get('/v1/manage/me')).status).toBe(401);
    expect((await owner.delete(`${SHOP}/members/${accountId}`)).status).toBe(404);
    expect((await owner.put(`${SHOP}/members/acc_unknown`, { role: 'viewer' })).status).toBe(404);
  });
});

describe('accounts', () => {
  it('are listed in pages, oldest first', async () => {
    const emails: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body } = await owner.get(`/v1/manage/accounts?limit=2${cursor && `&cursor=${cursor}`}`);
      emails.push(...body.accounts.map(({ email }: { email: string }) => email));
      cursor = body.nextCursor;
    }
    expect(emails[0]).toBe(OWNER.email);
    expect(new Set(emails).size).toBe(emails.length);
    expect(emails).toEqual(expect.arrayContaining(['grace@shop.example', 'ada@shop.example']));
  });

  it('can be disabled and promoted, but one owner always remains', async () => {
    const { browser, accountId, password } = await newMember(owner, 'next@shop.example', 'viewer');
    const ownId = (await owner.get('/v1/manage/me')).body.account.id;
    for (const change of [{ disabled: true }, { owner: false }]) {
      const response = await owner.patch(`/v1/manage/accounts/${ownId}`, change);
      expectProblem(response, { status: 409, code: 'last_owner' });
    }
    const path = `/v1/manage/accounts/${accountId}`;
    const disabled = await owner.patch(path, { disabled: true, name: 'Next' });
    expect(disabled.body).toMatchObject({ name: 'Next', disabledAt: expect.any(Number) });
    expect((await browser.get('/v1/manage/me')).status).toBe(401);
    const refused = await browser.signIn('next@shop.example', password);
    expectProblem(refused, { status: 401, code: 'sign_in_failed' });
    await owner.patch(path, { disabled: false, owner: true });
    expect((await browser.signIn('next@shop.example', password)).body.account.isOwner).toBe(true);
    expect((await browser.patch(`/v1/manage/accounts/${ownId}`, { owner: false })).status).toBe(200);
    expect((await owner.get('/v1/manage/accounts')).status).toBe(403);
    expect((await browser.patch(`/v1/manage/accounts/${ownId}`, { owner: true })).status).toBe(200);
    // No session that was started with fewer rights becomes an owner's.
    expect((await owner.get('/v1/manage/me')).status).toBe(401);
    expect((await owner.signIn(OWNER.email, OWNER.password)).status).toBe(200);
    expect((await owner.patch('/v1/manage/accounts/acc_unknown', { name: 'x' })).status).toBe(404);
  });
});
