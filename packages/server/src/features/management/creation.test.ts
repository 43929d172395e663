import { closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { newMember, ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, errorOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let shop: Shop;
let owner: PropertyManager;
beforeAll(async () => {
  shop = await openShop({ env: WITH_OWNER });
  owner = new PropertyManager(await ownerBrowser(shop.server));
});
afterAll(() => closeShop(shop));

describe('API keys', () => {
  it('work at once, and stop working at once', async () => {
    for (const kind of ['public', 'secret']) {
      const created = bodyOf(await owner.post('/keys', { kind, name: 'new' }), 201);
      const path = kind === 'public' ? '/v1/split-testing/config' : '/v1/flags/list';
      const use = () => shop.get(path, {}, created.key);
      expect((await use()).status).toBe(200);
      const listed = (await owner.read('/keys')).keys.find(({ id }: { id: string }) => id === created.id);
      expect(listed.key).toBe(kind === 'public' ? created.key : null);
      expect((await owner.delete(`/keys/${created.id}`)).status).toBe(204);
      errorOf(await use(), 401, 'api_key_invalid');
      errorOf(await owner.delete(`/keys/${created.id}`), 404, 'not_found');
    }
  });

  it('have one name per kind, and fields that are checked', async () => {
    bodyOf(await owner.post('/keys', { kind: 'secret', name: 'same' }), 201);
    bodyOf(await owner.post('/keys', { kind: 'public', name: 'same' }), 201);
    errorOf(await owner.post('/keys', { kind: 'secret', name: 'same' }), 409, 'already_exists');
    errorOf(await owner.post('/keys', { kind: 'other', name: 'x' }), 400, 'invalid_request');
    errorOf(await owner.post('/keys', { kind: 'secret' }), 400, 'invalid_request');
  });

  it('of another property cannot be deleted', async () => {
    const [key] = (await new PropertyManager(owner.browser, 'other').read('/keys')).keys;
    errorOf(await owner.delete(`/keys/${key.id}`), 404, 'not_found');
  });
});

describe('Idempotency-Key', () => {
  const expiresAt = Date.now() + 3_600_000;
  it.each<[string, object, string, number]>([
    [`/v1/manage/properties/shop/keys`, { kind: 'secret', name: 'once' }, 'key', 201],
    [`/v1/manage/properties/shop/invitations`, { email: 'once@shop.example', role: 'viewer' }, 'url', 201],
    ['/v1/manage/me/tokens', { name: 'once', role: 'viewer', expiresAt }, 'token', 201],
    ['/v1/manage/properties', { id: 'once', name: 'Once' }, '', 201],
    ['/v1/manage/properties/shop/erasures', { visitorId: 'once' }, '', 202],
  ])('%s: repeats the response without the secret', async (url, body, secret, status) => {
    const post = (key: string, fields = body) =>
      owner.browser.call('POST', url, { body: fields, headers: { 'idempotency-key': key } });
    const first = bodyOf(await post('k1'.concat(url)), status);
    const expected = secret === '' ? first : { ...first, [secret]: null };
    expect(bodyOf(await post('k1'.concat(url)), status)).toEqual(expected);
    const changed = { ...body, name: 'Other', email: 'x@shop.example', visitorId: 'x' };
    const known = Object.keys(body);
    const other = Object.fromEntries(Object.entries(changed).filter(([name]) => known.includes(name)));
    errorOf(await post('k1'.concat(url), other), 422, 'idempotency_key_reused');
    const parallel = await Promise.all(
      [1, 2, 3].map(() => post('k2'.concat(url), { ...other, ...unique(body) })),
    );
    const statuses = parallel.map((response) => response.status);
    expect(statuses).toContain(status);
    expect(statuses.every((each) => each === status || each === 409)).toBe(true);
  });

  const unique = (body: object) => ('id' in body ? { id: 'twice' } : {});

  it('belongs to the account', async () => {
    const { browser } = await newMember(owner.browser, 'second@shop.example', 'admin');
    const headers = { 'idempotency-key': 'shared' };
    const body = { kind: 'secret', name: 'shared' };
    bodyOf(await owner.post('/keys', body, headers), 201);
    const second = new PropertyManager(browser);
    errorOf(await second.post('/keys', body, headers), 409, 'already_exists');
    // An error is not repeated: it may be gone by now.
    expect(bodyOf(await second.post('/keys', { ...body, name: 'own' }, headers), 201).key).toMatch(
      /^service_sec_/,
    );
  });
});

describe('properties', () => {
  it('are created, changed and deleted', async () => {
    const created = await owner.browser.post('/v1/manage/properties', { id: 'blog', name: 'Blog' });
    expect(bodyOf(created, 201)).toMatchObject({ id: 'blog', name: 'Blog', version: 1, retentionDays: 761 });
    const blog = new PropertyManager(owner.browser, 'blog');
    expect((await blog.read('/environments')).environments.map(({ id }: { id: string }) => id)).toEqual([
      'production',
    ]);
    errorOf(await owner.browser.post('/v1/manage/properties', { id: 'blog' }), 409, 'already_exists');
    errorOf(await owner.browser.post('/v1/manage/properties', { id: 'not an id' }), 400, 'invalid_request');
    const { properties } = bodyOf(await owner.browser.get('/v1/manage/properties'));
    expect(properties).toContainEqual(expect.objectContaining({ id: 'blog', role: 'owner' }));
    errorOf(await blog.patch('', { name: 'x' }), 428, 'version_required');
    expect(bodyOf(await blog.patch('', { retentionDays: 30 }, 1)).version).toBe(2);
    bodyOf(await blog.put('/goals/g', { name: 'G', kind: 'count' }), 201);
    // The version counts every change, so changes of other fields are merged.
    expect(bodyOf(await blog.patch('', { name: 'Merged' }, 2))).toMatchObject({ name: 'Merged', version: 4 });
    const stale = errorOf(await blog.patch('', { name: 'Other' }, 2), 412, 'version_conflict');
    expect(stale.conflicts).toEqual(['/name']);
    expect(bodyOf(await blog.patch('', { retentionDays: null }, 4)).retentionDays).toBeNull();
    const unknown = errorOf(await blog.patch('', { color: 'red' }, '*'), 400, 'invalid_request');
    expect(unknown.errors).toEqual([expect.objectContaining({ pointer: '/color' })]);
    errorOf(await blog.patch('', { flags: [] }, '*'), 400, 'invalid_request');
    const renamed = errorOf(await blog.patch('', { id: 'other' }, '*'), 400, 'invalid_request');
    expect(renamed.errors).toEqual([expect.objectContaining({ pointer: '/id' })]);
    const whole = await blog.read('');
    expect(bodyOf(await blog.patch('', whole, whole.version))).toEqual(whole);
    errorOf(await blog.delete('', 4), 412, 'version_conflict');
    expect((await blog.delete('', 5)).status).toBe(204);
    errorOf(await blog.get(''), 404, 'not_found');
  });

  it.each([30, null])('keep events for the days that were given when they were created: %s', async (days) => {
    const id = `kept-${days}`;
    const created = await owner.browser.post('/v1/manage/properties', { id, retentionDays: days });
    expect(bodyOf(created, 201).retentionDays).toBe(days);
    const manager = new PropertyManager(owner.browser, id);
    expect(bodyOf(await manager.patch('', { name: 'New' }, 1)).retentionDays).toBe(days);
  });

  it('that are created again go on counting, so that old versions are not mistaken', async () => {
    const again = new PropertyManager(owner.browser, 'again');
    const create = () => owner.browser.post('/v1/manage/properties', { id: 'again' });
    bodyOf(await create(), 201);
    bodyOf(await again.put('/goals/g', { name: 'G', kind: 'count' }), 201);
    expect((await again.delete('', 2)).status).toBe(204);
    errorOf(await create(), 409, 'property_being_deleted');
    const created = await waitFor('the deletion of its events', async () => {
      const response = await create();
      return response.status === 201 && response;
    });
    const { version } = bodyOf(created, 201);
    expect(version).toBeGreaterThan(3);
    expect(created.headers.get('etag')).toBe(`"${version}"`);
    expect((await again.read('')).version).toBe(version);
    errorOf(await again.patch('', { name: 'Stale' }, 2), 412, 'version_conflict');
    const history = await again.history();
    expect(new Set(history.map(({ hash }) => hash)).size).toBe(history.length);
    expect(bodyOf(await again.put('/goals/g', { name: 'New', kind: 'count' }), 201).version).toBe(3);
  });
});

describe('webhooks', () => {
  it('show their secret once, and rotate it', async () => {
    const fields = { url: 'https://hooks.example/x', events: ['feedback.submitted'] };
    const created = bodyOf(await owner.put('/webhooks/hook', fields), 201);
    expect(created.secret).toMatch(/^whsec_/);
    expect(await owner.read('/webhooks/hook')).not.toHaveProperty('secret');
    const changed = bodyOf(await owner.patch('/webhooks/hook', { enabled: false, secret: 'mine' }, 1));
    expect(changed).toMatchObject({ enabled: false, version: 2 });
    expect(changed).not.toHaveProperty('secret');
    const dry = bodyOf(await owner.post('/webhooks/hook/rotate-secret?dryRun=true'));
    expect(dry).toMatchObject({ dryRun: true, summary: ['Webhook hook – secret replaced'] });
    expect(dry).not.toHaveProperty('secret');
    const rotated = bodyOf(await owner.post('/webhooks/hook/rotate-secret'));
    expect(rotated.secret).toMatch(/^whsec_/);
    expect(rotated.secret).not.toBe(created.secret);
    expect((await owner.read('/webhooks/hook')).version).toBe(3);
    errorOf(
      await owner.put('/webhooks/inner', { ...fields, url: 'http://127.0.0.1/' }),
      400,
      'invalid_request',
    );
    errorOf(await owner.post('/webhooks/missing/rotate-secret'), 404, 'not_found');
    expect((await owner.delete('/webhooks/hook', 3)).status).toBe(204);
  });
});

describe('erasures', () => {
  it('are carried out', async () => {
    const pageview = { type: 'pageview', name: 'home', timestamp: Date.now() };
    await shop.collect({ sessionId: 's-erased', visitorId: 'v-erased', events: [pageview] });
    expect(await shop.isUnknown('s-erased')).toBe(false);
    const { id } = bodyOf(await owner.post('/erasures', { visitorId: 'v-erased' }), 202);
    await waitFor('the erasure', async () => (await owner.read(`/erasures/${id}`)).state === 'done');
    expect(await shop.isUnknown('s-erased')).toBe(true);
    errorOf(await owner.get('/erasures/missing'), 404, 'not_found');
    errorOf(await new PropertyManager(owner.browser, 'other').get(`/erasures/${id}`), 404, 'not_found');
    errorOf(await owner.post('/erasures', { visitorId: 'a', userId: 'b' }), 400, 'invalid_request');
    errorOf(await owner.post('/erasures', {}), 400, 'invalid_request');
  });
});
