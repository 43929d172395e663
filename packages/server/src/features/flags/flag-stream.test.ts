import { OTHER_SECRET_KEY, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { closeShop, openShop, Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { EventStream } from '@switchyard/testing/network/event-stream';
import { SlowClient } from '@switchyard/testing/network/slow-client';
import { ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { applyProvision, switchyard } from '@switchyard/testing/server/command-line';
import { bodyOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { startServer } from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const DELETED_KEY = 'service_sec_0123456789abcdefDeleted';

let shop: Shop;
const open: EventStream[] = [];
beforeAll(async () => {
  shop = await openShop({
    provision: sampleWith({ apiKeys: [{ kind: 'secret', name: 'deleted', key: DELETED_KEY }] }),
    env: WITH_OWNER,
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

interface Item {
  id: string;
  key: string;
  flagId: string;
}

interface Known {
  list: { flags: Item[]; configs: Item[] };
  segments: Item[];
  etags: { list: string | null; segments: string | null };
}

/** What a client has that fetches everything. */
async function fetchAll(): Promise<Known> {
  const list = await shop.get('/v1/flags/list');
  const segments = await shop.get('/v1/flags/segments');
  const etags = { list: list.headers.get('etag'), segments: segments.headers.get('etag') };
  return { list: list.body, segments: segments.body.segments, etags };
}

const sorted = ({ list, segments, etags }: Known) => {
  const byId = (items: Item[]) => items.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return { flags: byId(list.flags), configs: byId(list.configs), segments: byId(segments), etags };
};

/** What the description of the endpoint says. */
function applyDelta({ list, segments }: Known, data: string): Known {
  const { delta, etags } = JSON.parse(data);
  const replaced = new Set([...delta.flags.map(({ id }: Item) => id), ...delta.removedFlags]);
  const replacedSegments = new Set([...delta.segments.map(({ id }: Item) => id), ...delta.removedSegments]);
  return {
    list: {
      flags: [...list.flags.filter(({ id }) => !replaced.has(id)), ...delta.flags],
      configs: [...list.configs.filter(({ flagId }) => !replaced.has(flagId)), ...delta.configs],
    },
    segments: [...segments.filter(({ id }) => !replacedSegments.has(id)), ...delta.segments],
    etags,
  };
}

const longRule = (i: number) => ({ id: `rule-${i}`, conditions: [], value: 'x'.repeat(7000) });

describe('the data of an event', () => {
  const inProduction = (fields: object) => ({ environments: { production: { value: 'x', ...fields } } });
  const beta = { id: 'beta', conditions: [{ operator: 'inSegment', values: ['extra'] }], value: 'y' };
  const steps: [string, object][] = [
    ['a new value', banner('delta')],
    ['a new segment', { segments: [{ id: 'extra', match: 'all', conditions: [] }] }],
    ['a new flag', { flags: [{ key: 'extra', type: 'string', defaultValue: 'x', ...inProduction({}) }] }],
    ['a rule with a segment', { flags: [{ key: 'extra', ...inProduction({ rules: [beta] }) }] }],
    ['a changed segment', { segments: [{ id: 'extra', match: 'any', conditions: [] }] }],
    ['a new environment', { environments: [{ id: 'extra', name: 'Extra' }] }],
    ['a value in it', { flags: [{ key: 'extra', environments: { extra: { value: 'z' } } }] }],
  ];

  it('names the tags of what the client has to have, and contains small changes', async () => {
    const stream = await follow();
    const state = await waitFor('the state', () => stream.events.find(({ event }) => event === 'state'));
    let known = await fetchAll();
    expect(JSON.parse(state.data ?? '')).toMatchObject({ propertyId: 'shop', etags: known.etags });
    for (const [i, [name, change]] of steps.entries()) {
      await save(change);
      const event = await waitFor(name, () => changes(stream)[i]);
      expect(JSON.parse(event.data ?? '').delta.from, name).toEqual(known.etags);
      known = applyDelta(known, event.data ?? '');
      expect(sorted(known), name).toEqual(sorted(await fetchAll()));
    }
    const owner = new PropertyManager(await ownerBrowser(shop.server));
    for (const path of ['/flags/extra', '/segments/extra', '/environments/extra']) {
      const before = changes(stream).length;
      expect((await owner.delete(path, '*')).status, path).toBe(204);
      const event = await waitFor(path, () => changes(stream)[before]);
      known = applyDelta(known, event.data ?? '');
      expect(sorted(known), path).toEqual(sorted(await fetchAll()));
    }
  });

  it('only has the tags if the change is large', async () => {
    const stream = await follow();
    await save({ flags: [{ key: 'banner', ...inProduction({ rules: [1, 2, 3].map(longRule) }) }] });
    const event = await waitFor('the change', () => changes(stream)[0]);
    const data = JSON.parse(event.data ?? '');
    expect(data).toMatchObject({ flags: ['banner'], etags: (await fetchAll()).etags });
    expect(data).not.toHaveProperty('delta');
    expect(data.spreadMs).toBeGreaterThanOrEqual(0);
    await save({ flags: [{ key: 'banner', ...inProduction({ rules: [] }) }] });
  });
});

const request = (key: string, propertyId: string) =>
  `GET /v1/flags/stream?propertyId=${propertyId} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\n\r\n`;

it('an idle stream gets heartbeats', async () => {
  const client = await SlowClient.open(shop.server.url, request(OTHER_SECRET_KEY, 'other'));
  client.read();
  await waitFor('a heartbeat', () => client.received.includes('\n\n: heartbeat\n\n'));
  client.close();
});

describe('a client that does not read', () => {
  it('misses changes in between, and has the last one when it has read all', async () => {
    const owner = new PropertyManager(await ownerBrowser(shop.server));
    const client = await SlowClient.open(shop.server.url, request(SECRET_KEY, 'shop'));
    const attentive = await follow();
    // More than the buffers of the system take.
    const saved = 500;
    const change = (i: number) => {
      const configuration = { enabled: true, value: `value ${i}`, rules: [longRule(1), longRule(2)] };
      return owner.patch('/flags/banner', { environments: { production: configuration } }, '*');
    };
    for (let i = 0; i < saved; i += 10) {
      const changed = await Promise.all(Array.from({ length: 10 }, (_, j) => change(i + j)));
      for (const response of changed) bodyOf(response);
    }
    const { version } = await owner.read('');
    await waitFor('the last change', () => changes(attentive).at(-1)?.id === String(version));
    client.read();
    await waitFor('the last change', () => client.isClosed || client.received.includes(`id: ${version}\n`));
    const received = client.received.split('event: change').length - 1;
    expect(received).toBeGreaterThan(0);
    expect(received).toBeLessThan(saved);
    client.close();
  });
});

describe('too many streams', () => {
  let small: Shop;
  beforeAll(async () => {
    small = await openShop({ env: { STREAMS_MAX: '5', STREAMS_MAX_PER_KEY: '3' } });
  });
  afterAll(() => closeShop(small));

  const openIn = async (key: string, propertyId: string) => {
    const url = `${small.server.url}/v1/flags/stream?propertyId=${propertyId}`;
    const stream = await EventStream.open(url, { 'x-api-key': key });
    open.push(stream);
    return stream;
  };
  const refusal = async (key: string, propertyId: string) => {
    const path = `/v1/flags/stream?propertyId=${propertyId}`;
    const { status, headers, body } = await small.server.call('GET', path, { key });
    expect(status).toBe(503);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(body.error.code).toBe('too_many_streams');
    return body.error.message;
  };

  it('get 503, of a key and of all, until others end', async () => {
    const streams = await Promise.all([1, 2, 3].map(() => openIn(SECRET_KEY, 'shop')));
    expect(await refusal(SECRET_KEY, 'shop')).toMatch(/This key/);
    await Promise.all([1, 2].map(() => openIn(OTHER_SECRET_KEY, 'other')));
    expect(await refusal(OTHER_SECRET_KEY, 'other')).toMatch(/The server/);
    expect((await small.get('/v1/flags/list')).status).toBe(200);
    streams[0]!.close();
    await waitFor('room', async () => (await openIn(SECRET_KEY, 'shop')).response.statusCode === 200);
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
    expect(JSON.parse(change?.data ?? '')).toMatchObject({
      propertyId: 'shop',
      version: Number(change?.id),
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
