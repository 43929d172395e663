import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyProvision, switchyard } from '../../testing/command-line.ts';
import { EventStream } from '../../testing/event-stream.ts';
import { OTHER_SECRET_KEY, SECRET_KEY } from '../../testing/sample-property.ts';
import { closeShop, openShop, Shop, sampleWith } from '../../testing/shop.ts';
import { startServer } from '../../testing/test-server.ts';
import { waitFor } from '../../testing/wait.ts';

const DELETED_KEY = 'service_sec_0123456789abcdefDeleted';

let shop: Shop;
const open: EventStream[] = [];
beforeAll(async () => {
  shop = await openShop({
    provision: sampleWith({ apiKeys: [{ kind: 'secret', name: 'deleted', key: DELETED_KEY }] }),
  });
});
afterAll(async () => {
  for (const stream of open) stream.close();
  await closeShop(shop);
});

async function follow(key = SECRET_KEY, propertyId = 'shop', headers: object = {}): Promise<EventStream> {
  const stream = await EventStream.open(`${shop.server.url}/v1/flags/stream?propertyId=${propertyId}`, {
    'x-api-key': key,
    ...headers,
  });
  open.push(stream);
  return stream;
}

const save = (property: object) => applyProvision(shop.server, { properties: [{ id: 'shop', ...property }] });
const banner = (value: string) => ({ flags: [{ key: 'banner', environments: { production: { value } } }] });
const changes = ({ events }: EventStream) => events.filter(({ event }) => event === 'change');

describe('GET /v1/flags/stream', () => {
  it('responds with a stream that must not be cached', async () => {
    const { response } = await follow();
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toMatch(/^text\/event-stream\b/);
    expect(response.headers['cache-control']).toMatch(/no-store|no-cache/);
    expect(response.headers['x-request-id']).toMatch(/\S/);
    expect(Object.keys(response.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  it('sends one `change` per saved change to every client', async () => {
    const [first, second] = [await follow(), await follow()];
    for (const [i, value] of ['one', 'two'].entries()) {
      await save(banner(value));
      await waitFor(`change ${i + 1}`, () => changes(first).length > i && changes(second).length > i);
      const list = (await shop.get('/v1/flags/list')).body;
      expect(list.configs.at(-1).value).toBe(value);
    }
    // A duplicate would have arrived by now, because the next change has.
    for (const stream of [first, second]) {
      expect(changes(stream)).toHaveLength(2);
      const data = changes(stream).map((event) => JSON.parse(event.data ?? ''));
      for (const change of data) expect(change).toMatchObject({ propertyId: 'shop', flags: ['banner'] });
      expect(data[1].version).toBeGreaterThan(data[0].version);
    }
  });

  const saved: { name: string; change: object; flags: string[] }[] = [
    {
      name: 'a new flag and a renamed one',
      change: {
        flags: [
          { key: 'brand-new', type: 'boolean', defaultValue: true },
          { key: 'banner', name: 'Banner!' },
        ],
      },
      flags: ['banner', 'brand-new'],
    },
    {
      name: 'rules of a flag',
      change: { flags: [{ key: 'new-checkout', environments: { production: { rules: [] } } }] },
      flags: ['new-checkout'],
    },
    { name: 'a segment', change: { segments: [{ id: 'beta', match: 'all', conditions: [] }] }, flags: [] },
  ];
  it.each(saved)('sends a change for $name', async ({ change, flags }) => {
    const stream = await follow();
    await save(change);
    await waitFor('the change', () => changes(stream).length > 0);
    expect(changes(stream)).toHaveLength(1);
    expect(JSON.parse(changes(stream)[0]?.data ?? '').flags.sort()).toEqual(flags);
  });

  it('sends nothing for unchanged flags, other settings or another property', async () => {
    const [ours, theirs] = [await follow(), await follow(OTHER_SECRET_KEY, 'other')];
    await save({ segments: [{ id: 'beta', match: 'all', conditions: [] }] });
    await applyProvision(shop.server, {
      properties: [
        { id: 'shop', goals: [{ id: 'signup', name: 'New members' }] },
        { id: 'other', flags: [{ key: 'theirs', type: 'boolean', defaultValue: true }] },
      ],
    });
    await waitFor('their change', () => changes(theirs).length > 0);
    await save(banner('loud'));
    await waitFor('our change', () => changes(ours).length > 0);
    const flagsOf = (stream: EventStream) => changes(stream).map(({ data }) => JSON.parse(data ?? '').flags);
    expect(flagsOf(ours)).toEqual([['banner']]);
    expect(flagsOf(theirs)).toEqual([['theirs']]);
  });

  it('HEAD returns headers and ends', async () => {
    const response = await fetch(`${shop.server.url}/v1/flags/stream?propertyId=shop`, {
      method: 'HEAD',
      headers: { 'x-api-key': SECRET_KEY },
      signal: AbortSignal.timeout(3000),
    });
    expect([200, 405]).toContain(response.status);
  });
});

describe('a client that reconnects', () => {
  const resume = (lastEventId: string) => follow(SECRET_KEY, 'shop', { 'last-event-id': lastEventId });
  const idOf = (stream: EventStream) => waitFor('an id', () => stream.events.findLast(({ id }) => id)?.id);

  /** The changes that the client gets before the one that is saved now. */
  async function changesOnConnect(stream: EventStream, value: string) {
    const before = await waitFor('the first event', () => stream.events.length > 0 && changes(stream).length);
    await save(banner(value));
    await waitFor('the next change', () => changes(stream).length > before);
    return changes(stream).slice(0, -1);
  }

  it('gets a change if it missed one, even if it never saw one, and after a restart', async () => {
    const first = await follow();
    const id = await idOf(first);
    first.close();
    await save(banner('missed'));
    await waitFor('the new version', async () => (await idOf(await follow())) !== id);
    const second = await resume(id);
    const [change] = await waitFor('a change', () => changes(second).length > 0 && changes(second));
    const list = (await shop.get('/v1/flags/list')).body;
    expect(JSON.parse(change?.data ?? '')).toEqual({
      ...{ propertyId: 'shop', version: Number(change?.id) },
      flags: list.flags.map(({ key }: { key: string }) => key),
    });
    await shop.server.stop('SIGTERM');
    shop = new Shop(await startServer({ dataDir: shop.server.dataDir }));
    const third = await resume(id);
    await waitFor('a change after the restart', () => changes(third).length > 0);
    expect(changes(third).map((event) => event.id)).toEqual([change?.id]);
  });

  it('gets nothing if it missed nothing, even after a restart', async () => {
    const id = await idOf(await follow());
    expect(await changesOnConnect(await resume(id), 'later')).toEqual([]);
    const now = await idOf(await follow());
    await shop.server.stop('SIGTERM');
    shop = new Shop(await startServer({ dataDir: shop.server.dataDir }));
    expect(await changesOnConnect(await resume(now), 'even later')).toEqual([]);
  });

  it.each(['0', '999999', 'garbage', '1e3', ' '])('gets a change if its id %j is unknown', async (id) => {
    const stream = await resume(id);
    await waitFor('a change', () => changes(stream).length > 0);
    expect(changes(stream)).toHaveLength(1);
  });
});

describe('a deleted key', () => {
  it('ends its own streams and rejects its requests', async () => {
    const [stream, other] = [await follow(DELETED_KEY), await follow()];
    const request = () => shop.get('/v1/flags/list', {}, DELETED_KEY);
    expect((await request()).status).toBe(200);
    const listed = await switchyard(shop.server, 'keys', 'list', '--json');
    expect(listed.code, listed.stderr).toBe(0);
    const id = JSON.parse(listed.stdout).keys.find(({ name }: { name: string }) => name === 'deleted').id;
    const deleted = await switchyard(shop.server, 'keys', 'delete', id);
    expect(deleted.code, deleted.stderr).toBe(0);
    await waitFor('the rejection', async () => (await request()).status === 401);
    await waitFor('the end of its stream', () => stream.ended);
    expect(other.ended).toBe(false);
    expect((await request()).body.error.code).toBe('api_key_invalid');
  });
});

describe('a server that stops', () => {
  it('ends its streams without waiting for the clients', async () => {
    const stream = await follow();
    expect(await shop.server.stop('SIGTERM')).toBe(0);
    await waitFor('the end of the stream', () => stream.ended);
  });
});
