import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Browser, newMember, OWNER, ownerBrowser, WITH_OWNER } from '../../testing/browser.ts';
import { OidcProvider } from '../../testing/oidc-provider.ts';
import { closeShop, openShop, type Shop } from '../../testing/shop.ts';

const START = '/v1/manage/oidc/start';

let provider: OidcProvider;
let shop: Shop;
beforeAll(async () => {
  provider = await OidcProvider.start();
  const env = { OIDC_ALLOWED_DOMAINS: 'corp.example, other.example', OIDC_DEFAULT_ROLE: 'viewer' };
  shop = await openShop({ env: { ...WITH_OWNER, ...provider.env, ...env } });
});
afterAll(async () => {
  await closeShop(shop);
  await provider.stop();
});
beforeEach(() => {
  provider.claims = {};
  provider.userInfo = {};
});

/** Follows a redirect of the server by hand, with the cookies of the browser. */
async function visit(browser: Browser, url: string): Promise<string> {
  const response = await fetch(url, { redirect: 'manual', headers: { cookie: browser.cookieHeader } });
  for (const text of response.headers.getSetCookie()) {
    const [name = '', value = ''] = text.split(';')[0]!.split('=');
    if (value === '') browser.cookies.delete(name);
    else browser.cookies.set(name, value);
  }
  expect(response.status).toBe(302);
  return response.headers.get('location')!;
}

/** Signs in at the provider; returns where the browser ends up. */
async function signIn(browser: Browser, start = START): Promise<string> {
  const atProvider = await visit(browser, browser.server.url + start);
  expect(atProvider).toContain(`${provider.issuer}/authorize?`);
  const callback = await visit(new Browser(shop.server), atProvider);
  return visit(browser, callback);
}

const person = (name: string, fields: object = {}) => ({
  sub: `sub-${name}`,
  email: `${name}@corp.example`,
  email_verified: true,
  name,
  ...fields,
});

describe('signing in with OpenID Connect', () => {
  it('creates an account for an allowed domain, with the default role, and finds it again', async () => {
    provider.claims = person('Ida');
    const browser = new Browser(shop.server);
    expect((await browser.get('/v1/manage/setup')).body.oidc).toBe(true);
    expect(await signIn(browser, `${START}?returnTo=/p/shop/flags`)).toBe('/p/shop/flags');
    const me = (await browser.get('/v1/manage/me')).body;
    expect(me).toMatchObject({
      account: { email: 'ida@corp.example', name: 'Ida', hasPassword: false, isOwner: false },
      roles: { shop: 'viewer', other: 'viewer' },
    });
    // The subject identifies the account, whatever the email is by now.
    provider.claims = person('Ida', { email: 'renamed@corp.example' });
    const again = new Browser(shop.server);
    expect(await signIn(again)).toBe('/');
    expect((await again.get('/v1/manage/me')).body.account.id).toBe(me.account.id);
  });

  it('takes the email from the user information if the ID token has none', async () => {
    provider.claims = { sub: 'sub-uma' };
    provider.userInfo = person('uma');
    const browser = new Browser(shop.server);
    expect(await signIn(browser)).toBe('/');
    expect((await browser.get('/v1/manage/me')).body.account.email).toBe('uma@corp.example');
  });

  it.each([
    ['an email that is not verified', { email_verified: false }, 'oidc_failed'],
    ['no email', { email: undefined }, 'oidc_failed'],
    ['another domain', { email: 'x@corp.example.evil.example' }, 'oidc_not_allowed'],
    ['the wrong audience', { aud: 'another client' }, 'oidc_failed'],
    ['the wrong issuer', { iss: 'https://evil.example' }, 'oidc_failed'],
    ['the wrong nonce', { nonce: 'replayed' }, 'oidc_failed'],
    ['an expired token', { exp: 1_000_000 }, 'oidc_failed'],
  ])('refuses %s', async (_what, fields, error) => {
    provider.claims = person('eve', fields);
    const browser = new Browser(shop.server);
    expect(await signIn(browser)).toBe(`/sign-in?error=${error}`);
    expect(browser.cookies.size).toBe(0);
  });

  it('refuses a response that this browser did not ask for', async () => {
    provider.claims = person('mallory');
    const [attacker, victim] = [new Browser(shop.server), new Browser(shop.server)];
    const callback = await visit(attacker, await visit(attacker, shop.server.url + START));
    expect(await visit(victim, callback)).toBe('/sign-in?error=oidc_failed');
    await visit(victim, shop.server.url + START);
    expect(await visit(victim, callback)).toBe('/sign-in?error=oidc_failed');
    expect(victim.cookies.size).toBe(0);
  });

  it.each(['//evil.example', '/\\evil.example', 'https://evil.example'])(
    'never leads to another site: %s',
    async (returnTo) => {
      provider.claims = person('ida', { sub: 'sub-Ida' });
      const start = `${START}?returnTo=${encodeURIComponent(returnTo)}`;
      expect(await signIn(new Browser(shop.server), start)).toBe('/');
    },
  );

  it('takes over an existing account: an owner keeps the password, others do not', async () => {
    const owner = await ownerBrowser(shop.server);
    const { browser: old, password } = await newMember(owner, 'max@corp.example', 'editor');
    provider.claims = person('max');
    const browser = new Browser(shop.server);
    expect(await signIn(browser)).toBe('/');
    expect((await browser.get('/v1/manage/me')).body.roles).toEqual({ shop: 'editor' });
    expect((await old.get('/v1/manage/me')).status).toBe(401);
    expect((await old.signIn('max@corp.example', password)).status).toBe(401);
    // Linked to one identity: another one with the same email is refused.
    provider.claims = person('max', { sub: 'somebody else' });
    expect(await signIn(new Browser(shop.server))).toBe('/sign-in?error=oidc_not_allowed');
    provider.claims = person('owner', { email: OWNER.email });
    expect(await signIn(new Browser(shop.server))).toBe('/');
    await ownerBrowser(shop.server);
  });

  it('refuses disabled accounts', async () => {
    const owner = await ownerBrowser(shop.server);
    provider.claims = person('leaver');
    const browser = new Browser(shop.server);
    await signIn(browser);
    const { id } = (await browser.get('/v1/manage/me')).body.account;
    await owner.patch(`/v1/manage/accounts/${id}`, { disabled: true });
    expect(await signIn(browser)).toBe('/sign-in?error=oidc_not_allowed');
  });
});

describe('OpenID Connect without allowed domains', () => {
  it('lets in only existing accounts', async () => {
    const server = await openShop({ env: { ...WITH_OWNER, ...provider.env } });
    provider.claims = person('new');
    expect(await signIn(new Browser(server.server))).toBe('/sign-in?error=oidc_not_allowed');
    provider.claims = person('owner', { email: OWNER.email });
    const browser = new Browser(server.server);
    expect(await signIn(browser)).toBe('/');
    expect((await browser.get('/v1/manage/me')).body.account.isOwner).toBe(true);
    await closeShop(server);
  });

  it('reports a provider that fails, without secrets', async () => {
    const other = await OidcProvider.start();
    const { env } = other;
    const server = await openShop({ env: { ...WITH_OWNER, ...env } });
    await other.stop();
    const browser = new Browser(server.server);
    expect(await visit(browser, server.server.url + START)).toBe('/sign-in?error=oidc_failed');
    expect(server.server.log).toContain('sign-in with OpenID Connect failed');
    expect(server.server.log).not.toContain('the secret of the client');
    await closeShop(server);
  });

  it('has no routes without settings', async () => {
    const server = await openShop();
    expect((await server.server.send('GET', START)).status).toBe(404);
    await closeShop(server);
  });
});
