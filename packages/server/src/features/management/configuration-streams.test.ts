import { closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { EventStream } from '@switchyard/testing/network/event-stream';
import { Browser, newMember, ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { switchyard } from '@switchyard/testing/server/command-line';
import { bodyOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let shop: Shop;
let owner: PropertyManager;
const streams: EventStream[] = [];
beforeAll(async () => {
  shop = await openShop({ env: WITH_OWNER });
  owner = new PropertyManager(await ownerBrowser(shop.server));
});
afterAll(async () => {
  for (const stream of streams) stream.close();
  await closeShop(shop);
});

async function open(manager = owner, lastSeen?: number | string): Promise<EventStream> {
  const { browser, url } = manager;
  const stream = await EventStream.open(`${shop.server.url}${url}/stream`, {
    cookie: browser.cookieHeader,
    ...(lastSeen !== undefined && { 'last-event-id': String(lastSeen) }),
  });
  streams.push(stream);
  expect(stream.response.statusCode).toBe(200);
  await waitFor('the first id', () => stream.events.length > 0);
  return stream;
}

const versionNow = async () => (await owner.read('')).version as number;
const named = (stream: EventStream) => stream.events.filter(({ event }) => event !== undefined);
const rename = async (name: string) => bodyOf(await owner.patch('/goals/signup', { name }, '*'));

it('has one event per saved change', async () => {
  const stream = await open();
  const start = await versionNow();
  expect(stream.events[0]).toMatchObject({ id: String(start) });
  const { version } = await rename('One');
  bodyOf(await owner.put('/goals/streamed', { name: 'x', kind: 'count' }), 201);
  expect((await owner.delete('/goals/streamed', 1)).status).toBe(204);
  bodyOf(await owner.patch('', { name: 'Renamed' }, '*'));
  const events = await waitFor('four events', () => named(stream).length === 4 && named(stream));
  expect(events.map(({ id, event }) => [Number(id), event])).toEqual(
    [1, 2, 3, 4].map((step) => [start + step, 'change']),
  );
  expect(events.map(({ data }) => JSON.parse(data ?? '').changes)).toEqual([
    [{ type: 'goal', key: 'signup', action: 'update', version }],
    [{ type: 'goal', key: 'streamed', action: 'create', version: 1 }],
    [{ type: 'goal', key: 'streamed', action: 'delete', version: 2 }],
    [{ type: 'property', key: 'shop', action: 'update', version: start + 4 }],
  ]);
});

it('repeats what a client missed, the same as it was', async () => {
  const live = await open();
  const start = await versionNow();
  for (const name of ['Two', 'Three']) await rename(name);
  bodyOf(await owner.put('/goals/missed', { name: 'x', kind: 'count' }), 201);
  expect((await owner.delete('/goals/missed', 1)).status).toBe(204);
  const { id } = bodyOf(await owner.post('/keys', { kind: 'secret', name: 'missed' }), 201);
  expect((await owner.delete(`/keys/${id}`)).status).toBe(204);
  const events = await waitFor('six events', () => named(live).length === 6 && named(live));
  const late = await open(owner, start);
  const repeated = await waitFor('six events', () => named(late).length === 6 && named(late));
  const content = (list: typeof events) => list.map(({ id, event, data }) => ({ id, event, data }));
  expect(content(repeated)).toEqual(content(events));
  expect(named(await open(owner, await versionNow()))).toEqual([]);
});

it('says reload if too much was missed, or if the version is unknown', async () => {
  for (const lastSeen of [await versionNow(), 0].map((version) => version + 1_000_000)) {
    const stream = await open(owner, lastSeen);
    const [event] = await waitFor('an event', () => named(stream).length === 1 && named(stream));
    expect(event).toMatchObject({ event: 'reload', id: String(await versionNow()) });
  }
  const start = await versionNow();
  await Promise.all(Array.from({ length: 202 }, (_, i) => rename(`Name ${i}`)));
  const stream = await open(owner, start);
  const [event] = await waitFor('an event', () => named(stream).length === 1 && named(stream));
  expect(event?.event).toBe('reload');
});

it.each(['abc', '', ' ', '-1', '1.5', '1e3', '0x10', '9'.repeat(30), 'x'.repeat(500)])(
  'says reload if the last id is %j',
  async (lastSeen) => {
    const stream = await open(owner, lastSeen);
    const [event] = await waitFor('an event', () => named(stream).length === 1 && named(stream));
    expect(event).toMatchObject({ event: 'reload', id: String(await versionNow()) });
  },
);

it('loses nothing that is saved while a client connects', async () => {
  const start = await versionNow();
  const opened = Promise.all(Array.from({ length: 10 }, () => open(owner, start)));
  for (let i = 0; i < 10; i++) await rename(`Racing ${i}`);
  for (const stream of await opened) {
    const events = await waitFor('all events', () => named(stream).length >= 10 && named(stream));
    expect(events.map(({ id }) => Number(id))).toEqual(Array.from({ length: 10 }, (_, i) => start + 1 + i));
  }
});

it('ends when the membership or the property ends', async () => {
  const { browser, accountId } = await newMember(owner.browser, 'leaver@shop.example', 'viewer');
  const stream = await open(new PropertyManager(browser));
  bodyOf(await owner.delete(`/members/${accountId}`));
  await waitFor('the end of the stream', () => stream.ended);
  bodyOf(await owner.browser.post('/v1/manage/properties', { id: 'brief' }), 201);
  const brief = new PropertyManager(owner.browser, 'brief');
  const other = await open(brief);
  expect((await brief.delete('', '*')).status).toBe(204);
  await waitFor('the end of the stream', () => other.ended);
});

describe('a stream ends with the change that ends the access', () => {
  /** Enough for what the server has sent before the last response to arrive. */
  const ROUND_TRIPS = 20;
  let members = 0;

  async function expectEnd(stream: EventStream, name: string) {
    for (let i = 0; i < ROUND_TRIPS; i++) await fetch(`${shop.server.url}/healthz`);
    expect(stream.ended, name).toBe(true);
  }

  async function signedIn(role: 'viewer' | 'admin' = 'viewer') {
    members += 1;
    const email = `member-${members}@shop.example`;
    const { browser, accountId, password } = await newMember(owner.browser, email, role);
    return { browser, accountId, password, email, stream: await open(new PropertyManager(browser)) };
  }

  it('of a session: signing out, here and from another browser, and signing in again', async () => {
    const { browser, email, password, stream } = await signedIn();
    const other = new Browser(shop.server);
    bodyOf(await other.signIn(email, password));
    const theirs = await open(new PropertyManager(other));
    const { sessions } = bodyOf(await browser.get('/v1/manage/me/sessions'));
    const { id } = sessions.find(({ current }: { current: boolean }) => !current);
    bodyOf(await browser.delete(`/v1/manage/me/sessions/${id}`));
    await expectEnd(theirs, 'from another browser');
    expect(stream.ended).toBe(false);
    bodyOf(await browser.signIn(email, password));
    await expectEnd(stream, 'signed in again');
    const next = await open(new PropertyManager(browser));
    bodyOf(await browser.post('/v1/manage/sign-out'));
    await expectEnd(next, 'signed out');
  });

  it('of an account: a new password, disabled, no longer an owner', async () => {
    const { browser, accountId, password, stream } = await signedIn();
    const next = `${password}, changed`;
    bodyOf(await browser.patch('/v1/manage/me', { password: { current: password, next } }));
    await expectEnd(stream, 'a new password');
    const again = await open(new PropertyManager(browser));
    bodyOf(await owner.browser.patch(`/v1/manage/accounts/${accountId}`, { disabled: true }));
    await expectEnd(again, 'disabled');
    const second = await signedIn();
    const url = `/v1/manage/accounts/${second.accountId}`;
    bodyOf(await owner.delete(`/members/${second.accountId}`));
    bodyOf(await owner.browser.patch(url, { owner: true }));
    bodyOf(await second.browser.signIn(second.email, second.password));
    const asOwner = await open(new PropertyManager(second.browser));
    bodyOf(await owner.browser.patch(url, { owner: false }));
    await expectEnd(asOwner, 'no longer an owner');
  });

  it('of a token that is revoked, and of a member who is removed', async () => {
    const { browser, accountId, stream } = await signedIn('admin');
    const expiresAt = Date.now() + 60 * 60 * 1000;
    const body = { name: 'script', role: 'viewer', expiresAt };
    const { id, token } = bodyOf(await browser.post('/v1/manage/me/tokens', body), 201);
    const url = `${shop.server.url}${owner.url}/stream`;
    const ofToken = await EventStream.open(url, { authorization: `Bearer ${token}` });
    streams.push(ofToken);
    bodyOf(await browser.delete(`/v1/manage/me/tokens/${id}`));
    await expectEnd(ofToken, 'a revoked token');
    expect(stream.ended).toBe(false);
    bodyOf(await owner.delete(`/members/${accountId}`));
    await expectEnd(stream, 'a removed member');
  });

  it('of a deleted key', async () => {
    const { id, key } = bodyOf(await owner.post('/keys', { kind: 'secret', name: 'brief' }), 201);
    const url = `${shop.server.url}/v1/flags/stream?propertyId=shop`;
    const stream = await EventStream.open(url, { 'x-api-key': key });
    expect((await owner.delete(`/keys/${id}`)).status).toBe(204);
    await expectEnd(stream, 'a deleted key');
  });

  it('also if the command line changes the account', async () => {
    const { email, stream } = await signedIn();
    const other = await open();
    const disabled = await switchyard(shop.server, 'users', 'disable', '--email', email);
    expect(disabled.code, disabled.stderr).toBe(0);
    await waitFor('the end of the stream', () => stream.ended);
    expect(other.ended).toBe(false);
  });
});

it('the whole configuration has an ETag', async () => {
  const first = await owner.get('/configuration');
  const etag = first.headers.get('etag') ?? '';
  expect(etag).not.toBe('');
  expect((await owner.get('/configuration', { 'if-none-match': etag })).status).toBe(304);
  await rename('Changed');
  const second = await owner.get('/configuration', { 'if-none-match': etag });
  expect(second.status).toBe(200);
  expect(second.body.version).toBe(first.body.version + 1);
});
