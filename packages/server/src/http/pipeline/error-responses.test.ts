import { gzipSync } from 'node:zlib';
import { PUBLIC_KEY, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import {
  closeShop,
  expectAccepted,
  expectProblem,
  openShop,
  type Shop,
} from '@switchyard/testing/fixtures/shop';
import { sendRaw } from '@switchyard/testing/network/raw-request';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => closeShop(shop));

describe('URLs', () => {
  const unknown = [
    '/nothing',
    '/v1',
    '/v2/goals/increment',
    '/v1/goals',
    '/v1/goals/increment/',
    '/v1/Goals/increment',
    '/v1/sessions/a/b',
    '/%2e%2e/etc/passwd',
    '/ofrep/v1/evaluate/flags/a/b',
  ];
  it.each(unknown)('%s: 404 not_found', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const response = await shop.server.call(method, path, { key: SECRET_KEY });
      expectProblem(response, { status: 404, code: 'not_found' });
    }
  });

  const wrongMethod = [
    { method: 'POST', path: '/v1/split-testing/config', allow: ['GET', 'HEAD', 'OPTIONS'] },
    { method: 'DELETE', path: '/v1/split-testing/config', allow: ['GET', 'HEAD', 'OPTIONS'] },
    { method: 'GET', path: '/v1/split-testing/expose', allow: ['OPTIONS', 'POST'] },
    { method: 'PUT', path: '/v1/split-testing/expose', allow: ['OPTIONS', 'POST'] },
    { method: 'POST', path: '/v1/split-testing/results', allow: ['GET', 'HEAD'] },
    { method: 'GET', path: '/v1/goals/increment', allow: ['POST'] },
    { method: 'PATCH', path: '/v1/goals/decrement', allow: ['POST'] },
    { method: 'OPTIONS', path: '/v1/goals/increment', allow: ['POST'] },
    { method: 'GET', path: '/v1/flags/evaluate?propertyId=shop', allow: ['POST'] },
    { method: 'POST', path: '/v1/flags/list', allow: ['GET', 'HEAD'] },
    { method: 'GET', path: '/v1/feedback/submit', allow: ['POST'] },
    { method: 'POST', path: '/v1/feedback', allow: ['GET', 'HEAD'] },
    { method: 'DELETE', path: '/v1/sessions', allow: ['GET', 'HEAD'] },
    { method: 'DELETE', path: '/v1/sessions/some-session', allow: ['GET', 'HEAD'] },
    // `collect` could also be a session id, which supports GET.
    { method: 'DELETE', path: '/v1/sessions/collect', allow: ['GET', 'HEAD', 'OPTIONS', 'POST'] },
    { method: 'GET', path: '/ofrep/v1/evaluate/flags', allow: ['POST'] },
    { method: 'GET', path: '/ofrep/v1/evaluate/flags/banner', allow: ['POST'] },
    { method: 'POST', path: '/healthz', allow: ['GET', 'HEAD'] },
  ];
  it.each(wrongMethod)('$method $path: 405 with Allow', async ({ method, path, allow }) => {
    const response = await shop.server.call(method, path, { key: SECRET_KEY });
    expectProblem(response, { status: 405, code: 'method_not_allowed' });
    expect(response.headers.get('allow')?.split(', ').sort()).toEqual(allow);
  });
});

const post = (rawBody: string | Uint8Array, headers: Record<string, string> = {}) =>
  shop.server.call('POST', '/v1/goals/increment', { key: SECRET_KEY, rawBody, headers });

describe('bodies', () => {
  const notJson = [
    { name: 'cut off', text: '{"goalId":"signup"' },
    { name: 'empty', text: '' },
    { name: 'blank', text: '  \n' },
    { name: 'single quotes', text: "{'goalId':'signup'}" },
    { name: 'a trailing comma', text: '{"goalId":"signup",}' },
    { name: 'a comment', text: '{} // no' },
    { name: 'two values', text: '{}{}' },
    { name: 'a form', text: 'goalId=signup' },
    { name: 'NaN', text: '{"amount":NaN}' },
    { name: 'Infinity', text: '{"amount":Infinity}' },
  ];
  it.each(notJson)('$name: 400 invalid_json', async ({ text }) => {
    expectProblem(await post(text), { status: 400, code: 'invalid_json' });
  });

  it('bytes that are not UTF-8: 400 invalid_json', async () => {
    const body = (bytes: number[]) =>
      Buffer.concat([
        Buffer.from('{"goalId":"signup","propertyId":"shop","metadata":{"a":"'),
        Buffer.from(bytes),
        Buffer.from('"}}'),
      ]);
    const broken = [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf]];
    for (const bytes of broken) expectProblem(await post(body(bytes)), { status: 400, code: 'invalid_json' });
    const valid = [
      [0xc3, 0xa4],
      [0xef, 0xbf, 0xbd],
      [0xf0, 0x9f, 0x98, 0x80],
    ];
    for (const bytes of valid) expectAccepted(await post(body(bytes)));
  });

  it('compressed: 415 with an explanation', async () => {
    const text = '{"goalId":"signup","propertyId":"shop"}';
    const rejected = await post(gzipSync(text), { 'content-encoding': 'gzip' });
    expectProblem(rejected, { status: 415, code: 'unsupported_media_type' });
    expect(rejected.body.detail).toContain('Content-Encoding');
    expectAccepted(await post(text, { 'content-encoding': 'identity' }));
  });

  const notObjects = ['null', '[]', '"text"', '5', 'true', '[{"goalId":"signup"}]'];
  it.each(notObjects)('%s: 400 for the whole body', async (text) => {
    expectProblem(await post(text), { status: 400, code: 'invalid_request', pointers: [''] });
  });

  it('a request without a body: 400 for the whole body', async () => {
    const response = await shop.server.call('POST', '/v1/goals/increment', { key: SECRET_KEY });
    expectProblem(response, { status: 400, code: 'invalid_request', pointers: [''] });
  });

  const mediaTypes = [
    { type: 'application/json', status: 200 },
    { type: 'application/json; charset=utf-8', status: 200 },
    { type: 'APPLICATION/JSON', status: 200 },
    { type: 'text/plain', status: 415 },
    { type: 'application/x-www-form-urlencoded', status: 415 },
    { type: 'multipart/form-data; boundary=x', status: 415 },
    { type: 'application/xml', status: 415 },
    { type: 'application/jsonp', status: 415 },
    { type: 'json', status: 415 },
  ];
  it.each(mediaTypes)('$type: $status', async ({ type, status }) => {
    const response = await post('{"goalId":"signup","propertyId":"shop"}', { 'content-type': type });
    if (status === 200) expectAccepted(response);
    else expectProblem(response, { status, code: 'unsupported_media_type' });
  });

  const deep = (levels: number) =>
    `{"propertyId":"shop","sessionId":"deep-${levels}","visitorId":"v","attributes":${'{"a":'.repeat(levels - 1)}1${'}'.repeat(levels)}`;
  const collectRaw = (rawBody: string) =>
    shop.server.call('POST', '/v1/sessions/collect', { key: PUBLIC_KEY, rawBody });

  it('nested 32 levels deep: stored', async () => {
    expectAccepted(await collectRaw(deep(32)));
    let { attributes } = await shop.session('deep-32');
    for (let level = 1; level < 32; level++) attributes = attributes.a;
    expect(attributes).toBe(1);
  });

  it('nested deeper than 32 levels: 400 invalid_json', async () => {
    const bombs = ['['.repeat(200_000), '{"a":'.repeat(100_000), `[${'[],'.repeat(10)}${'['.repeat(40)}`];
    for (const text of [deep(33), ...bombs]) {
      expectProblem(await collectRaw(text), { status: 400, code: 'invalid_json' });
    }
    expect(await shop.isUnknown('deep-33')).toBe(true);
  });

  it('brackets in strings do not count as nesting', async () => {
    const title = '[{"'.repeat(100);
    const events = [{ type: 'pageview', title }];
    expectAccepted(await shop.collect({ sessionId: 'brackets', visitorId: 'v', events }));
    expect((await shop.session('brackets')).timeline[0].title).toBe(title);
  });

  it('unknown fields are ignored', async () => {
    expectAccepted(
      await shop.increment({ goalId: 'signup', sessionId: 'unknown-fields', extra: { a: [1] }, id: 7 }),
    );
    expect(await shop.timeline('unknown-fields', 'goal')).toEqual([
      { at: expect.any(Number), type: 'goal', goalId: 'signup', count: 1, amount: 0 },
    ]);
  });
});

describe('one error lists all invalid fields', () => {
  const rows = [
    { name: 'an empty goal', path: '/v1/goals/increment', body: {}, pointers: ['/goalId', '/propertyId'] },
    {
      name: 'a goal with only invalid fields',
      path: '/v1/goals/increment',
      body: { goalId: 5, propertyId: '', sessionId: '!', amount: '5', metadata: { a: 1, 'b/c~d': null } },
      pointers: ['/goalId', '/propertyId', '/sessionId', '/amount', '/metadata/a', '/metadata/b~1c~0d'],
    },
    {
      name: 'a decrement with only invalid fields',
      path: '/v1/goals/decrement',
      body: { propertyId: null, sessionId: 'x'.repeat(129), amount: -1, metadata: [] },
      pointers: ['/goalId', '/propertyId', '/sessionId', '/amount', '/metadata'],
    },
    {
      name: 'a header and the body',
      path: '/v1/goals/increment',
      body: { goalId: 'signup' },
      headers: { 'idempotency-key': 'x'.repeat(256) },
      pointers: ['/idempotency-key', '/propertyId'],
    },
    {
      name: 'feedback with only invalid fields',
      path: '/v1/feedback/submit',
      body: { sessionId: '', option: 5, message: 'x'.repeat(5001), metadata: { a: 'x'.repeat(1025) } },
      pointers: ['/feedbackTypeId', '/propertyId', '/sessionId', '/option', '/message', '/metadata/a'],
    },
    {
      name: 'empty feedback',
      path: '/v1/feedback/submit',
      body: {},
      pointers: ['', '/feedbackTypeId', '/propertyId'],
    },
    {
      name: 'a flag evaluation',
      path: '/v1/flags/evaluate',
      body: { propertyId: 1, environment: '', context: [], flagKeys: ['a', 5, ''] },
      pointers: ['/propertyId', '/environment', '/context', '/flagKeys/1', '/flagKeys/2'],
    },
  ];
  it.each(rows)('$name', async ({ path, body, pointers, headers }) => {
    const response = await shop.post(path, body, headers);
    expectProblem(response, { status: 400, code: 'invalid_request', pointers });
    for (const { code, detail } of response.body.errors) expect([code, detail]).not.toContain('');
  });

  it('in each exposure of a batch', async () => {
    const good = { splitTestKey: 'hero', variationKey: 'b', sessionId: 'named-at-once' };
    const response = await shop.expose(good, { ...good, sessionId: 5, timestamp: '1' }, good, {
      attributes: 'x',
    });
    const pointers = [
      '/exposures/1/sessionId',
      '/exposures/1/timestamp',
      '/exposures/3/attributes',
      '/exposures/3/sessionId',
      '/exposures/3/splitTestKey',
      '/exposures/3/variationKey',
    ];
    expectProblem(response, { status: 400, code: 'invalid_request', pointers });
    expect(await shop.isUnknown('named-at-once')).toBe(true);
  });

  it('in each event of a session', async () => {
    const events = [{ type: 'click' }, { type: 'pageview', url: 5, title: 'x'.repeat(1025) }, 'pageview'];
    const response = await shop.collect({ sessionId: 's', events, userId: '' });
    const pointers = [
      '/visitorId',
      '/userId',
      '/events/0/type',
      '/events/1/url',
      '/events/1/title',
      '/events/2',
    ];
    expectProblem(response, { status: 400, code: 'invalid_request', pointers });
  });

  const queries: { path: string; query: Record<string, string>; pointers: string[] }[] = [
    {
      path: '/v1/sessions',
      query: { limit: '0', from: 'x', to: '-1' },
      pointers: ['/limit', '/from', '/to'],
    },
    { path: '/v1/sessions', query: { limit: '0', cursor: 'garbage' }, pointers: ['/limit', '/cursor'] },
    {
      path: '/v1/sessions',
      query: { variationKey: 'b', cursor: 'garbage' },
      pointers: ['/splitTestKey', '/cursor'],
    },
    { path: '/v1/feedback', query: { limit: '501', sessionId: '' }, pointers: ['/limit', '/sessionId'] },
    { path: '/v1/feedback', query: { limit: '501', cursor: '!' }, pointers: ['/limit', '/cursor'] },
    {
      path: '/v1/goals/progress',
      query: { interval: 'year', from: '1.5' },
      pointers: ['/goalId', '/interval', '/from'],
    },
    {
      path: '/v1/split-testing/results',
      query: { propertyId: '' },
      pointers: ['/propertyId', '/splitTestKey'],
    },
  ];
  it.each(queries)('in the query of $path $query', async ({ path, query, pointers }) => {
    expectProblem(await shop.get(path, query), { status: 400, code: 'invalid_request', pointers });
  });

  it('a repeated query parameter is invalid', async () => {
    const response = await shop.server.call('GET', '/v1/flags/list?propertyId=shop&propertyId=shop', {
      key: SECRET_KEY,
    });
    expectProblem(response, { status: 400, code: 'invalid_request', pointers: ['/propertyId'] });
  });
});

describe('request ids', () => {
  const safe = ['abc-123', '0af7651916cd43dd8448eb211c80319c', 'a.b_c:d', 'x'.repeat(128)];
  it.each(safe)('%s is echoed', async (id) => {
    const ok = await shop.server.call('GET', '/healthz', { headers: { 'x-request-id': id } });
    expect(ok.headers.get('x-request-id')).toBe(id);
    const failed = await shop.server.call('GET', '/v1/flags/list', { headers: { 'x-request-id': id } });
    expect(failed.body.requestId).toBe(id);
    expect(failed.headers.get('x-request-id')).toBe(id);
  });

  const unsafe = ['a b', '<script>', 'x'.repeat(129), '"', 'a\tb'];
  it.each(unsafe)('%j is replaced', async (id) => {
    const { headers } = await shop.server.call('GET', '/healthz', { headers: { 'x-request-id': id } });
    expect(headers.get('x-request-id')).toMatch(/^[\w.:-]{1,128}$/);
    expect(headers.get('x-request-id')).not.toBe(id);
  });

  it('generated ids are unique', async () => {
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => shop.server.call('GET', '/healthz')),
    );
    expect(new Set(responses.map(({ headers }) => headers.get('x-request-id'))).size).toBe(50);
  });
});

describe('malformed HTTP', () => {
  const host = 'Host: localhost\r\n';
  const rows = [
    { name: 'not HTTP', start: 'HELO switchyard\r\n\r\n', status: 400 },
    { name: 'a header without a name', start: `GET /healthz HTTP/1.1\r\n${host}: x\r\n\r\n`, status: 400 },
    {
      name: 'two Content-Length headers',
      start: `POST /v1/goals/increment HTTP/1.1\r\n${host}Content-Length: 5\r\nContent-Length: 6\r\n\r\n`,
      status: 400,
    },
    {
      name: 'two Host headers',
      start: `GET /healthz HTTP/1.1\r\n${host}host: evil.example\r\nConnection: close\r\n\r\n`,
      status: 400,
    },
    {
      name: 'two Host headers on a frequent route',
      start: `GET /v1/split-testing/config?propertyId=shop HTTP/1.1\r\n${host}${host}X-Api-Key: ${PUBLIC_KEY}\r\nConnection: close\r\n\r\n`,
      status: 400,
    },
    {
      name: 'more than 16 KiB of headers',
      start: `GET /healthz HTTP/1.1\r\n${host}X-Pad: ${'x'.repeat(20_000)}\r\n\r\n`,
      status: 431,
    },
    {
      name: 'a URL that is not UTF-8',
      start: `GET /v1/sessions/%E0%A4%A?propertyId=shop HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
      status: 400,
    },
  ];
  it.each(rows)('$name: $status with a problem document and a request id', async ({ start, status }) => {
    const response = await sendRaw(shop.server.url, { start });
    expect(response.status).toBe(status);
    expect(response.headers['content-type']).toMatch(/^application\/problem\+json\b/);
    const problem = JSON.parse(response.body);
    expect(problem).toMatchObject({ status, success: false, error: { code: 'invalid_request' } });
    expect(problem.requestId).toBe(response.headers['x-request-id']);
    expect(response.text).not.toMatch(/node_modules|\.js:\d/);
  });
});
