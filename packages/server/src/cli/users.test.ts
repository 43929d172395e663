import { closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { Browser, OWNER } from '@switchyard/testing/server/browser';
import { run, switchyard } from '@switchyard/testing/server/command-line';
import { BIN } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => closeShop(shop));

const users = (...args: string[]) => switchyard(shop.server, 'users', ...args);

/** Runs a command with a password on standard input. */
const withInput = (input: string, ...args: string[]) =>
  run(process.execPath, [BIN, 'users', ...args, '--password-stdin', '--data-dir', shop.server.dataDir], {
    cwd: shop.server.dataDir,
    input,
  });

describe('switchyard users', () => {
  it('creates an owner with the password from standard input', async () => {
    const created = await withInput(`${OWNER.password}\n`, 'create', '--email', OWNER.email, '--owner');
    expect(created).toMatchObject({ code: 0, stdout: `Created ${OWNER.email}.\n` });
    const signedIn = await new Browser(shop.server).signIn(OWNER.email, OWNER.password);
    expect(signedIn.body.account.isOwner).toBe(true);
    expect((await shop.server.call('GET', '/v1/manage/setup')).body.needsOwner).toBe(false);
  });

  it('creates a member with a generated password, which is printed once', async () => {
    const email = 'ada@shop.example';
    const args = ['create', '--email', email, '--property', 'shop', '--role', 'editor'];
    const { code, stdout, stderr } = await users(...args);
    expect([code, stderr]).toEqual([0, expect.stringContaining('shown only once')]);
    const browser = new Browser(shop.server);
    expect((await browser.signIn(email, stdout.trim())).status).toBe(200);
    expect((await browser.get('/v1/manage/me')).body.roles).toEqual({ shop: 'editor' });
    const again = await users(...args);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('already an account')]);
  });

  it('lists accounts without hashes', async () => {
    const { stdout } = await users('list');
    expect(stdout).toMatch(/^ID +EMAIL/);
    expect(stdout).toContain('ada@shop.example');
    const json = await users('list', '--json');
    expect(JSON.parse(json.stdout).accounts).toHaveLength(2);
    expect(stdout + json.stdout).not.toContain('argon2');
  });

  it('resets a password and ends the sessions', async () => {
    const browser = new Browser(shop.server);
    await browser.signIn(OWNER.email, OWNER.password);
    const next = 'the new password of the owner';
    expect((await withInput(next, 'reset-password', '--email', OWNER.email)).code).toBe(0);
    expect((await browser.get('/v1/manage/me')).status).toBe(401);
    expect((await browser.signIn(OWNER.email, next)).status).toBe(200);
    const short = await withInput('hunter2', 'reset-password', '--email', OWNER.email);
    expect([short.code, short.stderr]).toEqual([1, expect.stringContaining('12 to 256')]);
    expect(short.stderr).not.toContain('hunter2');
  });

  it('disables an account, but not the last owner', async () => {
    expect((await users('disable', '--email', 'ada@shop.example')).code).toBe(0);
    expect((await users('list')).stdout).toMatch(/ada@shop\.example.*disabled/);
    expect((await users('disable', '--email', 'ada@shop.example', '--undo')).code).toBe(0);
    const last = await users('disable', '--email', OWNER.email);
    expect([last.code, last.stderr]).toEqual([1, expect.stringContaining('last owner')]);
    const unknown = await users('disable', '--email', 'x@shop.example');
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('no account')]);
  });

  it.each([
    [['--email', 'nonsense'], 'not an email'],
    [['--email', 'a@b.example', '--property', 'nope'], 'There is no property'],
    [['--email', 'a@b.example', '--role', 'king'], 'Allowed choices'],
    [['--email', 'a@b.example', '--role', 'admin'], '--role needs --property'],
  ])('explains mistakes: %o', async (args, message) => {
    const { code, stderr } = await users('create', ...args);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });
});
