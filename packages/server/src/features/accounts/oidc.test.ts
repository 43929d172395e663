import { closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { Browser, newMember, OWNER, ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { OidcProvider } from '@switchyard/testing/sign-in/oidc-provider';
import { SigningKey } from '@switchyard/testing/sign-in/signing-key';
import { AdjustableClock } from '@switchyard/testing/time/adjustable-clock';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

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
  expect(atProvider).toContain('/authorize?');
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
    ['another authorized party', { azp: 'another client' }, 'oidc_failed'],
    ['several audiences', { aud: ['switchyard', 'another client'] }, 'oidc_failed'],
    ['the wrong nonce', { nonce: 'replayed' }, 'oidc_failed'],
    ['an expired token', { exp: 1_000_000 }, 'oidc_failed'],
  ])('refuses %s', async (_what, fields, error) => {
    provider.claims = person('eve', fields);
    const browser = new Browser(shop.server);
    expect(await signIn(browser)).toBe(`/sign-in?error=${error}`);
    expect(browser.cookies.size).toBe(0);
  });

  it.each([
    'x@evil.example@corp.example',
    '"x@evil.example"@corp.example',
    'x@corp.example\n',
    'x\r\nbcc: y@corp.example',
    'x\u0000@corp.example',
    'x\u200b@corp.example',
    ' x@corp.example',
    'x@\u212aorp.example',
    'x@corp..example',
    'x@corp.example.',
    'x@[corp.example]',
    '@corp.example',
    'x@',
    `${'x'.repeat(250)}@corp.example`,
  ])('refuses the address %j', async (email) => {
    provider.claims = person('eve', { email, sub: email });
    const browser = new Browser(shop.server);
    expect(await signIn(browser)).toBe('/sign-in?error=oidc_failed');
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

describe('the signature of the ID token', () => {
  const LATER_MS = 90_000;
  const clock = new AdjustableClock();
  let signer: OidcProvider;
  let server: Shop;
  let offset = 0;
  beforeAll(async () => {
    signer = await OidcProvider.start();
    const env = { ...WITH_OWNER, ...signer.env, OIDC_ALLOWED_DOMAINS: 'corp.example' };
    server = await openShop({ env, wrap: clock.wrap });
  });
  afterAll(async () => {
    await closeShop(server);
    await signer.stop();
  });
  beforeEach(() => {
    signer.claims = person('signer', { exp: Math.floor(Date.now() / 1000) + 86_400 });
  });
  afterEach(() => {
    signer.forger = undefined;
    signer.claimedAlgorithm = undefined;
  });
  const later = () => {
    offset += LATER_MS;
    clock.set(offset);
  };
  const attempt = () => signIn(new Browser(server.server));

  it.each(['RS256', 'PS256', 'ES256', 'EdDSA'] as const)('is verified: %s', async (algorithm) => {
    signer.rotateKey(algorithm);
    later();
    expect(await attempt()).toBe('/');
    signer.forger = new SigningKey(algorithm);
    expect(await attempt()).toBe('/sign-in?error=oidc_failed');
  });

  it.each(['HS256', 'none'] as const)('must not be %s, whatever the provider supports', async (algorithm) => {
    expect(await attempt()).toBe('/');
    signer.claimedAlgorithm = algorithm;
    expect(await attempt()).toBe('/sign-in?error=oidc_failed');
  });

  it('is verified with cached keys; an unknown key has them fetched again, at most once a minute', async () => {
    signer.rotateKey();
    later();
    expect(await attempt()).toBe('/');
    const { keyRequests } = signer;
    expect(await attempt()).toBe('/');
    expect(signer.keyRequests).toBe(keyRequests);
    later();
    signer.rotateKey();
    expect(await attempt()).toBe('/');
    expect(signer.keyRequests).toBe(keyRequests + 1);
    signer.rotateKey();
    clock.freeze(Date.now() + offset);
    for (let i = 0; i < 3; i++) expect(await attempt()).toBe('/sign-in?error=oidc_failed');
    expect(signer.keyRequests).toBe(keyRequests + 1);
    later();
    expect(await attempt()).toBe('/');
  });
});

describe('a callback', () => {
  afterEach(() => {
    provider.repeatsCodes = false;
  });

  /** A browser that was sent back by the provider, and to where. */
  async function returning(server = shop.server) {
    provider.repeatsCodes = true;
    provider.claims = person('once', { exp: Math.floor(Date.now() / 1000) + 86_400 });
    const browser = new Browser(server);
    const callback = await visit(browser, await visit(browser, server.url + START));
    return { browser, callback, cookies: new Map(browser.cookies) };
  }

  function repeated(cookies: ReadonlyMap<string, string>): Browser {
    const browser = new Browser(shop.server);
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    return browser;
  }

  it('works once, even with the same cookie and a code that the provider accepts again', async () => {
    const { browser, callback, cookies } = await returning();
    expect(await visit(browser, callback)).toBe('/');
    expect(await visit(repeated(cookies), callback)).toBe('/sign-in?error=oidc_failed');
  });

  it('works once when it is called several times at once', async () => {
    const { callback, cookies } = await returning();
    const ends = await Promise.all([1, 2, 3].map(() => visit(repeated(cookies), callback)));
    expect(ends.sort()).toEqual(['/', '/sign-in?error=oidc_failed', '/sign-in?error=oidc_failed']);
  });

  it('does not work after it failed', async () => {
    const { browser, callback, cookies } = await returning();
    provider.claims = person('once', { nonce: 'another' });
    expect(await visit(browser, callback)).toBe('/sign-in?error=oidc_failed');
    provider.claims = person('once');
    expect(await visit(repeated(cookies), callback)).toBe('/sign-in?error=oidc_failed');
  });

  it('does not work with a cookie that the server did not set', async () => {
    const { callback, cookies } = await returning();
    const start = JSON.parse(Buffer.from(cookies.get('switchyard_oidc')!, 'base64url').toString());
    const changed = Buffer.from(JSON.stringify({ ...start, returnTo: '/p/other' })).toString('base64url');
    const end = await visit(repeated(new Map([['switchyard_oidc', changed]])), callback);
    expect(end).toBe('/sign-in?error=oidc_failed');
  });

  it('does not work after ten minutes', async () => {
    const clock = new AdjustableClock();
    const env = { ...WITH_OWNER, ...provider.env, OIDC_ALLOWED_DOMAINS: 'corp.example' };
    const slow = await openShop({ env, wrap: clock.wrap });
    const { browser, callback } = await returning(slow.server);
    clock.set(11 * 60_000);
    expect(await visit(browser, callback)).toBe('/sign-in?error=oidc_failed');
    await closeShop(slow);
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
