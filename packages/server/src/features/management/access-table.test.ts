import { hasRole, type Role } from '@switchyard/core/api/role-order';
import { PUBLIC_KEY, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { type Browser, newMember, ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, expect, it } from 'vitest';

interface Route {
  access: 'anyone' | 'account' | Role;
  /** Only with the cookie. */
  session?: true;
  body?: object;
  /** Only refusals are tried, because it would end the session. */
  endsSession?: true;
  /** The response never ends. */
  endless?: true;
}

const P = '/v1/manage/properties/{propertyId}';
const own = { access: 'account', session: true } as const;

/** Every management route, and who may call it. Bodies and keys are such that nothing changes. */
const ROUTES: Record<string, Route> = {
  'GET /v1/manage/setup': { access: 'anyone' },
  'POST /v1/manage/setup': { access: 'anyone', body: {} },
  'POST /v1/manage/sign-in': { access: 'anyone', body: {} },
  'POST /v1/manage/invitations/lookup': { access: 'anyone', body: {} },
  'POST /v1/manage/invitations/accept': { access: 'anyone', body: {} },
  'POST /v1/manage/sign-out': { ...own, endsSession: true },
  'GET /v1/manage/me': { access: 'account' },
  'PATCH /v1/manage/me': { ...own, body: {} },
  'DELETE /v1/manage/me': { ...own, body: {}, endsSession: true },
  'GET /v1/manage/me/sessions': own,
  'DELETE /v1/manage/me/sessions/{id}': own,
  'GET /v1/manage/me/two-factor': own,
  'POST /v1/manage/me/two-factor': own,
  'DELETE /v1/manage/me/two-factor': { ...own, body: {} },
  'POST /v1/manage/me/two-factor/confirm': { ...own, body: {} },
  'GET /v1/manage/me/tokens': own,
  'POST /v1/manage/me/tokens': { ...own, body: {} },
  'DELETE /v1/manage/me/tokens/{id}': own,
  'GET /v1/manage/accounts': { access: 'owner' },
  'PATCH /v1/manage/accounts/{accountId}': { access: 'owner', body: {} },
  'DELETE /v1/manage/accounts/{accountId}': { access: 'owner' },
  'GET /v1/manage/properties': { access: 'account' },
  'POST /v1/manage/properties': { access: 'owner', body: { id: 'new' } },
  'GET /v1/manage/property-deletions': { access: 'owner' },
  [`GET ${P}`]: { access: 'viewer' },
  [`PATCH ${P}`]: { access: 'admin', body: { name: 'New' } },
  [`DELETE ${P}`]: { access: 'admin' },
  [`GET ${P}/configuration`]: { access: 'viewer' },
  [`GET ${P}/stream`]: { access: 'viewer', endless: true },
  ...collectionRoutes('environments', 'admin'),
  ...collectionRoutes('split-tests', 'editor'),
  ...collectionRoutes('flags', 'editor'),
  ...collectionRoutes('segments', 'editor'),
  ...collectionRoutes('goals', 'editor'),
  ...collectionRoutes('metrics', 'editor'),
  ...collectionRoutes('feedback-types', 'editor'),
  ...collectionRoutes('webhooks', 'admin'),
  [`GET ${P}/split-tests/{key}/start-checklist`]: { access: 'viewer' },
  [`POST ${P}/split-tests/{key}/start`]: { access: 'editor' },
  [`POST ${P}/split-tests/{key}/pause`]: { access: 'editor' },
  [`POST ${P}/split-tests/{key}/resume`]: { access: 'editor' },
  [`POST ${P}/split-tests/{key}/stop`]: { access: 'editor' },
  [`POST ${P}/split-tests/{key}/archive`]: { access: 'editor' },
  [`POST ${P}/flags/{key}/promote`]: { access: 'editor', body: { ruleId: 'none', variant: 'on' } },
  [`GET ${P}/webhooks/{key}/deliveries`]: { access: 'admin' },
  [`GET ${P}/webhooks/{key}/deliveries/{deliveryId}`]: { access: 'admin' },
  [`POST ${P}/webhooks/{key}/deliveries/{deliveryId}/resend`]: { access: 'admin' },
  [`POST ${P}/webhooks/{key}/rotate-secret`]: { access: 'admin' },
  [`POST ${P}/webhooks/{key}/test`]: { access: 'admin' },
  [`GET ${P}/keys`]: { access: 'viewer' },
  [`POST ${P}/keys`]: { access: 'admin', body: { kind: 'secret', name: 'new' } },
  [`DELETE ${P}/keys/{keyId}`]: { access: 'admin' },
  [`GET ${P}/members`]: { access: 'viewer' },
  [`PUT ${P}/members/{accountId}`]: { access: 'admin', body: { role: 'viewer' } },
  [`DELETE ${P}/members/{accountId}`]: { access: 'admin' },
  [`GET ${P}/invitations`]: { access: 'admin' },
  [`POST ${P}/invitations`]: { access: 'admin', body: {} },
  [`DELETE ${P}/invitations/{id}`]: { access: 'admin' },
  [`GET ${P}/history`]: { access: 'viewer' },
  [`POST ${P}/history/{entryId}/restore`]: { access: 'editor', body: {} },
  [`POST ${P}/history/redactions`]: { access: 'owner', body: {} },
  [`GET ${P}/proposals`]: { access: 'viewer' },
  [`GET ${P}/proposals/{proposalId}`]: { access: 'viewer' },
  [`POST ${P}/proposals`]: { access: 'editor', body: { collection: 'goals', key: 'signup', body: {} } },
  [`POST ${P}/proposals/{proposalId}/approve`]: { access: 'admin' },
  [`POST ${P}/proposals/{proposalId}/reject`]: { access: 'editor' },
  [`POST ${P}/erasures`]: { access: 'admin', body: {} },
  [`GET ${P}/erasures/{erasureId}`]: { access: 'admin' },
  [`GET ${P}/person`]: { access: 'admin' },
  [`POST ${P}/explanations`]: { access: 'viewer', body: { type: 'flag', key: 'banner' } },
  [`GET ${P}/sessions/{sessionId}/flags`]: { access: 'viewer' },
  [`POST ${P}/privacy-preview`]: { access: 'viewer', body: {} },
  [`POST ${P}/impact`]: { access: 'viewer', body: { type: 'flag', key: 'banner', definition: {} } },
  [`PATCH ${P}/feedback/{feedbackId}`]: { access: 'editor', body: {} },
};

function collectionRoutes(path: string, access: Role): Record<string, Route> {
  return {
    [`GET ${P}/${path}`]: { access: 'viewer' },
    [`GET ${P}/${path}/{key}`]: { access: 'viewer' },
    [`PUT ${P}/${path}/{key}`]: { access, body: {} },
    [`PATCH ${P}/${path}/{key}`]: { access, body: {} },
    [`DELETE ${P}/${path}/{key}`]: { access: 'admin' },
  };
}

/** Keys of items that exist, so that requests get further than `not_found`. */
const KEYS: Record<string, string> = {
  environments: 'staging',
  'split-tests': 'hero',
  flags: 'banner',
  segments: 'beta',
  goals: 'signup',
  'feedback-types': 'nps',
};

interface Caller {
  headers: Record<string, string>;
  /** In `shop`; none for members of other properties only. */
  role?: Role | undefined;
  kind: 'nobody' | 'cookie' | 'token';
  isOwner?: boolean;
  forged?: boolean;
}

let shop: Shop;
let owner: Browser;
const callers = new Map<string, Caller>();

beforeAll(async () => {
  shop = await openShop({ env: WITH_OWNER });
  owner = await ownerBrowser(shop.server);
  callers.set('nothing', { headers: {}, kind: 'nobody' });
  callers.set('a public key', { headers: { 'x-api-key': PUBLIC_KEY }, kind: 'nobody' });
  callers.set('a secret key', { headers: { 'x-api-key': SECRET_KEY }, kind: 'nobody' });
  callers.set('a secret key as bearer', { headers: bearer(SECRET_KEY), kind: 'nobody' });
  callers.set('the owner', { ...cookie(owner), role: 'owner', isOwner: true });
  const forged = { ...cookie(owner, 'https://evil.example'), forged: true };
  callers.set('the owner on another site', { ...forged, role: 'owner', isOwner: true });
  await addMembers();
  await addOwnerTokens();
});
afterAll(() => closeShop(shop));

async function addMembers(): Promise<void> {
  for (const role of ['viewer', 'editor', 'admin'] as const) {
    const { browser } = await newMember(owner, `${role}@shop.example`, role);
    callers.set(`a cookie: ${role}`, { ...cookie(browser), role });
    callers.set(`a token: ${role}`, { ...(await token(browser, { role })), role });
  }
  const stranger = (await newMember(owner, 'stranger@shop.example', 'admin', 'other')).browser;
  callers.set('a member of another property', cookie(stranger));
  callers.set('a token of a member of another property', await token(stranger, { role: 'admin' }));
  const { browser, accountId } = await newMember(owner, 'disabled@shop.example', 'admin');
  const revoked = await token(browser, { role: 'admin' });
  const disabled = await owner.patch(`/v1/manage/accounts/${accountId}`, { disabled: true });
  expect(disabled.status).toBe(200);
  callers.set('the cookie of a disabled account', { ...cookie(browser), kind: 'nobody' });
  callers.set('the token of a disabled account', { ...revoked, kind: 'nobody' });
}

async function addOwnerTokens(): Promise<void> {
  const all = await token(owner, { role: 'owner' });
  callers.set('a token: owner', { ...all, role: 'owner', isOwner: true });
  callers.set('a token of the owner as viewer', {
    ...(await token(owner, { role: 'viewer' })),
    role: 'viewer',
  });
  const inShop = await token(owner, { role: 'owner', properties: ['shop'] });
  callers.set('a token of the owner for the property', { ...inShop, role: 'owner' });
  const elsewhere = await token(owner, { role: 'owner', properties: ['other'] });
  callers.set('a token of the owner for another property', elsewhere);
  const expired = await token(owner, { role: 'owner', expiresAt: Date.now() + 1000 });
  await waitFor('the token to expire', async () => {
    return (await shop.server.call('GET', '/v1/manage/me', expired)).status === 401;
  });
  callers.set('an expired token', { ...expired, kind: 'nobody' });
}

const bearer = (text: string) => ({ authorization: `Bearer ${text}` });

function cookie(browser: Browser, origin = shop.server.url): Caller {
  return { headers: { cookie: browser.cookieHeader, origin }, kind: 'cookie' };
}

async function token(browser: Browser, fields: object): Promise<Caller> {
  const body = { name: 'table', expiresAt: Date.now() + 86_400_000, ...fields };
  const created = await browser.post('/v1/manage/me/tokens', body);
  expect(created.status, created.text).toBe(201);
  return { headers: bearer(created.body.token), kind: 'token' };
}

/** The error that the caller gets; undefined if the caller may call the route. */
function refusal(name: string, { access, session }: Route, caller: Caller): string | undefined {
  if (caller.forged && !name.startsWith('GET ')) return '403 cross_origin';
  if (access === 'anyone') return undefined;
  if (caller.kind === 'nobody') return '401 sign_in_required';
  if (name.includes('{propertyId}')) {
    if (caller.role === undefined) return '404 not_found';
    if (!hasRole(caller.role, access as Role)) return '403 role_required';
  } else if (access === 'owner' && !caller.isOwner) return '403 role_required';
  return session && caller.kind === 'token' ? '403 role_required' : undefined;
}

async function outcome(name: string, route: Route, headers: Record<string, string>): Promise<string> {
  const [method = '', template = ''] = name.split(' ');
  const collection = template.split('/')[5] ?? '';
  const path = template
    .replace('{propertyId}', 'shop')
    .replace('{key}', KEYS[collection] ?? 'missing')
    .replace(/\{\w+\}/, 'missing');
  const isWrite = method !== 'GET';
  if (route.endless) return endlessOutcome(path, headers);
  const response = await shop.server.call(method, isWrite ? `${path}?dryRun=true` : path, {
    headers: { ...headers, ...(isWrite && { 'if-match': '*' }) },
    ...(route.body && { body: route.body }),
  });
  return `${response.status} ${response.body?.error?.code ?? ''}`.trim();
}

async function endlessOutcome(path: string, headers: Record<string, string>): Promise<string> {
  const response = await fetch(shop.server.url + path, { headers });
  if (response.status !== 200) {
    const { error } = (await response.json()) as { error: { code: string } };
    return `${response.status} ${error.code}`;
  }
  await response.body?.cancel();
  return '200';
}

it('lists every management route', async () => {
  const { paths } = (await shop.server.call('GET', '/openapi.json')).body;
  const managed = Object.entries(paths as object).filter(([path]) => path.startsWith('/v1/manage'));
  const names = managed.flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const oidc = names.filter((name) => name.includes('oidc'));
  expect(names.filter((name) => !oidc.includes(name)).sort()).toEqual(Object.keys(ROUTES).sort());
});

it.each(Object.entries(ROUTES))('%s', async (name, route) => {
  const before = (await owner.get('/v1/manage/properties/shop')).body.version;
  const tried = [...callers].map(async ([who, caller]) => {
    const expected = refusal(name, route, caller);
    if (expected === undefined && route.endsSession) return;
    const actual = await outcome(name, route, caller.headers);
    if (expected !== undefined) expect(`${who}: ${actual}`).toBe(`${who}: ${expected}`);
    else expect(`${who}: ${actual}`).not.toMatch(/: (401|403|5\d\d)/);
  });
  await Promise.all(tried);
  expect((await owner.get('/v1/manage/properties/shop')).body.version).toBe(before);
});
