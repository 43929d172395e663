import { HOUR_MS } from '@switchyard/core/time';
import { PUBLIC_KEY } from '@switchyard/testing/fixtures/sample-property';
import {
  closeShop,
  expectAccepted,
  expectProblem,
  openShop,
  type Shop,
  sampleWith,
} from '@switchyard/testing/fixtures/shop';
import { sendRaw } from '@switchyard/testing/network/raw-request';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const variations = [
  { key: 'control', weight: 1 },
  { key: 'b', weight: 1 },
];

let shop: Shop;
beforeAll(async () => {
  const statuses = ['draft', 'paused', 'archived'];
  const splitTests = statuses.map((status) => ({ key: `is-${status}`, type: 'id', status, variations }));
  shop = await openShop({ provision: sampleWith({ splitTests }) });
});
afterAll(() => closeShop(shop));

const exposure = (sessionId: string, more: Record<string, unknown> = {}) => ({
  splitTestKey: 'hero',
  variationKey: 'b',
  sessionId,
  ...more,
});

describe('recording', () => {
  it('an exposure with all its fields', async () => {
    const timestamp = Date.now() - HOUR_MS;
    const attributes = {
      country: 'NL',
      nested: { list: [1, 'zwei', null, true] },
      empty: {},
      ключ: 'значение 💡',
    };
    expectAccepted(await shop.expose(exposure('all-fields', { timestamp, attributes })));
    const session = await shop.session('all-fields');
    expect(session.exposures).toEqual([{ splitTestKey: 'hero', variationKey: 'b', at: timestamp }]);
    expect(session.timeline).toEqual([
      { at: timestamp, type: 'exposure', splitTestKey: 'hero', variationKey: 'b', attributes },
    ]);
  });

  it('each exposure of a batch, of several sessions, tests and variations', async () => {
    const timestamp = Date.now() - HOUR_MS;
    const batch = [
      exposure('batch-1', { timestamp }),
      exposure('batch-2', { variationKey: 'control', timestamp: timestamp + 1 }),
      exposure('batch-1', { splitTestKey: 'finished', timestamp: timestamp + 2 }),
      exposure('batch-1', { timestamp: timestamp + 3 }),
    ];
    expectAccepted(await shop.expose(...batch));
    const [first, second] = [await shop.session('batch-1'), await shop.session('batch-2')];
    expect(first.exposures).toEqual([
      { splitTestKey: 'hero', variationKey: 'b', at: timestamp },
      { splitTestKey: 'finished', variationKey: 'b', at: timestamp + 2 },
    ]);
    expect(first.timeline.map(({ at }: { at: number }) => at)).toEqual([
      timestamp,
      timestamp + 2,
      timestamp + 3,
    ]);
    expect(second.exposures).toEqual([{ splitTestKey: 'hero', variationKey: 'control', at: timestamp + 1 }]);
  });

  it.each(['finished', 'is-paused', 'is-archived', 'is-draft'])(
    'an exposure of %s, which is not running (browsers cache definitions)',
    async (splitTestKey) => {
      expectAccepted(await shop.expose(exposure(`exposed-${splitTestKey}`, { splitTestKey })));
      expect((await shop.session(`exposed-${splitTestKey}`)).exposures).toMatchObject([
        { splitTestKey, variationKey: 'b' },
      ]);
    },
  );

  it('only the known exposures of a batch with unknown tests or variations', async () => {
    const response = await shop.expose(
      exposure('partial-test', { splitTestKey: 'nothing' }),
      exposure('partial'),
      exposure('partial-variation', { variationKey: 'nothing' }),
      exposure('partial', { splitTestKey: 'finished', variationKey: 'control' }),
      exposure('partial-other', { splitTestKey: 'HERO' }),
    );
    expectAccepted(response);
    const keys = (await shop.timeline('partial', 'exposure')).map(({ splitTestKey }) => splitTestKey);
    expect(keys.sort()).toEqual(['finished', 'hero']);
    for (const name of ['partial-test', 'partial-variation', 'partial-other']) {
      expect([name, await shop.isUnknown(name)]).toEqual([name, true]);
    }
  });

  const unknown = [
    { name: 'an unknown test', fields: [{ splitTestKey: 'nothing' }] },
    { name: 'an unknown variation', fields: [{ variationKey: 'nothing' }] },
    { name: 'a variation of another test', fields: [{ splitTestKey: 'is-paused', variationKey: 'a' }] },
    {
      name: 'only unknown exposures',
      fields: [{ splitTestKey: 'x' }, { variationKey: 'y' }, { splitTestKey: 'z' }],
    },
  ];
  it.each(unknown)('nothing of a batch with $name: 404', async ({ name, fields }) => {
    const sessionId = `404 ${name}`;
    const response = await shop.expose(...fields.map((field) => exposure(sessionId, field)));
    expectProblem(response, { status: 404, code: 'split_test_not_found' });
    expect(await shop.isUnknown(sessionId)).toBe(true);
  });

  it('the same exposure twice: both are stored, the session shows the first', async () => {
    const timestamp = Date.now() - HOUR_MS;
    expectAccepted(await shop.expose(exposure('twice', { timestamp: timestamp + 5 })));
    expectAccepted(await shop.expose(exposure('twice', { timestamp })));
    const session = await shop.session('twice');
    expect(session.exposures).toEqual([{ splitTestKey: 'hero', variationKey: 'b', at: timestamp }]);
    expect(session.timeline).toHaveLength(2);
  });
});

describe('timestamps', () => {
  const now = Date.now();
  const plausible = [
    { name: 'a day ago', timestamp: now - 24 * HOUR_MS },
    { name: '71 hours ago', timestamp: now - 71 * HOUR_MS },
    { name: '4 minutes ahead', timestamp: now + 4 * 60_000 },
  ];
  it.each(plausible)('$name is used', async ({ name, timestamp }) => {
    expectAccepted(await shop.expose(exposure(`plausible ${name}`, { timestamp })));
    expect((await shop.session(`plausible ${name}`)).exposures[0].at).toBe(timestamp);
  });

  const replaced = [
    { name: 'none', timestamp: undefined },
    { name: '73 hours ago', timestamp: now - 73 * HOUR_MS },
    { name: '1970', timestamp: 0 },
    { name: '30 minutes ahead', timestamp: now + 30 * 60_000 },
    { name: 'microseconds', timestamp: now * 1000 },
    { name: 'the largest number', timestamp: Number.MAX_VALUE },
  ];
  it.each(replaced)('$name is replaced by the time of receipt', async ({ name, timestamp }) => {
    const before = Date.now();
    expectAccepted(await shop.expose(exposure(`replaced ${name}`, { timestamp })));
    const { at } = (await shop.session(`replaced ${name}`)).exposures[0];
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(Date.now());
  });

  it('more than the largest number is replaced by the time of receipt', async () => {
    const before = Date.now();
    const rawBody =
      '{"propertyId":"shop","exposures":[{"splitTestKey":"hero","variationKey":"b","sessionId":"1e400","timestamp":1e400}]}';
    expectAccepted(await shop.server.call('POST', '/v1/split-testing/expose', { key: PUBLIC_KEY, rawBody }));
    const { at } = (await shop.session('1e400')).exposures[0];
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(Date.now());
  });
});

describe('limits', () => {
  const invalid = { status: 400, code: 'invalid_request' };

  it.each([1, 500])('a batch of %i', async (count) => {
    const sessionId = `batch-of-${count}`;
    expectAccepted(await shop.expose(...Array.from({ length: count }, () => exposure(sessionId))));
    expect(await shop.timeline(sessionId, 'exposure')).toHaveLength(count);
  });

  it.each([0, 501])('not a batch of %i', async (count) => {
    const response = await shop.expose(...Array.from({ length: count }, () => exposure('too-many')));
    expectProblem(response, { ...invalid, pointers: ['/exposures'] });
    expect(await shop.isUnknown('too-many')).toBe(true);
  });

  // {"a":"…"} has 8 bytes in addition to the text.
  const attributes = [
    { name: '8192 bytes', text: 'x'.repeat(8184), fits: true },
    { name: '8193 bytes', text: 'x'.repeat(8185), fits: false },
    { name: '8192 bytes in 4100 characters', text: 'é'.repeat(4092), fits: true },
    { name: '8194 bytes in 4101 characters', text: 'é'.repeat(4093), fits: false },
    { name: '8192 bytes of emoji', text: '💡'.repeat(2046), fits: true },
    { name: '8196 bytes of emoji', text: '💡'.repeat(2047), fits: false },
  ];
  it.each(attributes)('attributes of $name', async ({ name, text, fits }) => {
    const response = await shop.expose(exposure(`attributes ${name}`, { attributes: { a: text } }));
    if (!fits) return expectProblem(response, { ...invalid, pointers: ['/exposures/0/attributes'] });
    expectAccepted(response);
    expect((await shop.timeline(`attributes ${name}`, 'exposure'))[0].attributes).toEqual({ a: text });
  });

  const sessionIds = [
    { name: '500 characters', sessionId: 'x'.repeat(500), fits: true },
    { name: '501 characters', sessionId: 'x'.repeat(501), fits: false },
    { name: '500 non-ASCII characters', sessionId: 'é'.repeat(500), fits: true },
    { name: '500 emoji', sessionId: '💡'.repeat(500), fits: true },
    { name: '501 emoji', sessionId: '💡'.repeat(501), fits: false },
    { name: 'special characters', sessionId: `a/b?c#d%e&f=g+h "i" 'j' \\k <l>`, fits: true },
    { name: 'dots', sessionId: '..', fits: true },
  ];
  it.each(sessionIds)('a session id of $name', async ({ sessionId, fits }) => {
    const response = await shop.expose(exposure(sessionId));
    if (!fits) return expectProblem(response, { ...invalid, pointers: ['/exposures/0/sessionId'] });
    expectAccepted(response);
    const { sessions } = await shop.sessions({ splitTestKey: 'hero', limit: '500' });
    expect(sessions.map((session: { sessionId: string }) => session.sessionId)).toContain(sessionId);
  });

  it.each(sessionIds.filter(({ fits, name }) => fits && name !== 'dots'))(
    'a session with an id of $name can be read',
    async ({ sessionId }) => {
      expectAccepted(await shop.expose(exposure(sessionId)));
      expect(await shop.session(sessionId)).toMatchObject({ sessionId });
    },
  );

  it.each([
    { name: '1 MiB', bytes: 1024 * 1024, status: 200 },
    { name: '1 MiB and a byte', bytes: 1024 * 1024 + 1, status: 413 },
  ])('a body of $name: $status', async ({ bytes, status }) => {
    const body = { propertyId: 'shop', exposures: [exposure(`bytes-${bytes}`)], pad: '' };
    body.pad = 'x'.repeat(bytes - JSON.stringify(body).length);
    const response = await shop.browse('/v1/split-testing/expose', body);
    if (status === 200) expectAccepted(response);
    else expectProblem(response, { status, code: 'body_too_large' });
    expect(await shop.isUnknown(`bytes-${bytes}`)).toBe(status !== 200);
  });

  it('the size is limited without Content-Length too', async () => {
    const head = `POST /v1/split-testing/expose HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${PUBLIC_KEY}\r\nContent-Type: application/json\r\n`;
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    const start = `${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(17)}0\r\n\r\n`;
    const response = await sendRaw(shop.server.url, { start });
    expect(response.status).toBe(413);
    expect(JSON.parse(response.body).error.code).toBe('body_too_large');
  });
});

describe('validation', () => {
  const good = exposure('shapes');
  const rows: { name: string; body: unknown; pointers: string[] }[] = [
    { name: 'an empty body', body: {}, pointers: ['/propertyId', '/exposures'] },
    { name: 'no property', body: { exposures: [good] }, pointers: ['/propertyId'] },
    {
      name: 'a property that is not a string',
      body: { propertyId: 5, exposures: [good] },
      pointers: ['/propertyId'],
    },
    {
      name: 'an exposure instead of a list',
      body: { propertyId: 'shop', exposures: good },
      pointers: ['/exposures'],
    },
    {
      name: 'null instead of a list',
      body: { propertyId: 'shop', exposures: null },
      pointers: ['/exposures'],
    },
    {
      name: 'list items that are not objects',
      body: { propertyId: 'shop', exposures: [1, null, 'x', []] },
      pointers: [0, 1, 2, 3].map((i) => `/exposures/${i}`),
    },
  ];
  it.each(rows)('$name', async ({ body, pointers }) => {
    const response = await shop.browse('/v1/split-testing/expose', body);
    expectProblem(response, { status: 400, code: 'invalid_request', pointers });
  });

  const fields: { name: string; field: string; value: unknown }[] = [
    { name: 'no test', field: 'splitTestKey', value: undefined },
    { name: 'an empty test', field: 'splitTestKey', value: '' },
    { name: 'a test that is not a string', field: 'splitTestKey', value: 5 },
    { name: 'no variation', field: 'variationKey', value: undefined },
    { name: 'a variation that is not a string', field: 'variationKey', value: null },
    { name: 'no session', field: 'sessionId', value: undefined },
    { name: 'an empty session', field: 'sessionId', value: '' },
    { name: 'a session that is not a string', field: 'sessionId', value: 5 },
    { name: 'a timestamp that is not a number', field: 'timestamp', value: '2026-01-01' },
    { name: 'a negative timestamp', field: 'timestamp', value: -1 },
    { name: 'a timestamp of null', field: 'timestamp', value: null },
    { name: 'attributes that are a list', field: 'attributes', value: [] },
    { name: 'attributes that are a string', field: 'attributes', value: '{}' },
    { name: 'attributes of null', field: 'attributes', value: null },
  ];
  it.each(fields)('$name', async ({ field, value }) => {
    const response = await shop.expose(good, { ...good, [field]: value });
    expectProblem(response, { status: 400, code: 'invalid_request', pointers: [`/exposures/1/${field}`] });
    expect(await shop.isUnknown('shapes')).toBe(true);
  });
});
