import { closeShop, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { type Browser, newMember, ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, errorOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const PROVISION = sampleWith({
  environments: [{ id: 'live', protected: true }],
  segments: [
    { id: 'testers', conditions: [{ operator: 'inSegment', values: ['staff'] }] },
    { id: 'staff', conditions: [{ attribute: 'email', operator: 'endsWith', values: ['@shop.example'] }] },
    { id: 'unused', conditions: [] },
  ],
  flags: [
    {
      key: 'live-flag',
      type: 'boolean',
      defaultValue: false,
      environments: {
        live: {
          enabled: true,
          value: false,
          rules: [{ id: 'r', conditions: [{ operator: 'inSegment', values: ['testers'] }], value: true }],
        },
        staging: { enabled: true, value: false },
      },
    },
  ],
});

let shop: Shop;
let owner: PropertyManager;
let admin: PropertyManager;
let editor: PropertyManager;
beforeAll(async () => {
  shop = await openShop({ provision: PROVISION, env: WITH_OWNER });
  const browser = await ownerBrowser(shop.server);
  owner = new PropertyManager(browser);
  admin = new PropertyManager((await newMember(browser, 'admin@shop.example', 'admin')).browser);
  editor = new PropertyManager((await newMember(browser, 'editor@shop.example', 'editor')).browser);
});
afterAll(() => closeShop(shop));

let version = 0;
beforeEach(async () => {
  ({ version } = await owner.read('/flags/live-flag'));
});

/** An editor's change of the protected environment. */
async function propose(fields: object = { environments: { live: { enabled: false } } }) {
  const response = await editor.patch('/flags/live-flag?comment=Please', fields, version);
  return bodyOf(response, 202).proposal;
}

describe('an editor’s change', () => {
  const rule = { id: 'r', value: true, conditions: [] };
  it.each<[string, string, object]>([
    ['of a flag in it', '/flags/live-flag', { environments: { live: { enabled: false } } }],
    ['of its rules', '/flags/live-flag', { environments: { live: { rules: [rule] } } }],
    ['of the default value', '/flags/live-flag', { defaultValue: true }],
    ['that removes it', '/flags/live-flag', { environments: { live: null } }],
    ['that adds it', '/flags/banner', { environments: { live: { enabled: true, value: 'new' } } }],
    ['of a segment', '/segments/testers', { match: 'any' }],
    ['of a segment in a segment', '/segments/staff', { conditions: [] }],
    [
      'of a prerequisite',
      '/flags/live-flag',
      { environments: { live: { prerequisites: [{ flag: 'new-checkout', value: true }] } } },
    ],
  ])('%s becomes a proposal', async (_what, url, fields) => {
    const before = await owner.read('/configuration');
    const dry = bodyOf(await editor.patch(`${url}?dryRun=true`, fields, '*'));
    expect(dry).toMatchObject({ needsApproval: ['live'], warnings: [expect.stringMatching(/"live"/)] });
    const { proposal } = bodyOf(await editor.patch(url, fields, '*'), 202);
    expect(proposal).toMatchObject({ state: 'open', method: 'PATCH', body: fields });
    expect(proposal.summary.join()).toMatch(/\w/);
    expect(await owner.read('/configuration')).toEqual(before);
    const dryApproval = bodyOf(await admin.post(`/proposals/${proposal.id}/approve?dryRun=true`));
    expect(dryApproval.changes.length).toBeGreaterThan(0);
    expect(bodyOf(await editor.post(`/proposals/${proposal.id}/reject`)).state).toBe('rejected');
  });

  it.each<[string, string, object]>([
    ['of other environments', '/flags/live-flag', { environments: { staging: { enabled: false } } }],
    ['of names and tags', '/flags/live-flag', { name: 'Live', tags: ['x'] }],
    ['of an unused segment', '/segments/unused', { match: 'any' }],
    ['of a goal', '/goals/signup', { name: 'Sign-ups!' }],
  ])('%s is saved', async (_what, url, fields) => {
    expect(bodyOf(await editor.patch(url, fields, '*'))).toMatchObject(fields);
  });

  it('of a new flag becomes a proposal if it is configured there', async () => {
    const fields = { type: 'boolean', defaultValue: false };
    bodyOf(await editor.put('/flags/elsewhere', fields), 201);
    const there = { ...fields, environments: { live: { enabled: true } } };
    const { proposal } = bodyOf(await editor.put('/flags/there', there), 202);
    expect(proposal).toMatchObject({ method: 'PUT', baseVersion: null });
    bodyOf(await admin.post(`/proposals/${proposal.id}/approve`));
    expect((await owner.read('/flags/there')).environments.live.enabled).toBe(true);
    const again = bodyOf(await editor.put('/flags/raced', there), 202).proposal;
    bodyOf(await admin.put('/flags/raced', fields), 201);
    const raced = errorOf(await admin.post(`/proposals/${again.id}/approve`), 412, 'version_conflict');
    expect(raced.current.key).toBe('raced');
  });

  it('cannot unprotect the environment', async () => {
    errorOf(await editor.patch('/environments/live', { protected: false }, '*'), 403, 'role_required');
  });

  it('is checked before it becomes a proposal', async () => {
    const wrong = { environments: { live: { value: 'text' } } };
    errorOf(await editor.patch('/flags/live-flag', wrong, version), 400, 'invalid_request');
    errorOf(await editor.patch('/flags/live-flag', { environments: {} }), 428, 'version_required');
  });
});

describe('an admin', () => {
  it('changes a protected environment directly', async () => {
    const fields = { environments: { live: { enabled: true, value: true } } };
    expect(bodyOf(await admin.patch('/flags/live-flag', fields, version)).environments.live.value).toBe(true);
  });

  it('approves the proposal of somebody else, which is then in the history', async () => {
    const { enabled } = (await owner.read('/flags/live-flag')).environments.live;
    const proposal = await propose({ environments: { live: { enabled: !enabled } } });
    errorOf(await editor.post(`/proposals/${proposal.id}/approve`), 403, 'role_required');
    const approved = bodyOf(await admin.post(`/proposals/${proposal.id}/approve?comment=Fine`));
    expect(approved).toMatchObject({ state: 'approved', decidedBy: 'admin@shop.example' });
    expect((await owner.read('/flags/live-flag')).environments.live.enabled).toBe(!enabled);
    const [entry] = await owner.history('?limit=1');
    expect(entry).toMatchObject({
      actor: { name: 'admin@shop.example' },
      comment: 'Proposed by editor@shop.example: Please: Fine',
    });
    errorOf(await admin.post(`/proposals/${proposal.id}/approve`), 409, 'proposal_closed');
    errorOf(await admin.post(`/proposals/${proposal.id}/reject`), 409, 'proposal_closed');
    errorOf(await admin.post('/proposals/missing/approve'), 404, 'not_found');
  });

  it('approves a proposal once, if two do it at the same time', async () => {
    const { enabled } = (await owner.read('/flags/live-flag')).environments.live;
    const proposal = await propose({ environments: { live: { enabled: !enabled } } });
    const url = `/proposals/${proposal.id}/approve`;
    const both = await Promise.all([admin.post(url), owner.post(url)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('cannot approve an own proposal, not even with a token', async () => {
    const { version: baseVersion } = await owner.read('/goals/signup');
    const body = { collection: 'goals', key: 'signup', baseVersion, body: { name: 'Mine' } };
    const mine = bodyOf(await admin.post('/proposals', body), 201);
    errorOf(await admin.post(`/proposals/${mine.id}/approve`), 403, 'role_required');
    const byToken = await callWithToken(admin.browser, 'POST', '/proposals', body);
    const { id, author } = bodyOf(byToken, 201);
    expect(author.id).toBe(mine.author.id);
    errorOf(await admin.post(`/proposals/${id}/approve`), 403, 'role_required');
    const approval = await callWithToken(admin.browser, 'POST', `/proposals/${mine.id}/approve`);
    errorOf(approval, 403, 'role_required');
    expect(bodyOf(await admin.post(`/proposals/${id}/reject`)).state).toBe('rejected');
  });

  it('cannot approve what conflicts with later changes, but what can be merged', async () => {
    const proposal = await propose({ defaultValue: true });
    bodyOf(await admin.patch('/flags/live-flag', { name: 'Renamed' }, version));
    const conflicting = await propose({ environments: { live: { value: 'text' } } }).catch(() => undefined);
    expect(conflicting).toBeUndefined();
    bodyOf(await admin.post(`/proposals/${proposal.id}/approve`));
    expect(await owner.read('/flags/live-flag')).toMatchObject({ name: 'Renamed', defaultValue: true });
    ({ version } = await owner.read('/flags/live-flag'));
    const late = await propose({ defaultValue: false, name: 'Late' });
    bodyOf(await admin.patch('/flags/live-flag', { name: 'Earlier' }, version));
    const refused = errorOf(await admin.post(`/proposals/${late.id}/approve`), 412, 'version_conflict');
    expect(refused.conflicts).toEqual(['/name']);
    expect((await owner.read('/proposals?state=open')).proposals[0].id).toBe(late.id);
    bodyOf(await admin.post(`/proposals/${late.id}/reject`));
    const { base, body } = await owner.read(`/proposals/${late.id}`);
    expect([base.name, body.name]).toEqual(['Renamed', 'Late']);
  });
});

async function callWithToken(browser: Browser, method: string, path: string, body?: object) {
  const fields = { name: 'CI', role: 'admin', expiresAt: Date.now() + 60_000 };
  const { token } = bodyOf(await browser.post('/v1/manage/me/tokens', fields), 201);
  const headers = { authorization: `Bearer ${token}` };
  return shop.server.call(method, owner.url + path, { ...(body && { body }), headers });
}

describe('proposals', () => {
  it('are withdrawn by their authors, and rejected by admins, but not by other editors', async () => {
    const other = await newMember(owner.browser, 'second@shop.example', 'editor');
    const proposal = await propose({ defaultValue: !(await owner.read('/flags/live-flag')).defaultValue });
    const url = `/proposals/${proposal.id}/reject`;
    errorOf(await new PropertyManager(other.browser).post(url), 403, 'role_required');
    const dry = bodyOf(await editor.post(`${url}?dryRun=true`));
    expect(dry).toMatchObject({ dryRun: true, changes: [] });
    expect(bodyOf(await editor.post(url))).toMatchObject({
      state: 'rejected',
      decidedBy: 'editor@shop.example',
    });
    errorOf(await editor.post(url), 409, 'proposal_closed');
  });

  it('can be made of deletions, and are listed by state', async () => {
    bodyOf(await editor.put('/goals/old', { name: 'Old', kind: 'count' }), 201);
    const body = { collection: 'goals', key: 'old', method: 'DELETE', baseVersion: 1, comment: 'Unused' };
    const proposal = bodyOf(await editor.post('/proposals', body), 201);
    const { body: _body, ...listed } = proposal;
    expect((await owner.read('/proposals?state=open')).proposals).toContainEqual(listed);
    expect(await owner.read(`/proposals/${proposal.id}`)).toEqual(proposal);
    bodyOf(await admin.post(`/proposals/${proposal.id}/approve`));
    expect((await owner.read(`/proposals/${proposal.id}`)).base).toBeNull();
    errorOf(await owner.get('/goals/old'), 404, 'not_found');
    errorOf(await editor.post('/proposals', { ...body, key: 'signup' }), 412, 'version_conflict');
    errorOf(await editor.post('/proposals', { ...body, collection: 'webhooks' }), 400, 'invalid_request');
  });

  it('need the version that they change, as a member of the body', async () => {
    for (const method of ['PATCH', 'PUT', 'DELETE']) {
      const body = { collection: 'goals', key: 'signup', method, body: { name: 'New', kind: 'count' } };
      // As a header, it does not help.
      const response = await editor.post('/proposals', body, { 'if-match': '*' });
      const { error, errors } = errorOf(response, 428, 'version_required');
      expect(error.message).toContain('`baseVersion`');
      expect(error.message).not.toContain('If-Match');
      expect(errors).toMatchObject([{ pointer: '/baseVersion' }]);
    }
  });

  it('are made once per idempotency key', async () => {
    const { version: baseVersion } = await owner.read('/goals/revenue');
    const body = { collection: 'goals', key: 'revenue', baseVersion, body: { name: 'Once' } };
    const headers = { 'idempotency-key': 'once' };
    const first = bodyOf(await editor.post('/proposals', body, headers), 201);
    expect(bodyOf(await editor.post('/proposals', body, headers), 201)).toEqual(first);
    const other = await editor.post('/proposals', { ...body, comment: 'x' }, headers);
    errorOf(other, 422, 'idempotency_key_reused');
    const { proposals } = await owner.read('/proposals');
    expect(proposals.filter(({ key }: { key: string }) => key === 'revenue')).toHaveLength(1);
  });
});
