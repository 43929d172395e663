import { closeShop, expectProblem, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { Browser, OWNER, ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { AdjustableClock } from '@switchyard/testing/time/adjustable-clock';
import { TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, it } from 'vitest';

const URL = '/v1/manage/me/two-factor';

let shop: Shop;
const clock = new AdjustableClock();
beforeAll(async () => {
  shop = await openShop({ env: WITH_OWNER, wrap: clock.wrap });
});
afterAll(() => closeShop(shop));

/** Minutes since the start of the test by the clock of the server: every code works once. */
let minute = 0;
const codeIn = (secret: string, later = 0): string => {
  minute += later;
  clock.set(minute * 60_000);
  return new TOTP({ secret }).generate({ timestamp: Date.now() + minute * 60_000 });
};

const failed = { status: 401, code: 'sign_in_failed' };

it('asks for a code that works once, accepts each recovery code once, and can be turned off', async () => {
  const browser = await ownerBrowser(shop.server);
  expect((await browser.get(URL)).body).toEqual({ enabled: false, recoveryCodes: 0 });
  const { secret, uri } = (await browser.post(URL)).body;
  expect(uri).toMatch(/^otpauth:\/\/totp\/Switchyard:owner%40shop\.example\?/);
  expect(uri).toContain(`secret=${secret}`);
  expectProblem(await browser.post(`${URL}/confirm`, { code: '000000x' }), failed);
  // Not confirmed, so not asked for.
  await ownerBrowser(shop.server);

  const before = browser.cookieHeader;
  const first = codeIn(secret);
  const { recoveryCodes } = (await browser.post(`${URL}/confirm`, { code: first })).body;
  expect(new Set(recoveryCodes).size).toBe(10);
  expect(browser.cookieHeader).not.toBe(before);
  expect((await browser.get(URL)).body).toEqual({ enabled: true, recoveryCodes: 10 });
  expectProblem(await browser.post(URL), { status: 409, code: 'already_exists' });

  const other = new Browser(shop.server);
  const withCode = (code?: string) => other.signIn(OWNER.email, OWNER.password, code);
  expectProblem(await withCode(), { status: 401, code: 'code_required' });
  expectProblem(await other.signIn(OWNER.email, 'wrong', first), failed);
  expectProblem(await withCode(first), failed);
  const next = codeIn(secret, 1);
  expect((await withCode(next)).status).toBe(200);
  expectProblem(await withCode(next), failed);
  const [one, two] = recoveryCodes;
  expect((await withCode(one.toUpperCase())).status).toBe(200);
  expectProblem(await withCode(one), failed);
  expect((await withCode(two.replaceAll('-', ''))).status).toBe(200);
  expect((await other.get(URL)).body.recoveryCodes).toBe(8);

  expectProblem(await browser.delete(URL, { password: 'wrong' }), failed);
  expectProblem(await browser.delete(URL, { code: '123' }), failed);
  expect((await browser.delete(URL, { code: codeIn(secret, 1) })).body.enabled).toBe(false);
  await ownerBrowser(shop.server);
});

it('of two sign-ins with the same code at the same time only one succeeds', async () => {
  const browser = await ownerBrowser(shop.server);
  const { secret } = (await browser.post(URL)).body;
  await browser.post(`${URL}/confirm`, { code: codeIn(secret, 1) });
  const code = codeIn(secret, 1);
  const both = await Promise.all(
    [1, 2].map(() => new Browser(shop.server).signIn(OWNER.email, OWNER.password, code)),
  );
  expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
  expect((await browser.delete(URL, { password: OWNER.password })).status).toBe(200);
});

it('wrong codes count as failed attempts, which the right password does not reset', async () => {
  const browser = await ownerBrowser(shop.server);
  const { secret } = (await browser.post(URL)).body;
  await browser.post(`${URL}/confirm`, { code: codeIn(secret, 1) });
  const guesser = new Browser(shop.server);
  let last = await guesser.signIn(OWNER.email, OWNER.password, 'abcd-efgh');
  for (let guess = 0; last.status === 401; guess++) {
    expect(guess).toBeLessThan(40);
    last = await guesser.signIn(OWNER.email, OWNER.password, ...(guess % 2 ? ['abcd-efgh'] : []));
  }
  expectProblem(last, { status: 429, code: 'rate_limited' });
});
