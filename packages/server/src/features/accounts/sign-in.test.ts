import { closeShop, expectProblem, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { Browser, OWNER, ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { discard, startServer } from '@switchyard/testing/server/test-server';
import { AdjustableClock } from '@switchyard/testing/time/adjustable-clock';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const DAY_MS = 86_400_000;

describe('setup', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await openShop();
  });
  afterAll(() => closeShop(shop));

  it('creates the first owner, once, and signs in', async () => {
    const browser = new Browser(shop.server);
    expect((await browser.get('/v1/manage/setup')).body).toEqual({ needsOwner: true, oidc: false });
    const tooShort = { email: 'a@b.example', password: 'hunter2' };
    const refused = await browser.post('/v1/manage/setup', tooShort);
    expectProblem(refused, { status: 400, code: 'invalid_request', pointers: ['/password'] });
    expect(refused.text).not.toContain('hunter2');
    // Of two at the same time, one wins.
    const other = new Browser(shop.server);
    const both = await Promise.all([
      browser.post('/v1/manage/setup', { ...OWNER, email: 'Owner@Shop.example', name: 'Olga' }),
      other.post('/v1/manage/setup', { ...OWNER, email: 'second@shop.example' }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await browser.get('/v1/manage/setup')).body.needsOwner).toBe(false);
    const again = await browser.post('/v1/manage/setup', OWNER);
    expectProblem(again, { status: 409, code: 'already_set_up' });
    const winner = both[0].status === 200 ? browser : other;
    const me = await winner.get('/v1/manage/me');
    expect(me.body).toMatchObject({
      account: { isOwner: true, hasPassword: true, twoFactor: false },
      via: 'dashboard',
      roles: { shop: 'owner', other: 'owner' },
    });
    expect(me.body.account.email).toBe(me.body.account.email.toLowerCase());
    expect(me.headers.get('cache-control')).toBe('no-store');
  });
});

describe('signing in', () => {
  let shop: Shop;
  const clock = new AdjustableClock();
  beforeAll(async () => {
    shop = await openShop({ env: WITH_OWNER, wrap: clock.wrap });
  });
  afterAll(() => closeShop(shop));

  it('sets an HttpOnly cookie; signing out ends the session', async () => {
    const browser = new Browser(shop.server);
    const response = await browser.signIn('OWNER@shop.example', OWNER.password);
    expect(response.body.account).toMatchObject({ email: OWNER.email, isOwner: true });
    const [cookie] = response.headers.getSetCookie();
    expect(cookie).toMatch(
      /^switchyard_session=[\w-]{43}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Lax$/,
    );
    const stolen = new Browser(shop.server);
    for (const [name, value] of browser.cookies) stolen.cookies.set(name, value);
    expect((await browser.post('/v1/manage/sign-out')).body).toEqual({ success: true });
    expect(browser.cookies.size).toBe(0);
    expectProblem(await stolen.get('/v1/manage/me'), { status: 401, code: 'sign_in_required' });
  });

  it('gives the same response for unknown accounts and wrong passwords', async () => {
    const browser = new Browser(shop.server);
    const wrong = await browser.signIn(OWNER.email, 'not the password');
    const unknown = await browser.signIn('nobody@shop.example', 'not the password');
    const without = ({ body: { requestId: _, ...body } }: { body: Record<string, unknown> }) => body;
    expectProblem(wrong, { status: 401, code: 'sign_in_failed' });
    expect(without(wrong)).toEqual(without(unknown));
    expect(wrong.headers.getSetCookie()).toEqual([]);
  });

  it('replaces the session that the browser had', async () => {
    const browser = await ownerBrowser(shop.server);
    const before = browser.cookieHeader;
    await browser.signIn(OWNER.email, OWNER.password);
    expect(browser.cookieHeader).not.toBe(before);
    const old = await shop.server.call('GET', '/v1/manage/me', { headers: { cookie: before } });
    expectProblem(old, { status: 401, code: 'sign_in_required' });
  });

  it('throttles failures per account with growing waits, and tells how long', async () => {
    const browser = new Browser(shop.server);
    let failures = 0;
    let last = await browser.signIn('target@shop.example', 'guess number 0');
    // The first waits are short: on a slow machine they may be over before the next guess.
    for (; last.status === 401; failures++) {
      expect(failures).toBeLessThan(20);
      last = await browser.signIn('TARGET@shop.example', `guess number ${failures}`);
    }
    expect(failures).toBeGreaterThanOrEqual(10);
    expectProblem(last, { status: 429, code: 'rate_limited' });
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    // Others are not affected.
    await ownerBrowser(shop.server);
  });

  it('lists the sessions of the account and ends one', async () => {
    const [first, second] = [await ownerBrowser(shop.server), await ownerBrowser(shop.server)];
    const { sessions } = (await first.get('/v1/manage/me/sessions')).body;
    expect(sessions.filter(({ current }: { current: boolean }) => current)).toHaveLength(1);
    const mine = (await second.get('/v1/manage/me/sessions')).body.sessions.find(
      ({ current }: { current: boolean }) => current,
    );
    expect(mine).toMatchObject({ address: '127.0.0.1', userAgent: 'node' });
    expect((await first.delete(`/v1/manage/me/sessions/${mine.id}`)).status).toBe(200);
    expectProblem(await second.get('/v1/manage/me'), { status: 401, code: 'sign_in_required' });
    const missing = await first.delete(`/v1/manage/me/sessions/${mine.id}`);
    expectProblem(missing, { status: 404, code: 'not_found' });
  });

  it('a new password ends all other sessions and replaces the cookie', async () => {
    const [first, second] = [await ownerBrowser(shop.server), await ownerBrowser(shop.server)];
    const before = first.cookieHeader;
    const next = 'a completely new password';
    const wrong = await first.patch('/v1/manage/me', { password: { current: 'wrong', next } });
    expectProblem(wrong, { status: 401, code: 'sign_in_failed' });
    const changed = await first.patch('/v1/manage/me', {
      name: 'Olga',
      password: { current: OWNER.password, next },
    });
    expect(changed.body.account.name).toBe('Olga');
    expect(first.cookieHeader).not.toBe(before);
    expect((await first.get('/v1/manage/me')).status).toBe(200);
    expect((await second.get('/v1/manage/me')).status).toBe(401);
    expect((await new Browser(shop.server).signIn(OWNER.email, OWNER.password)).status).toBe(401);
    const back = { password: { current: next, next: OWNER.password } };
    expect((await first.patch('/v1/manage/me', back)).status).toBe(200);
  });

  it('sessions end after 14 days without use, and after 90 days in any case', async () => {
    const [idle, used] = [await ownerBrowser(shop.server), await ownerBrowser(shop.server)];
    for (let day = 13; day < 90; day += 13) {
      clock.set(day * DAY_MS);
      expect((await used.get('/v1/manage/me')).status, `day ${day}`).toBe(200);
      await waitFor('the time of the last use', async () => {
        const { sessions } = (await used.get('/v1/manage/me/sessions')).body;
        return sessions[0].current && sessions[0].lastSeenAt > Date.now() + (day - 1) * DAY_MS;
      });
    }
    expect((await idle.get('/v1/manage/me')).status).toBe(401);
    clock.set(90 * DAY_MS + 60_000);
    expect((await used.get('/v1/manage/me')).status).toBe(401);
    clock.set(0);
  });
});

describe('the first owner from the settings', () => {
  it('is created once: later values change nothing', async () => {
    const server = await startServer({ env: WITH_OWNER });
    await server.stop();
    const env = { ADMIN_EMAIL: OWNER.email, ADMIN_PASSWORD: 'another password altogether' };
    const restarted = await startServer({ dataDir: server.dataDir, env });
    const browser = new Browser(restarted);
    expect((await browser.signIn(OWNER.email, env.ADMIN_PASSWORD)).status).toBe(401);
    expect((await browser.signIn(OWNER.email, OWNER.password)).status).toBe(200);
    await discard(restarted);
  });

  it.each([
    [{ ADMIN_EMAIL: 'owner', ADMIN_PASSWORD: OWNER.password }, 'ADMIN_EMAIL'],
    [{ ADMIN_EMAIL: OWNER.email, ADMIN_PASSWORD: 'hunter2' }, 'ADMIN_PASSWORD'],
    [{ ADMIN_EMAIL: OWNER.email }, 'ADMIN_PASSWORD'],
    [{ OIDC_ISSUER: 'http://provider.example' }, 'OIDC_ISSUER'],
    [{ OIDC_ISSUER: 'https://provider.example', OIDC_CLIENT_ID: 'x' }, 'OIDC_CLIENT_SECRET'],
    [{ OIDC_ALLOWED_DOMAINS: 'corp.example' }, 'OIDC_ALLOWED_DOMAINS'],
  ])('a bad value stops the start and is named: %o', async (env, name) => {
    const error: Error = await startServer({ env }).catch((reason) => reason);
    expect(error.message).toContain(name);
    expect(error.message).not.toContain('hunter2');
  });
});
