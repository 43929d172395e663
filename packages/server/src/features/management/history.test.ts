import { SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { newMember, OWNER, ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, errorOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let shop: Shop;
let owner: PropertyManager;
beforeAll(async () => {
  shop = await openShop({ env: WITH_OWNER });
  owner = new PropertyManager(await ownerBrowser(shop.server));
});
afterAll(() => closeShop(shop));

const newest = async (query: string) => (await owner.history(`?limit=1&${query}`))[0];
const restore = (id: string, state?: string) =>
  owner.post(`/history/${id}/restore`, state === undefined ? undefined : { state });

describe('the history', () => {
  it('has who, how, why and what', async () => {
    const { account } = bodyOf(await owner.browser.get('/v1/manage/me'));
    const before = await owner.read('/goals/signup');
    const url = `/goals/signup?comment=${encodeURIComponent('Clearer “name”')}`;
    const after = bodyOf(await owner.patch(url, { name: 'Registrations' }, before.version));
    expect(await newest('')).toEqual({
      id: expect.stringMatching(/^chg_/),
      at: expect.any(Number),
      orderedAt: expect.any(Number),
      redacted: false,
      actor: { type: 'account', id: account.id, name: account.name },
      via: 'dashboard',
      entity: { type: 'goal', key: 'signup' },
      action: 'update',
      comment: 'Clearer “name”',
      changes: [{ pointer: '/name', before: 'Sign-ups', after: 'Registrations' }],
      summary: ['Goal signup – Name: “Sign-ups” → “Registrations”'],
      version: after.version,
      propertyVersion: (await owner.read('')).version,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const expiresAt = Date.now() + 60_000;
    const token = bodyOf(
      await owner.browser.post('/v1/manage/me/tokens', { name: 'CI', role: 'owner', expiresAt }),
      201,
    );
    const headers = { authorization: `Bearer ${token.token}`, 'if-match': '*' };
    const options = { headers, body: { name: 'By token' } };
    bodyOf(await shop.server.call('PATCH', `${owner.url}/goals/signup`, options));
    expect(await newest('')).toMatchObject({
      via: 'token',
      actor: { type: 'token', id: token.id, name: expect.stringMatching(/^CI/) },
    });
  });

  it('tells about guardrails, units and statistics in words', async () => {
    const url = '/split-tests/hero';
    const before = await owner.read(url);
    const guardrails = ['revenue', { feedbackType: 'nps', lowerIsBetter: false, maxHarm: 0.1 }];
    bodyOf(await owner.patch(url, { guardrails }, before.version));
    const changed = bodyOf(
      await owner.patch(url, { guardrails: [{ goalId: 'revenue', maxHarm: 0.02 }], unit: 'user' }, '*'),
    );
    expect(changed).toMatchObject({ guardrails: [{ goalId: 'revenue', maxHarm: 0.02 }], unit: 'user' });
    const entry = await newest('');
    expect(entry.summary).toEqual([
      'Split test hero – Guardrails: Revenue, NPS: answers (harm of at most 10 %) → Revenue (harm of at most 2 %)',
      'Split test hero – Counts: visitors → users',
    ]);
    bodyOf(await restore(entry.id, 'before'));
    expect(await owner.read(url)).toMatchObject({ guardrails, unit: 'visitor' });
    bodyOf(await owner.patch(url, { guardrails: before.guardrails }, '*'));

    const { version, statistics } = await owner.read('');
    bodyOf(await owner.patch('', { statistics: { stratify: ['device'] } }, version));
    expect((await newest('')).summary).toEqual([
      'Property shop – Compares visitors of the same: none → device',
    ]);
    bodyOf(await owner.patch('', { statistics }, '*'));
  });

  it('is filtered, and paged without gaps', async () => {
    for (let i = 0; i < 7; i++) bodyOf(await owner.patch('/goals/revenue', { name: `Name ${i}` }, '*'));
    const all = await owner.history('?entity=goal&key=revenue');
    expect(all.map(({ action }) => action)).toEqual([...Array(7).fill('update'), 'create']);
    const paged: unknown[] = [];
    let cursor: string | null = '';
    do {
      const query: string = `?entity=goals&key=revenue&limit=3${cursor && `&cursor=${cursor}`}`;
      const page = await owner.read(`/history${query}`);
      expect(page.history.length).toBeLessThanOrEqual(3);
      paged.push(...page.history);
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(paged).toEqual(all);
    const { account } = bodyOf(await owner.browser.get('/v1/manage/me'));
    const mine = await owner.history(`?actor=${account.id}&limit=500`);
    expect(mine.length).toBeGreaterThan(6);
    expect(new Set(mine.map(({ actor }) => actor.id))).toEqual(new Set([account.id]));
    expect(await owner.history('?actor=nobody')).toEqual([]);
    const { at } = all[3];
    const since = await owner.history(`?from=${at}&entity=goal&key=revenue`);
    expect(since).toEqual(all.filter((entry) => entry.at >= at));
    expect((await owner.history(`?to=${all.at(-1).at}`)).every((entry) => entry.at <= all.at(-1).at)).toBe(
      true,
    );
    errorOf(await owner.get('/history?entity=unicorn'), 400, 'invalid_request');
    errorOf(await owner.get('/history?cursor=x'), 400, 'invalid_request');
  });

  it('has pages of limited size', async () => {
    const other = new PropertyManager(owner.browser, 'other');
    const large = (letter: string) => [
      {
        attribute: 'plan',
        operator: 'in',
        values: Array.from({ length: 500 }, (_, i) => `${i}`.padEnd(800, letter)),
      },
    ];
    bodyOf(await other.put('/segments/large', { conditions: large('a') }), 201);
    for (const letter of 'bcd')
      bodyOf(await other.patch('/segments/large', { conditions: large(letter) }, '*'));
    const versions: number[][] = [];
    let cursor: string | null = '';
    do {
      const query: string = `?entity=segment&key=large${cursor && `&cursor=${cursor}`}`;
      const page = await other.read(`/history${query}`);
      versions.push(page.history.map(({ version }: { version: number }) => version));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(versions.flat()).toEqual([4, 3, 2, 1]);
    expect(versions.length).toBeGreaterThan(1);
  });

  it('refuses a comment that is too long', async () => {
    const url = `/goals/signup?comment=${'x'.repeat(501)}`;
    errorOf(await owner.patch(url, { name: 'x' }, '*'), 400, 'invalid_request');
  });

  it('contains no secrets', async () => {
    const key = bodyOf(await owner.post('/keys', { kind: 'secret', name: 'hidden' }), 201);
    const hook = { url: 'https://hooks.example/x', events: ['configuration.changed'] };
    const { secret } = bodyOf(await owner.put('/webhooks/hidden', hook), 201);
    const rotated = bodyOf(await owner.post('/webhooks/hidden/rotate-secret'));
    expect(rotated.secret).not.toBe(secret);
    const { password } = await newMember(owner.browser, 'hidden@shop.example', 'viewer');
    const lists = await Promise.all(
      ['/history?limit=500', '/configuration', '/keys', '/webhooks', '/members'].map((path) =>
        owner.read(path),
      ),
    );
    expect(lists[0].nextCursor).toBeNull();
    const whole = JSON.stringify(lists);
    for (const hidden of [key.key, secret, rotated.secret, password, OWNER.password, SECRET_KEY]) {
      expect(hidden.length).toBeGreaterThan(10);
      expect(whole).not.toContain(hidden);
    }
    expect(whole).not.toMatch(/whsec_|"hash":"(?![0-9a-f]{64}")|\$argon2/);
    expect(await newest('entity=webhook')).toMatchObject({
      summary: ['Webhook hidden – secret replaced'],
      changes: [],
    });
  });
});

describe('restore', () => {
  it('applies the state before or after an entry as a new change', async () => {
    const first = bodyOf(await owner.put('/segments/s', { match: 'all', conditions: [] }), 201);
    const conditions = [{ attribute: 'plan', operator: 'equals', values: ['pro'] }];
    bodyOf(await owner.patch('/segments/s', { conditions }, 1));
    const update = await newest('entity=segment');
    const restored = bodyOf(await restore(update.id));
    expect(restored).toMatchObject({
      action: 'update',
      version: 3,
      comment: `Restores the state before ${update.id}`,
    });
    expect(await owner.read('/segments/s')).toEqual({ ...first, version: 3 });
    bodyOf(await restore(update.id, 'after'));
    expect((await owner.read('/segments/s')).conditions).toEqual(conditions);
    errorOf(await restore(update.id, 'after'), 409, 'not_restorable');
    errorOf(await restore(update.id, 'during'), 400, 'invalid_request');
    errorOf(await restore('chg_missing'), 404, 'not_found');
  });

  it('brings deleted items back, and removes created ones', async () => {
    const flag = await owner.read('/flags/new-checkout');
    expect((await owner.delete('/flags/new-checkout', flag.version)).status).toBe(204);
    const deletion = await newest('entity=flag');
    bodyOf(await restore(deletion.id));
    const {
      version,
      id: _id,
      createdAt: _createdAt,
      environments,
      ...back
    } = await owner.read('/flags/new-checkout');
    expect(flag).toMatchObject(back);
    expect(environments.production.rules).toEqual(flag.environments.production.rules);
    expect(version).toBeGreaterThan(flag.version);
    const creation = await newest('entity=flag');
    bodyOf(await restore(creation.id));
    errorOf(await owner.get('/flags/new-checkout'), 404, 'not_found');
    bodyOf(await restore(deletion.id));
  });

  it('does not remove what is in use, and does not refer to what is gone', async () => {
    const created = await owner.history('?entity=segment&key=beta');
    errorOf(await restore(created.at(-1).id), 409, 'in_use');
    const fields = { type: 'boolean', defaultValue: false };
    const rule = { id: 'r', conditions: [{ operator: 'inSegment', values: ['gone'] }], value: true };
    bodyOf(await owner.put('/segments/gone', { conditions: [] }), 201);
    const environments = { production: { enabled: true, value: false, rules: [rule] } };
    bodyOf(await owner.put('/flags/user', { ...fields, environments }), 201);
    bodyOf(await owner.put('/flags/user', fields, 1));
    const update = await newest('entity=flag&key=user');
    expect((await owner.delete('/segments/gone', 1)).status).toBe(204);
    errorOf(await restore(update.id), 400, 'invalid_request');
  });

  it('restores settings and members', async () => {
    const { version, name, retentionDays } = await owner.read('');
    bodyOf(await owner.patch('', { name: 'Renamed', retentionDays: 30 }, version));
    const settings = await newest('entity=property');
    bodyOf(await restore(settings.id));
    expect(await owner.read('')).toMatchObject({ name, retentionDays });
    const member = await newMember(owner.browser, 'restored@shop.example', 'editor');
    bodyOf(await owner.put(`/members/${member.accountId}`, { role: 'viewer' }));
    const demotion = await newest('entity=member');
    bodyOf(await owner.delete(`/members/${member.accountId}`));
    bodyOf(await restore(demotion.id));
    const { members } = await owner.read('/members');
    expect(members).toContainEqual(expect.objectContaining({ accountId: member.accountId, role: 'editor' }));
  });

  it('cannot bring back API keys', async () => {
    const key = bodyOf(await owner.post('/keys', { kind: 'public', name: 'short-lived' }), 201);
    const creation = await newest('entity=key');
    errorOf(await restore(creation.id), 409, 'not_restorable');
    expect((await owner.delete(`/keys/${key.id}`)).status).toBe(204);
    const deletion = await newest('entity=key');
    errorOf(await restore(deletion.id), 409, 'not_restorable');
    expect([creation.summary, deletion.summary].flat()).toEqual([
      'Public key “short-lived” – created',
      'Public key “short-lived” – deleted',
    ]);
  });

  it('of a split test that runs or is stopped follows the rules of its status', async () => {
    const [creation] = (await owner.history('?entity=split-test&key=hero')).slice(-1);
    errorOf(await restore(creation.id), 409, 'transition_not_allowed');
    bodyOf(await owner.post('/split-tests/hero/stop'));
    const stop = await newest('entity=split-test&key=hero');
    const refused = await restore(stop.id);
    expect([400, 409], refused.text).toContain(refused.status);
  });
});
