import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { type Browser, newMember, OWNER, ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { switchyard } from '@switchyard/testing/server/command-line';
import { bodyOf, errorOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let shop: Shop;
let owner: Browser;
let manager: PropertyManager;
beforeAll(async () => {
  shop = await openShop({ env: WITH_OWNER });
  owner = await ownerBrowser(shop.server);
  manager = new PropertyManager(owner);
});
afterAll(() => closeShop(shop));

/** Whether any file of the data directory contains a text, in any of its bytes. */
function isStored(text: string): boolean {
  return readdirSync(shop.server.dataDir, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .some(({ name }) => readFileSync(join(shop.server.dataDir, name)).includes(text));
}

const byPropertyId = (a: { propertyId: string }, b: { propertyId: string }) =>
  a.propertyId.localeCompare(b.propertyId);

const doctor = async () => (await switchyard(shop.server, 'doctor')).stdout;

describe('deleting an account', () => {
  it('leaves nothing of it in any file but a number', async () => {
    const email = 'grace.hopper@shop.example';
    const { browser, accountId, password } = await newMember(owner, email, 'editor');
    bodyOf(await browser.patch('/v1/manage/me', { name: 'Grace B. Hopper' }));
    const hers = new PropertyManager(browser);
    bodyOf(
      await hers.patch(
        `/flags/banner?comment=${encodeURIComponent(`for ${email}`)}`,
        { name: 'Banner for all' },
        '*',
      ),
    );
    const expiresAt = Date.now() + 1e6;
    const created = bodyOf(
      await browser.post('/v1/manage/me/tokens', { name: 'CI of Grace', role: 'editor', expiresAt }),
      201,
    );
    const byToken = {
      body: { name: 'Other' },
      headers: { authorization: `Bearer ${created.token}`, 'if-match': '*' },
    };
    bodyOf(await shop.server.call('PATCH', '/v1/manage/properties/shop/flags/banner', byToken));
    expect(isStored('hopper@')).toBe(true);

    expect(bodyOf(await owner.delete(`/v1/manage/accounts/${accountId}`))).toEqual({
      number: 1,
      remaining: [],
    });
    expect((await browser.get('/v1/manage/me')).status).toBe(401);
    expect((await browser.signIn(email, password)).status).toBe(401);
    for (const text of [email, 'Hopper', 'of Grace']) expect(isStored(text), text).toBe(false);
    const [removed, token, change] = await manager.history();
    expect(removed).toMatchObject({ action: 'delete', entity: { type: 'member', key: accountId } });
    expect(token).toMatchObject({ actor: { type: 'token', name: 'deleted account 1' }, redacted: true });
    expect(change).toMatchObject({
      actor: { id: accountId, name: 'deleted account 1' },
      comment: 'for [redacted]',
    });
    expect(await manager.history('?actor=deleted%20account%201')).not.toEqual([]);
    expect(await doctor()).toMatch(/^ok {4}History .*redacted: [1-9]\d*\n(.*\n)*ok {4}Access /m);
  });

  it('can be done by oneself, with the password', async () => {
    const { browser, password } = await newMember(owner, 'ida@shop.example', 'admin');
    bodyOf(await new PropertyManager(browser).patch('/flags/banner', { name: 'By Ida' }, '*'));
    expect((await browser.delete('/v1/manage/me', { password: 'wrong' })).status).toBe(401);
    expect(bodyOf(await browser.delete('/v1/manage/me', { password }))).toEqual({ number: 2, remaining: [] });
    expect(browser.cookies.size).toBe(0);
    expect(isStored('ida@shop.example')).toBe(false);
    const [removed] = await manager.history();
    expect(removed).toMatchObject({ entity: { type: 'member' }, actor: { name: 'deleted account 2' } });
  });

  it('says where the address remains', async () => {
    const email = 'joan@shop.example';
    const { accountId } = await newMember(owner, email, 'viewer');
    const conditions = [{ attribute: 'email', operator: 'equals', values: [email] }];
    const other = new PropertyManager(owner, 'other');
    for (const it of [manager, other]) bodyOf(await it.put('/segments/testers', { conditions }), 201);
    const createKey = () =>
      manager.post('/keys', { kind: 'secret', name: `for ${email}` }, { 'idempotency-key': 'once' });
    const key = bodyOf(await createKey(), 201);
    expect(bodyOf(await createKey(), 201)).toEqual({ ...key, key: null });
    const { remaining } = bodyOf(await owner.delete(`/v1/manage/accounts/${accountId}`));
    expect(remaining.sort(byPropertyId)).toEqual([
      { propertyId: 'other', items: ['segment "testers"'] },
      { propertyId: 'shop', items: ['segment "testers"', `key "${key.id}"`] },
    ]);
    // The kept response had the address, so the request is carried out again.
    errorOf(await createKey(), 409, 'already_exists');
  });

  it('works on the command line next to a server', async () => {
    await newMember(owner, 'mary@shop.example', 'viewer');
    const { stdout } = await switchyard(shop.server, 'users', 'delete', '--email', 'mary@shop.example');
    expect(stdout).toMatch(/^Deleted mary@shop.example. The history calls it "deleted account 4".$/m);
    expect(isStored('mary@shop.example')).toBe(false);
    const last = await switchyard(shop.server, 'users', 'delete', '--email', OWNER.email);
    expect(last).toMatchObject({ code: 1, stderr: expect.stringMatching(/last owner/) });
  });

  it('is refused for the last owner, and for accounts that do not exist', async () => {
    const { body } = await owner.get('/v1/manage/me');
    errorOf(await owner.delete(`/v1/manage/accounts/${body.account.id}`), 409, 'last_owner');
    errorOf(await owner.delete('/v1/manage/me', { password: OWNER.password }), 409, 'last_owner');
    expect((await owner.delete('/v1/manage/accounts/acc_none')).status).toBe(404);
  });
});

describe('redacting the history', () => {
  const ADA = 'ada@other.example';
  const redact = (body: object, query = '') => manager.post(`/history/redactions${query}`, body);

  it('names the entries, removes the text, and refuses to restore what is gone', async () => {
    const segment = (value: string) => ({
      conditions: [{ attribute: 'email', operator: 'equals', values: [value] }],
    });
    bodyOf(await manager.put('/segments/vip', segment(ADA)), 201);
    expect(errorOf(await redact({ text: ADA }), 409, 'in_use').detail).toContain('segment "vip"');
    bodyOf(await manager.put('/segments/vip', segment('x@other.example'), '*'));
    const planned = bodyOf(await redact({ text: ADA }, '?dryRun=true'));
    expect(planned).toMatchObject({ dryRun: true, entries: [{ action: 'create' }, { action: 'update' }] });
    expect(isStored(ADA)).toBe(true);
    expect(bodyOf(await redact({ text: ADA }))).toEqual({ ...planned, dryRun: false });
    expect(isStored(ADA)).toBe(false);
    const refused = await manager.post(`/history/${planned.entries[0].id}/restore`, { state: 'after' });
    const { detail } = errorOf(refused, 409, 'not_restorable');
    expect(detail).toContain('/conditions/0/values/0');
    expect(await doctor()).not.toMatch(/^fail/m);
  });

  it('works on the command line', async () => {
    const run = (...args: string[]) => switchyard(shop.server, 'redact', '--property', 'shop', ...args);
    const segment = (...values: string[]) => ({
      conditions: [{ attribute: 'email', operator: 'in', values }],
    });
    bodyOf(await manager.put('/segments/old', segment('kay@other.example', 'x@other.example')), 201);
    bodyOf(await manager.put('/segments/old', segment('x@other.example'), '*'));
    expect((await run('--emails', '--dry-run')).stdout).toMatch(
      / create segment old\n(.*\n)*Would redact entries: \d+, .*\nKept, .*x@other.example/,
    );
    expect(isStored('kay@other.example')).toBe(true);
    expect((await run('--emails')).stdout).toMatch(/^Redacted entries: \d+/m);
    expect(isStored('kay@other.example')).toBe(false);
    expect(await run()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/exactly one of --text and --emails/),
    });
  });
});
