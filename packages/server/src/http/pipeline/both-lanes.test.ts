import {
  type Endpoint,
  HOT_ENDPOINTS,
  keyFor,
  nameOf,
  withQuery,
} from '@switchyard/testing/fixtures/endpoints';
import {
  OTHER_PUBLIC_KEY,
  OTHER_SECRET_KEY,
  PUBLIC_KEY,
  SECRET_KEY,
} from '@switchyard/testing/fixtures/sample-property';
import { closeShop, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { sendRaw } from '@switchyard/testing/network/raw-request';
import { FUZZ_SEED, hostileText, like, likeQuery, runs } from '@switchyard/testing/random/fuzz';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// Every request is sent twice: as it is, and with a header that makes Fastify serve it. Both responses must be the
// same, byte by byte. `fast-lane.test.ts` makes sure that the first one does not go to Fastify.

const rows = HOT_ENDPOINTS.map((endpoint) => ({ name: nameOf(endpoint), endpoint }));
const withBody = rows.filter(({ endpoint }) => endpoint.body !== undefined);
const withoutBody = rows.filter(({ endpoint }) => endpoint.body === undefined);
const wrongKind = ({ kind }: Endpoint) => (kind === 'public' ? SECRET_KEY : PUBLIC_KEY);
const foreignKey = ({ kind }: Endpoint) => (kind === 'public' ? OTHER_PUBLIC_KEY : OTHER_SECRET_KEY);

let shop: Shop;
beforeAll(async () => {
  shop = await openShop({
    provision: sampleWith({ allowedOrigins: ['https://shop.example'] }),
    env: { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_PER_ADDRESS: '1000000', TRUST_PROXY: '1' },
  });
});
afterAll(() => closeShop(shop));

interface Variation {
  key?: string | undefined;
  headers?: Record<string, string>;
  search?: string;
  body?: string | Buffer;
  method?: string;
  httpVersion?: string;
}

type Lane = 'fast' | 'slow';

/** The bytes of a request. */
function requestText(endpoint: Endpoint, lane: Lane, variation: Variation): string {
  const { method = endpoint.method, httpVersion = '1.1' } = variation;
  const path =
    variation.search === undefined
      ? withQuery(endpoint.path, endpoint.query)
      : `${endpoint.path}?${variation.search}`;
  const content = variation.body ?? (endpoint.body && JSON.stringify(endpoint.body));
  const body = content === undefined ? '' : Buffer.from(content).toString('latin1');
  const key = 'key' in variation ? variation.key : keyFor(endpoint);
  const headers: Record<string, string> = {
    host: 'shop.example',
    connection: 'close',
    'x-request-id': 'both-lanes',
    ...(key !== undefined && { 'x-api-key': key }),
    ...(content !== undefined && {
      'content-type': 'application/json',
      'content-length': String(body.length),
    }),
    ...variation.headers,
    ...(lane === 'slow' && { 'x-switchyard-slow-lane': '1' }),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/${httpVersion}\r\n${lines.join('')}\r\n${body}`;
}

/** Without what differs between any two requests. */
const comparable = (text: string) => text.replace(/^Date: .*$/m, 'Date: now').replace(/;r=\d+;/g, ';r=some;');

async function send(endpoint: Endpoint, lane: Lane, variation: Variation): Promise<string> {
  const { text } = await sendRaw(shop.server.url, {
    start: Buffer.from(requestText(endpoint, lane, variation), 'latin1'),
  });
  return comparable(text);
}

/** Sends it through both lanes; returns the status. */
async function compareLanes(endpoint: Endpoint, variation: Variation): Promise<number> {
  const fast = await send(endpoint, 'fast', variation);
  expect(fast).toBe(await send(endpoint, 'slow', variation));
  return Number(fast.split(' ', 2)[1]);
}

describe('both lanes send the same bytes', () => {
  it.each(rows)('$name: success', async ({ endpoint }) => {
    expect(await compareLanes(endpoint, {})).toBe(200);
    expect(await compareLanes(endpoint, { httpVersion: '1.0' })).toBe(200);
  });

  it.each(rows)('$name: keys', async ({ endpoint }) => {
    expect(await compareLanes(endpoint, { key: undefined })).toBe(401);
    expect(await compareLanes(endpoint, { key: '' })).toBe(401);
    expect(await compareLanes(endpoint, { key: 'service_pub_unknown' })).toBe(401);
    expect(await compareLanes(endpoint, { key: wrongKind(endpoint) })).toBe(403);
    await compareLanes(endpoint, { key: foreignKey(endpoint) });
    const bearer = { authorization: `Bearer ${keyFor(endpoint)}` };
    await compareLanes(endpoint, { key: undefined, headers: bearer });
    await compareLanes(endpoint, { key: undefined, headers: { cookie: 'switchyard_session=unknown' } });
  });

  it.each(rows)('$name: keys in the query and in the body', async ({ endpoint }) => {
    for (const value of [keyFor(endpoint), foreignKey(endpoint), SECRET_KEY, 'unknown', '']) {
      const search = new URLSearchParams({ ...endpoint.query, key: value, idempotencyKey: 'a' });
      await compareLanes(endpoint, { key: undefined, search: `${search}` });
      await compareLanes(endpoint, { key: undefined, search: `${search}&key=b&idempotencyKey=b` });
      const body = JSON.stringify({ ...endpoint.body, apiKey: value });
      if (endpoint.body !== undefined) await compareLanes(endpoint, { key: undefined, body });
    }
    if (endpoint.body === undefined) return;
    for (const body of ['', 'null', '[]', '{"a":', '{"apiKey":5}'])
      expect(await compareLanes(endpoint, { key: undefined, body })).toBe(401);
  });

  it.each(rows)('$name: headers', async ({ endpoint }) => {
    for (const headers of [
      { origin: 'https://shop.example' },
      { origin: 'https://evil.example' },
      { 'if-none-match': '*' },
      { 'if-none-match': '"other", W/"another"' },
      { 'x-request-id': 'not a valid id' },
      { 'x-environment': 'staging' },
      { 'x-environment': 'unknown' },
      { 'x-forwarded-for': '2001:db8::1, 192.0.2.7' },
      { 'user-agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' },
      { connection: 'keep-alive, close' },
    ] as Record<string, string>[]) {
      if (headers['x-request-id'] === undefined) await compareLanes(endpoint, { headers });
      else expect(await send(endpoint, 'fast', { headers })).toMatch(/^HTTP\/1\.1 200/);
    }
  });

  it.each(withoutBody)('$name: an unchanged response', async ({ endpoint }) => {
    const etag = /^etag: (.*)$/m.exec(await send(endpoint, 'fast', {}))![1]!;
    expect(await compareLanes(endpoint, { headers: { 'if-none-match': etag } })).toBe(304);
    expect(await compareLanes(endpoint, { headers: { 'if-none-match': `W/${etag}` } })).toBe(304);
  });

  it.each(withBody)('$name: bodies and their headers', async ({ endpoint }) => {
    const text = JSON.stringify(endpoint.body);
    for (const body of [
      '',
      'null',
      '[]',
      text.slice(0, -1),
      `{"__proto__":{"a":1},${text.slice(1)}`,
      Buffer.from([0x7b, 0xff, 0x7d]),
      `${'['.repeat(40)}${']'.repeat(40)}`,
      `${text}${' '.repeat(70_000)}`,
    ]) {
      await compareLanes(endpoint, { body });
    }
    for (const type of [
      'text/plain',
      'text/plain;charset=UTF-8',
      'application/json; charset=utf-8',
      'application/json; charset=latin1',
    ])
      await compareLanes(endpoint, { headers: { 'content-type': type } });
    expect(await compareLanes(endpoint, { headers: { 'content-encoding': 'gzip' } })).toBe(415);
    expect(await compareLanes(endpoint, { search: 'propertyId=shop' })).toBe(200);
  });

  it.each(rows)('$name: other methods', async ({ endpoint }) => {
    await compareLanes(endpoint, { method: 'HEAD' });
    await compareLanes(endpoint, { method: 'OPTIONS' });
    await compareLanes(endpoint, { method: 'PUT' });
  });

  it.each(withBody.filter(({ endpoint }) => endpoint.template.startsWith('/v1/goals')))(
    '$name: idempotency keys',
    async ({ endpoint }) => {
      const keyed = (key: string, body?: string) => ({
        headers: { 'idempotency-key': `${endpoint.path} ${key}` },
        ...(body !== undefined && { body }),
      });
      // The second one of each pair is a replay.
      expect(await compareLanes(endpoint, keyed('same'))).toBe(200);
      const other = JSON.stringify({ ...endpoint.body, sessionId: 'another' });
      expect(await compareLanes(endpoint, keyed('same', other))).toBe(422);
      await compareLanes(endpoint, keyed('x'.repeat(300)));
    },
  );
});

describe(`both lanes send the same bytes for random requests (FUZZ_SEED=${FUZZ_SEED})`, () => {
  it.each(withBody)('$name: bodies', async ({ endpoint }) => {
    await fc.assert(
      fc.asyncProperty(like(endpoint.body), async (body) => {
        await compareLanes(endpoint, { body: JSON.stringify(body) });
      }),
      runs(25),
    );
  });

  it.each(withBody)('$name: malformed JSON', async ({ endpoint }) => {
    const text = JSON.stringify(endpoint.body);
    const spliced = fc
      .tuple(fc.nat(text.length), hostileText)
      .map(([at, noise]) => text.slice(0, at) + noise + text.slice(at + 1));
    await fc.assert(
      fc.asyncProperty(spliced, async (body) => {
        await compareLanes(endpoint, { body });
      }),
      runs(15),
    );
  });

  it.each(withoutBody)('$name: query strings', async ({ endpoint }) => {
    await fc.assert(
      fc.asyncProperty(likeQuery(endpoint.query ?? {}), async (search) => {
        await compareLanes(endpoint, { search });
      }),
      runs(25),
    );
  });
});

describe('what is counted', () => {
  it('is the same: requests by route and status, accepted and dropped events', async () => {
    const unknown = { splitTestKey: 'unknown', variationKey: 'b', sessionId: 's-dropped' };
    const body = JSON.stringify({ propertyId: 'shop', exposures: [unknown, unknown] });
    const expose = HOT_ENDPOINTS.find(({ template }) => template.endsWith('/expose'))!;
    const before = await counts();
    expect(await compareLanes(expose, { body })).toBe(404);
    expect(await compareLanes(expose, {})).toBe(200);
    const after = await counts();
    expect(after.map((count, i) => count - before[i]!)).toEqual([2, 2, 2, 4]);
  });

  async function counts(): Promise<number[]> {
    const text = await (await fetch(`${shop.server.url}/metrics`)).text();
    const requests = (status: number) =>
      `switchyard_http_request_duration_seconds_count{method="POST",route="/v1/split-testing/expose",status="${status}"}`;
    return [
      requests(200),
      requests(404),
      'switchyard_events_total{kind="exposure"}',
      'switchyard_events_dropped_total{reason="unknown_split_test"}',
    ].map((name) => {
      const line = text.split('\n').find((each) => each.startsWith(name));
      return Number(line?.slice(name.length) ?? 0);
    });
  }
});

describe('a used up rate limit', () => {
  let limited: Shop;
  beforeAll(async () => {
    limited = await openShop({ env: { RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_PER_ADDRESS: '1' } });
  });
  afterAll(() => closeShop(limited));

  it.each(rows)('$name: the same response in both lanes', async ({ endpoint }) => {
    const refused = async (lane: Lane) => {
      for (;;) {
        const { text, status } = await sendRaw(limited.server.url, {
          start: requestText(endpoint, lane, {}),
        });
        if (status === 429) return comparable(text);
      }
    };
    // Either limit may refuse a request, so a lane has several responses.
    const slow = new Set<string>();
    for (let i = 0; i < 20; i++) slow.add(await refused('slow'));
    expect([...slow]).toContain(await refused('fast'));
  });
});
