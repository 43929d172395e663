import { Browser, OWNER, tokenIn } from '@switchyard/testing/server/browser';
import { authenticatorCode } from '@switchyard/testing/sign-in/authenticator';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { Dashboard, expectUsable, signIn } from '../support/dashboard.ts';

const dashboard = await Dashboard.open({ provision: { properties: [{ id: 'shop', name: 'Shop' }] } });

/** As the members of the tests get it. */
const passwordOf = (email: string) => `the password of ${email}`;

async function invite(email: string): Promise<string> {
  const { body } = await dashboard.owner.post('/v1/manage/properties/shop/invitations', {
    email,
    role: 'editor',
  });
  return `/invitation#token=${tokenIn(body.url)}`;
}

/** With all its lists: a list that arrives while a test clicks moves the button away from under the pointer. */
async function accountPage(as?: Browser): Promise<Page> {
  const page = await dashboard.newPage('/account', as);
  await page.getByText('this one').waitFor();
  await expect.poll(() => page.getByRole('status', { name: /^Loading/ }).count()).toBe(0);
  return page;
}

describe.skipIf(dashboard.isMissing)('the account page', () => {
  it('turns two-factor on, and signing in asks for a code', async () => {
    const email = 'careful@shop.example';
    const page = await accountPage(await dashboard.member(email, 'viewer'));
    await page.getByRole('button', { name: 'Turn on two-factor' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Turn on two-factor' }).click();
    const shown = await page.getByRole('figure', { name: 'the secret' }).textContent();
    expect(shown).toMatch(/^\w{4}( \w{1,4})+$/);
    const secret = shown!.replaceAll(' ', '');
    await page.getByLabel('Code').fill('000000');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Code').fill(authenticatorCode(secret));
    await page.getByRole('button', { name: 'Confirm' }).click();
    const codes = await page.getByRole('figure', { name: 'the recovery codes' }).textContent();
    expect(codes!.trim().split('\n')).toHaveLength(10);

    const other = await dashboard.newPage('/sign-in', null);
    await signIn(other, email, passwordOf(email));
    await other.getByLabel('Code').fill(authenticatorCode(secret, 30));
    await other.getByRole('button', { name: 'Sign in', exact: true }).click();
    await other.waitForURL('**/p/shop/overview');

    await page.getByLabel('Your password').fill('wrong');
    await page.getByRole('button', { name: 'Turn off two-factor' }).click();
    await page.getByText('is wrong').waitFor();
    await page.getByLabel('Your password').fill(passwordOf(email));
    await page.getByRole('button', { name: 'Turn off two-factor' }).click();
    await page.getByRole('button', { name: 'Turn on two-factor' }).waitFor();
    dashboard.ignoreProblems(/40[13].*(two-factor|sign-in)/);
  });

  it('creates an access token that is shown once, and revokes it after a question', async () => {
    const page = await accountPage();
    await page.getByRole('button', { name: 'New access token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Deployment');
    await dialog.getByRole('button', { name: 'Create token' }).click();
    const token = (await page.getByRole('figure', { name: 'the token' }).textContent())!.trim();
    const headers = { authorization: `Bearer ${token}` };
    expect((await dashboard.server.call('GET', '/v1/manage/me', { headers })).status).toBe(200);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('button', { name: 'Revoke the token “Deployment”' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Revoke the token “Deployment”' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No access tokens').waitFor();
    expect((await dashboard.server.call('GET', '/v1/manage/me', { headers })).status).toBe(401);
  });

  it('changes the password and signs out other browsers', async () => {
    const email = 'forgetful@shop.example';
    const page = await accountPage(await dashboard.member(email, 'viewer'));
    const other = new Browser(dashboard.server);
    await other.signIn(email, passwordOf(email));
    await page.getByLabel('Current password').fill('not my password');
    await page.getByLabel('New password').fill('a much better one');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Current password').fill(passwordOf(email));
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('The password is changed').waitFor();
    expect((await other.get('/v1/manage/me')).status).toBe(401);
    expect((await other.signIn(email, 'a much better one')).status).toBe(200);
    await page.getByLabel('Name', { exact: true }).fill('Forgetful');
    await page.getByRole('button', { name: 'Save name' }).click();
    await page.getByText('Saved.').waitFor();
    dashboard.ignoreProblems(/40[013]/);
  });

  it('lets owners delete an account after a question, and everybody their own', async () => {
    const email = 'deleted@shop.example';
    await dashboard.member(email, 'viewer');
    const page = await accountPage();
    await page.getByRole('button', { name: `Delete ${email}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).click();
    await expect.poll(() => page.getByText(email).count()).toBe(0);

    const own = 'deletes-herself@shop.example';
    const herPage = await accountPage(await dashboard.member(own, 'viewer'));
    await herPage.getByLabel('The password of this account').fill(passwordOf(own));
    await herPage.getByRole('button', { name: 'Delete my account' }).click();
    await herPage.waitForURL('**/sign-in**');
    expect((await dashboard.owner.get('/v1/manage/accounts')).text).not.toContain('delete');
    dashboard.ignoreProblems(/401/);
  });

  it('lets owners disable an account after a question, and signs out', async () => {
    const email = 'leaving@shop.example';
    const member = await dashboard.member(email, 'viewer');
    const page = await accountPage();
    await page.getByRole('button', { name: `Disable ${email}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: `Enable ${email}` }).waitFor();
    expect((await member.get('/v1/manage/me')).status).toBe(401);

    const signedIn = new Browser(dashboard.server);
    await signedIn.signIn(OWNER.email, OWNER.password);
    const own = await accountPage(signedIn);
    await own.route('**/sign-out', (route) => route.abort());
    await own.getByRole('button', { name: 'Sign out', exact: true }).click();
    await own.getByText('Cannot sign out').waitFor();
    await own.unrouteAll();
    await own.getByRole('button', { name: 'Sign out', exact: true }).click();
    await own.waitForURL('**/sign-in');
    expect((await signedIn.get('/v1/manage/me')).status).toBe(401);
    dashboard.ignoreProblems(/ERR_FAILED/);
  });
});

describe.skipIf(dashboard.isMissing)('an invitation', () => {
  it('creates an account and opens the property', async () => {
    const page = await dashboard.newPage(await invite('new@shop.example'), null);
    await page.getByText('new@shop.example is invited to').waitFor();
    await page.getByLabel('Name').fill('Newcomer');
    await page.getByLabel('Password', { exact: true }).fill('a password of my own');
    await page.getByRole('button', { name: 'Accept invitation' }).click();
    await page.waitForURL('**/p/shop/overview');
    await page.getByRole('button', { name: 'Account: Newcomer' }).waitFor();
  });

  it('is accepted by an existing account, and works once', async () => {
    const email = 'known@shop.example';
    await dashboard.member(email, 'viewer');
    const link = await invite(email);
    const page = await dashboard.newPage(link, null);
    await page.getByText('This account exists').waitFor();
    await signIn(page, email, passwordOf(email));
    await page.waitForURL('**/p/shop/overview');
    const again = await dashboard.newPage(link, null);
    await again.getByText('This invitation cannot be used').waitFor();
    dashboard.ignoreProblems(/40[04]|410/);
  });
});

describe.skipIf(dashboard.isMissing)('a new property', () => {
  it('is created by an owner, who lands on it; a taken id is reported', async () => {
    const page = await dashboard.newPage('/new-property');
    await page.getByLabel('Name').fill('Shop');
    await page.getByRole('button', { name: 'Create property' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Name').fill('Second shop');
    expect(await page.getByLabel('Id').inputValue()).toBe('second-shop');
    await page.getByRole('button', { name: 'Create property' }).click();
    await page.waitForURL('**/p/second-shop/overview');
    await page.getByRole('button', { name: 'Property: Second shop' }).waitFor();
    dashboard.ignoreProblems(/409/);
  });

  it('is not for members, who are told so', async () => {
    const page = await dashboard.newPage(
      '/new-property',
      await dashboard.member('member@shop.example', 'admin'),
    );
    await page.getByText('Only owners create properties').waitFor();
  });
});

describe.skipIf(dashboard.isMissing)('an expired session', () => {
  it('asks to sign in again on top of the page, and the unsaved draft is still there', async () => {
    const email = 'away@shop.example';
    const client = await dashboard.member(email, 'admin');
    const page = await dashboard.shopPage('settings', client);
    await page.getByLabel('Name', { exact: true }).fill('A better shop');
    await client.post('/v1/manage/sign-out');
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has expired' });
    await dialog.waitFor();
    await expectUsable(page, 'expired session');
    await signIn(page, email, passwordOf(email));
    await dialog.waitFor({ state: 'detached' });
    // The request that was refused is repeated.
    await page.getByText('Name: “Shop” → “A better shop”').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('No unsaved changes').waitFor();
    const { body } = await dashboard.owner.get('/v1/manage/properties/shop');
    expect(body.name).toBe('A better shop');
    // A browser forgets an old cookie by itself.
    await page.context().clearCookies();
    await page.getByRole('navigation').getByRole('link', { name: 'Goals' }).click();
    await dialog.waitFor();
    await signIn(page, email, passwordOf(email));
    await dialog.waitFor({ state: 'detached' });
    dashboard.ignoreProblems(/401/);
  });

  it('does not repeat a request with another account, which sees no draft of the first', async () => {
    const [email, other] = ['first@shop.example', 'other@shop.example'];
    const client = await dashboard.member(email, 'admin');
    await dashboard.member(other, 'admin');
    const page = await dashboard.shopPage('settings', client);
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('The shop of the first');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('→ “The shop of the first”').waitFor();
    await client.post('/v1/manage/sign-out');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog', { name: 'Your session has expired' }).waitFor();
    await signIn(page, other, passwordOf(other));
    await page.getByRole('button', { name: `Account: ${other}` }).waitFor();
    await page.getByText('No unsaved changes').waitFor();
    const { body } = await dashboard.owner.get('/v1/manage/properties/shop');
    expect(body.name).not.toBe('The shop of the first');
    expect(await name.inputValue()).toBe(body.name);
    dashboard.ignoreProblems(/401/);
  });
});

describe.skipIf(dashboard.isMissing)('pages about accounts', () => {
  it('are accessible in both themes and fit a phone', async () => {
    const page = await accountPage();
    await page.getByRole('button', { name: 'Turn on two-factor' }).click();
    await page.getByRole('figure', { name: 'the secret' }).waitFor();
    await page.getByRole('heading', { level: 2, name: 'All accounts' }).waitFor();
    await expectUsable(page);
    await page.getByRole('button', { name: 'New access token' }).click();
    await page.getByRole('dialog').getByLabel('Name').waitFor();
    await expectUsable(page, 'new token');
    await page.goto('/new-property');
    await page.getByLabel('Name').waitFor();
    await expectUsable(page);
    await page.goto('/p/shop/nowhere');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expectUsable(page);
    await page.goto(await invite('phone@shop.example'));
    await page.getByRole('button', { name: 'Accept invitation' }).waitFor();
    await expectUsable(page);
  });
});
