import { closeShop, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, errorOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const inBeta = { operator: 'inSegment', values: ['beta'] };
const PROVISION = sampleWith({
  segments: [{ id: 'inner', conditions: [inBeta] }],
  metrics: [
    { id: 'orders', kind: 'count', goalId: 'revenue', withinDays: 7, cap: 20 },
    {
      id: 'path',
      name: 'Way to the order',
      kind: 'funnel',
      tags: ['checkout'],
      steps: [{ path: '/basket*' }, { event: 'pay' }, { goalId: 'revenue' }],
      withinDays: 3,
    },
    { id: 'load-time', kind: 'quantile', quantile: 0.9, event: 'load', property: 'ms', lowerIsBetter: true },
  ],
  feedbackTypes: [{ id: 'stars', name: 'Stars', options: ['1', { value: '5', label: 'Great' }] }],
  splitTests: [
    {
      key: 'guarded',
      type: 'id',
      variations: [
        { key: 'a', weight: 1 },
        { key: 'b', weight: 1 },
      ],
      goals: [{ feedbackType: 'stars', option: '5' }],
      guardrails: [{ goalId: 'revenue', maxHarm: 0.02 }, { metric: 'load-time' }],
      unit: 'user',
      exclusion: { group: 'page', share: 50 },
    },
  ],
  flags: [
    {
      key: 'needs-banner',
      type: 'boolean',
      defaultValue: false,
      environments: {
        staging: { enabled: true, value: true, prerequisites: [{ flag: 'banner', value: 'spring' }] },
      },
    },
  ],
  webhooks: [{ id: 'hook', url: 'https://hooks.example/x', events: ['configuration.changed'] }],
});

let shop: Shop;
let manager: PropertyManager;
beforeAll(async () => {
  shop = await openShop({ provision: PROVISION, env: WITH_OWNER });
  manager = new PropertyManager(await ownerBrowser(shop.server));
});
afterAll(() => closeShop(shop));

const COLLECTIONS = [
  ['environments', 'environments', 'id'],
  ['split-tests', 'splitTests', 'key'],
  ['flags', 'flags', 'key'],
  ['segments', 'segments', 'id'],
  ['goals', 'goals', 'id'],
  ['metrics', 'metrics', 'id'],
  ['feedback-types', 'feedbackTypes', 'id'],
  ['webhooks', 'webhooks', 'id'],
] as const;

describe.each(COLLECTIONS)('%s', (path, field, keyField) => {
  it('are the same in the list, alone and in the whole configuration', async () => {
    const list = (await manager.read(`/${path}`))[field];
    const whole = (await manager.read('/configuration'))[field];
    expect(list.length).toBeGreaterThan(0);
    expect(list).toEqual(whole);
    for (const item of list) {
      const response = await manager.get(`/${path}/${item[keyField]}`);
      expect(bodyOf(response)).toEqual(item);
      expect(response.headers.get('etag')).toBe(`"${item.version}"`);
    }
  });

  it('do not change when what was read is written', async () => {
    const before = await manager.state();
    for (const item of (await manager.read(`/${path}`))[field]) {
      const url = `/${path}/${item[keyField]}`;
      expect(bodyOf(await manager.put(url, item, item.version))).toEqual(item);
      expect(bodyOf(await manager.patch(url, item, item.version))).toEqual(item);
      expect(bodyOf(await manager.patch(url, {}, item.version))).toEqual(item);
    }
    expect(await manager.state()).toEqual(before);
  });

  it('can be created as a copy, with the same content', async () => {
    for (const item of (await manager.read(`/${path}`))[field]) {
      const key = `copy-of-${item[keyField]}`;
      const copy = {
        ...item,
        [keyField]: key,
        ...(path === 'split-tests' && { status: 'draft', exclusion: null }),
      };
      const created = await manager.put(`/${path}/${key}`, copy);
      const body = bodyOf(created, 201);
      expect(created.headers.get('etag')).toBe('"1"');
      const { id: _id, createdAt: _createdAt, version: _version, secret: _secret, ...content } = body;
      expect({ ...copy, ...content }).toMatchObject(content);
      expect(bodyOf(await manager.put(`/${path}/${key}`, body, 1)).version).toBe(1);
      expect((await manager.delete(`/${path}/${key}`, 1)).status).toBe(204);
      errorOf(await manager.get(`/${path}/${key}`), 404, 'not_found');
    }
  });

  it('reject unknown fields, foreign keys and bad types by their pointer', async () => {
    const [item] = (await manager.read(`/${path}`))[field];
    const url = `/${path}/${item[keyField]}`;
    const unknown = errorOf(await manager.patch(url, { colorful: 1 }, item.version), 400, 'invalid_request');
    expect(unknown.errors).toEqual([expect.objectContaining({ pointer: '/colorful' })]);
    const renamed = await manager.patch(url, { [keyField]: 'another' }, item.version);
    expect(errorOf(renamed, 400, 'invalid_request').errors).toEqual([
      expect.objectContaining({ pointer: `/${keyField}` }),
    ]);
    const wrong = await manager.put(`/${path}/new`, { name: 7 });
    expect(errorOf(wrong, 400, 'invalid_request').errors).toContainEqual(
      expect.objectContaining({ pointer: '/name' }),
    );
    errorOf(await manager.put(`/${path}/not%20an%20id`, {}), 400, 'invalid_request');
    errorOf(await manager.patch(`/${path}/missing`, {}, '*'), 404, 'not_found');
    errorOf(await manager.put(`/${path}/missing`, {}, 3), 404, 'not_found');
    errorOf(await manager.delete(`/${path}/missing`, '*'), 404, 'not_found');
  });

  it('need a version to be changed or deleted', async () => {
    const [item] = (await manager.read(`/${path}`))[field];
    const url = `/${path}/${item[keyField]}`;
    errorOf(await manager.put(url, item), 428, 'version_required');
    errorOf(await manager.patch(url, {}), 428, 'version_required');
    errorOf(await manager.delete(url), 428, 'version_required');
    const createOnly = { body: item, headers: { 'if-none-match': '*' } };
    const exists = await manager.browser.call('PUT', manager.url + url, createOnly);
    expect(errorOf(exists, 412, 'version_conflict').current).toEqual(item);
    for (const version of ['x', '"1', '1.5', '"-1"']) {
      const headers = { 'if-match': version };
      const response = await manager.browser.call('DELETE', manager.url + url, { headers });
      errorOf(response, 400, 'invalid_request');
    }
    const headers = { 'if-match': 'W/"999"' };
    const stale = await manager.browser.call('DELETE', manager.url + url, { headers });
    expect(errorOf(stale, 412, 'version_conflict').current).toEqual(item);
  });
});

it('a guardrail that is wrong is reported by its pointer', async () => {
  const guardrails = ['signup', { goalId: 'ghost', maxHarm: 0.1 }];
  const body = errorOf(
    await manager.patch('/split-tests/guarded', { guardrails }, '*'),
    400,
    'invalid_request',
  );
  expect(body.errors).toMatchObject([{ pointer: '/guardrails/1/goalId' }]);
  const tooMuch = { guardrails: [{ goalId: 'signup', maxHarm: 11 }], unit: 'session' };
  const { errors } = errorOf(
    await manager.patch('/split-tests/guarded', tooMuch, '*'),
    400,
    'invalid_request',
  );
  expect(errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual([
    '/guardrails/0/maxHarm',
    '/unit',
  ]);
});

it('a list that is far too long is refused without looking at all its items', async () => {
  const options = Array.from({ length: 50_000 }, (_, index) => index);
  const refused = errorOf(await manager.put('/feedback-types/long', { options }), 400, 'invalid_request');
  expect(refused.errors).toEqual([
    expect.objectContaining({ pointer: '/options', detail: 'must have at most 1000 items' }),
  ]);
});

describe('patches', () => {
  it('merge objects, replace lists, and set null to the default', async () => {
    const url = '/flags/patched';
    const environments = {
      production: { enabled: true, value: 'p', rules: [] },
      staging: { enabled: true, value: 's', rules: [] },
    };
    const fields = { type: 'string', defaultValue: 'd', description: 'Old', tags: ['a', 'b'], environments };
    bodyOf(await manager.put(url, fields), 201);
    const patch = {
      description: null,
      tags: ['c'],
      environments: { production: { value: 'new' }, staging: null },
    };
    const patched = bodyOf(await manager.patch(url, patch, 1));
    expect(patched).toMatchObject({ version: 2, tags: ['c'], defaultValue: 'd' });
    expect(patched.description ?? '').toBe('');
    expect(patched.environments.production).toMatchObject({ enabled: true, value: 'new' });
    expect(Object.keys(patched.environments)).toEqual(['production']);
    const replaced = bodyOf(await manager.put(url, { type: 'string', defaultValue: 'd' }, 2));
    expect(replaced).toMatchObject({ version: 3, tags: [], environments: {} });
  });
});

describe('a change that is based on an old version', () => {
  it('is merged if it is about other fields, and refused if not', async () => {
    const url = '/goals/merged';
    bodyOf(await manager.put(url, { name: 'One', kind: 'count' }), 201);
    bodyOf(await manager.patch(url, { name: 'Two' }, 1));
    const merged = bodyOf(await manager.patch(url, { lowerIsBetter: true }, 1));
    expect(merged).toMatchObject({ name: 'Two', lowerIsBetter: true, version: 3 });
    const target = { value: 10, period: 'week' };
    const put = bodyOf(await manager.put(url, { name: 'One', kind: 'count', target }, 1));
    expect(put).toMatchObject({ name: 'Two', lowerIsBetter: true, target, version: 4 });
    const same = bodyOf(await manager.patch(url, { name: 'Two' }, 1));
    expect(same.version).toBe(4);
    const conflict = errorOf(await manager.patch(url, { name: 'Three' }, 1), 412, 'version_conflict');
    expect(conflict).toMatchObject({ current: put, conflicts: ['/name'] });
    expect(bodyOf(await manager.patch(url, { name: 'Three' }, '*')).version).toBe(5);
    errorOf(await manager.patch(url, { name: 'Four' }, 77), 412, 'version_conflict');
  });

  it('is checked like any other', async () => {
    const url = '/flags/checked';
    bodyOf(await manager.put(url, { type: 'boolean', defaultValue: false }), 201);
    bodyOf(await manager.patch(url, { name: 'Checked' }, 1));
    for (const [fields, pointer] of [
      [{ environments: 5 }, '/environments'],
      [{ environments: { production: { rules: 'x' } } }, '/environments/production/rules'],
      [{ key: 'other' }, '/key'],
      [{ unknown: 1 }, '/unknown'],
    ] as const) {
      const body = { type: 'boolean', defaultValue: false, ...fields };
      for (const response of [await manager.put(url, body, 1), await manager.patch(url, fields, 1)]) {
        const { errors } = errorOf(response, 400, 'invalid_request');
        expect(errors).toContainEqual(expect.objectContaining({ pointer }));
      }
    }
  });

  it('is not merged into an item that was deleted and created again', async () => {
    const url = '/goals/again';
    bodyOf(await manager.put(url, { name: 'First', kind: 'count' }), 201);
    bodyOf(await manager.patch(url, { name: 'Second' }, 1));
    expect((await manager.delete(url, 2)).status).toBe(204);
    const created = bodyOf(await manager.put(url, { name: 'New', kind: 'count' }), 201);
    const stale = await manager.patch(url, { lowerIsBetter: true }, 2);
    expect(errorOf(stale, 412, 'version_conflict').current).toEqual(created);
    const first = await manager.patch(url, { name: 'Third' }, 2);
    errorOf(first, 412, 'version_conflict');
  });
});

describe('deleting what is in use', () => {
  it.each([
    ['/goals/signup', ['split-test hero']],
    ['/goals/revenue', ['split-test guarded']],
    ['/feedback-types/stars', ['split-test guarded']],
    ['/environments/staging', ['flag new-checkout', 'flag needs-banner']],
    ['/environments/production', ['flag new-checkout', 'flag banner']],
    ['/flags/banner', ['flag needs-banner']],
    ['/segments/beta', ['flag new-checkout', 'segment inner']],
  ])('%s is refused with %j', async (url, expected) => {
    const { version } = await manager.read(url);
    const { references, detail } = errorOf(await manager.delete(url, version), 409, 'in_use');
    const names = references.map(({ type, key }: { type: string; key: string }) => `${type} ${key}`);
    expect(names).toEqual(expect.arrayContaining(expected));
    for (const { key } of references) expect(detail).toContain(key);
  });

  it('the environment production is always in use', async () => {
    const other = new PropertyManager(manager.browser, 'other');
    const { version } = await other.read('/environments/production');
    errorOf(await other.delete('/environments/production', version), 409, 'in_use');
  });

  it('a running split test must be stopped first', async () => {
    const { version } = await manager.read('/split-tests/hero');
    const refused = errorOf(
      await manager.delete('/split-tests/hero', version),
      409,
      'transition_not_allowed',
    );
    expect(refused.allowed).toEqual(['stop']);
  });
});

describe('members', () => {
  it('take If-Match, which is optional, and comments', async () => {
    const account = bodyOf(await manager.browser.get('/v1/manage/me')).account.id;
    const url = `/members/${account}`;
    errorOf(await manager.put(url, { role: 'viewer' }, 1), 404, 'not_found');
    const added = await manager.put(`${url}?comment=Welcome`, { role: 'viewer' });
    expect(bodyOf(added, 201)).toMatchObject({ role: 'viewer', version: 1 });
    expect(added.headers.get('etag')).toBe('"1"');
    expect(bodyOf(await manager.put(url, { role: 'editor' }, 1)).version).toBe(2);
    const stale = errorOf(await manager.put(url, { role: 'admin' }, 1), 412, 'version_conflict');
    expect(stale).toMatchObject({ conflicts: ['/role'], current: { role: 'editor', version: 2 } });
    errorOf(await manager.delete(url, 1), 412, 'version_conflict');
    bodyOf(await manager.put(url, { role: 'admin' }));
    bodyOf(await manager.delete(`${url}?comment=Bye`, 3));
    errorOf(await manager.delete(url), 404, 'not_found');
    const entries = await manager.history(`?entity=member&key=${account}`);
    expect(entries.map(({ action, comment }) => [action, comment])).toEqual([
      ['delete', 'Bye'],
      ['update', null],
      ['update', null],
      ['create', 'Welcome'],
    ]);
  });
});

describe('dryRun', () => {
  it('changes nothing and says what would change', async () => {
    const { account } = bodyOf(await manager.browser.get('/v1/manage/me'));
    const [key] = (await manager.read('/keys')).keys;
    const [entry] = await manager.history('?entity=goal');
    const variations = [
      { key: 'control', weight: 1, value: 'Buy' },
      { key: 'b', weight: 3, value: 'Get it' },
    ];
    const writes: [string, string, object?][] = [
      ['PATCH', '', { name: 'Renamed' }],
      ['DELETE', ''],
      ['PUT', '/goals/dry', { name: 'Dry', kind: 'count' }],
      ['PATCH', '/goals/signup', { name: 'Dry' }],
      ['PATCH', '/split-tests/hero', { variations }],
      ['DELETE', '/webhooks/hook'],
      ['POST', '/split-tests/hero/pause'],
      ['POST', '/split-tests/hero/stop', { winner: 'b' }],
      ['POST', '/keys', { kind: 'secret', name: 'dry' }],
      ['DELETE', `/keys/${key.id}`],
      ['PUT', `/members/${account.id}`, { role: 'viewer' }],
      ['POST', '/proposals', { collection: 'goals', key: 'revenue', baseVersion: 1, body: { name: 'Dry' } }],
      ['POST', `/history/${entry.id}/restore`, { state: 'before' }],
    ];
    const before = await manager.state();
    for (const [method, path, body] of writes) {
      const url = `${manager.url}${path}?dryRun=true&comment=Try`;
      const existing: Record<string, string> = /^(PATCH|DELETE)$/.test(method) ? { 'if-match': '*' } : {};
      const headers = { ...existing, 'idempotency-key': `dry-${path}` };
      const response = await manager.browser.call(method, url, { ...(body && { body }), headers });
      expect(response.status, `${method} ${url}: ${response.text}`).toBe(200);
      const planned = response.body;
      expect(planned, url).toMatchObject({ dryRun: true });
      expect(planned.changes.length, url).toBeGreaterThan(0);
      expect(planned.summary.join(), url).toMatch(/\w/);
      expect(await manager.state(), url).toEqual(before);
    }
  });

  it('also tries what is not part of the configuration', async () => {
    const before = await manager.state();
    const erasure = bodyOf(await manager.post('/erasures?dryRun=true', { visitorId: 'v-1' }));
    expect(erasure).toMatchObject({ dryRun: true, summary: [expect.stringMatching(/"v-1"/)] });
    const invitation = { email: 'dry@shop.example', role: 'viewer' };
    const invited = bodyOf(await manager.post('/invitations?dryRun=true', invitation));
    expect(invited).toMatchObject({ dryRun: true, summary: [expect.stringMatching(/dry@shop/)] });
    const rotated = bodyOf(await manager.post('/webhooks/hook/rotate-secret?dryRun=true'));
    expect(rotated).toMatchObject({ dryRun: true, summary: [expect.stringMatching(/hook/)] });
    const refused = errorOf(await manager.post('/webhooks/hook/test?dryRun=true'), 400, 'invalid_request');
    expect(refused.errors).toEqual([expect.objectContaining({ pointer: '/dryRun' })]);
    const { deliveries } = await manager.read('/webhooks/hook/deliveries');
    expect(deliveries.filter(({ type }: { type: string }) => type === 'webhook.test')).toEqual([]);
    expect(await manager.state()).toEqual(before);
  });

  it('warns of a new phase and of a final stop', async () => {
    const variations = [
      { key: 'control', weight: 1, value: 'Buy' },
      { key: 'b', weight: 3, value: 'Get it' },
    ];
    const weights = bodyOf(await manager.patch('/split-tests/hero?dryRun=true', { variations }, '*'));
    expect(weights.opensPhase).toEqual([expect.objectContaining({ splitTest: 'hero', phase: 2 })]);
    expect(weights.warnings.join()).toMatch(/new phase/);
    const stop = bodyOf(await manager.post('/split-tests/hero/stop?dryRun=true', { winner: 'b' }));
    expect(stop.warnings.join()).toMatch(/cannot be restarted/);
  });

  it('still refuses what is not possible', async () => {
    errorOf(await manager.patch('/goals/signup?dryRun=true', { name: 7 }, '*'), 400, 'invalid_request');
    errorOf(await manager.delete('/goals/signup?dryRun=true', '*'), 409, 'in_use');
    errorOf(await manager.patch('/goals/signup?dryRun=maybe', {}, '*'), 400, 'invalid_request');
  });
});
