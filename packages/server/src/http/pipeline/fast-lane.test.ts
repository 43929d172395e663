import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { sendRaw } from '@switchyard/testing/network/raw-request';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ApiError } from '../../platform/errors/errors.ts';
import { Authentication } from '../access/authentication.ts';
import { CredentialUsage } from '../access/credential-usage.ts';
import { RateLimiter } from '../access/rate-limit.ts';
import { TokenBuckets } from '../access/token-buckets.ts';
import { beforeRequests } from '../limits/before-requests.ts';
import { ApiRoutes } from './api-routes.ts';
import { createHttpServer } from './http-server.ts';
import { RequestTimings } from './request-timings.ts';
import { RequestTracing } from './request-tracing.ts';

const OFF = { perKey: 0, perAddress: 0 };
const key = { id: 'key_1', kind: 'secret', propertyId: 'shop' } as const;
const lines: string[] = [];
const { app, fastLane } = createHttpServer(
  { trustProxy: false, workers: 1 },
  pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) }),
);
const auth = new Authentication({
  keys: { keyByText: (text) => (text === 'known' ? (key as never) : undefined), property: () => undefined },
  callers: { bySession: async () => undefined, byToken: async () => undefined },
  limiter: new RateLimiter(OFF, new TokenBuckets(OFF)),
  usage: new CredentialUsage(),
  publicUrl: undefined,
});
const api = new ApiRoutes(app, auth, fastLane);
const description = {
  tag: 'Operation',
  summary: 'Test',
  key: 'secret',
  responses: {},
  anyQuery: true,
} as const;

const spans: object[] = [];
let inFastify = 0;
let handled = 0;
app.addHook('onRequest', (_request, _reply, done) => {
  inFastify += 1;
  done();
});
api.hot('GET', '/hot', description, (_request, reply) => {
  handled += 1;
  return reply.type('text/plain').send('hot');
});
api.hot('GET', '/invalid-header', description, (_request, reply) => {
  reply.header('x-invalid', 'a\nb');
  return reply.type('text/plain').send('never sent');
});
api.hot<{ Body: { fail?: boolean } }>(
  'POST',
  '/hot',
  { ...description, body: { type: 'object' } },
  async ({ body }, reply) => {
    handled += 1;
    await new Promise(setImmediate);
    if (body.fail) throw new ApiError('overloaded');
    return reply.type('text/plain').send('hot');
  },
);

let url: string;
beforeAll(async () => {
  const tracing = new RequestTracing({
    startRequest: ({ route }) => ({
      run: (work) => work(),
      end: (status) => void spans.push({ route, status }),
    }),
  });
  tracing.observe(app);
  fastLane.open(app, new RequestTimings(), tracing);
  beforeRequests(app.server, (request, response, next) => {
    if (request.headers['x-late'] === undefined) next(request, response);
    else setTimeout(() => next(request, response), 50);
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
});
afterEach(() => {
  inFastify = 0;
  handled = 0;
  lines.length = 0;
  spans.length = 0;
});
afterAll(() => app.close());

const get = (headers = '', path = '/hot') =>
  sendRaw(url, {
    start: `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-api-key: known\r\n${headers}\r\n`,
  });
const post = (body: string, headers = '') =>
  sendRaw(url, {
    start: `POST /hot HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-api-key: known\r\ncontent-type: application/json\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`,
  });

it('serves plain requests without Fastify', async () => {
  for (const { status, body } of [
    await get(),
    await get('', '/hot?a=1'),
    await get('x-request-id: abc\r\nif-none-match: "a"\r\n'),
    await post('{}'),
    await post('{"a":1}'),
  ]) {
    expect([status, body]).toEqual([200, 'hot']);
  }
  expect({ inFastify, handled }).toEqual({ inFastify: 0, handled: 5 });
});

it('traces and logs requests without Fastify, and each only once', async () => {
  await get();
  await post('{"fail":true}');
  expect(inFastify).toBe(1);
  await expect.poll(() => lines.length).toBe(2);
  expect(lines.map((line) => JSON.parse(line).status)).toEqual([200, 503]);
  await expect
    .poll(() => spans)
    .toEqual([
      { route: '/hot', status: 200 },
      { route: '/hot', status: 503 },
    ]);
});

it.each([
  ['a header that asks for it', () => get('x-switchyard-slow-lane: 1\r\n')],
  ['a GET with a body', () => get('content-length: 0\r\n')],
  ['a compressed body', () => post('{}', 'content-encoding: identity\r\n')],
  ['another path', () => get('', '/hot/')],
  ['an empty body', () => post('')],
])('passes %s to Fastify', async (_name, send) => {
  await send();
  expect(inFastify).toBe(1);
});

it('passes errors to Fastify without handling the request again', async () => {
  const overloaded = await post('{"fail":true}');
  expect(overloaded.status).toBe(503);
  expect(JSON.parse(overloaded.body).error.code).toBe('overloaded');
  expect({ inFastify, handled }).toEqual({ inFastify: 1, handled: 1 });
});

it.each([
  [
    'an unknown key',
    401,
    () =>
      sendRaw(url, { start: 'GET /hot HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-api-key: no\r\n\r\n' }),
  ],
  ['invalid JSON', 400, () => post('{')],
  ['an invalid body', 400, () => post('[]')],
])('rejects %s before the handler', async (_name, status, send) => {
  expect((await send()).status).toBe(status);
  expect({ inFastify, handled }).toEqual({ inFastify: 1, handled: 0 });
});

it('a response that cannot be sent does not affect others', async () => {
  const [, broken, ...others] = await Promise.all([
    get('', '/hot?a=1'),
    get('', '/invalid-header').catch(() => ({ status: 0 })),
    get(),
    post('{}'),
  ]);
  expect(broken.status).not.toBe(200);
  expect(others.map(({ status }) => status)).toEqual([200, 200]);
});

it('serves a body that arrived before the request was served', async () => {
  expect(await post('{"a":1}', 'x-late: 1\r\n')).toMatchObject({ status: 200, body: 'hot' });
  expect({ inFastify, handled }).toEqual({ inFastify: 0, handled: 1 });
});

it('serves a body that arrives in parts, and several requests on one connection', async () => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setNoDelay();
  let text = '';
  socket.on('data', (data) => {
    text += data;
  });
  const headers = 'host: x\r\nx-api-key: known\r\ncontent-type: application/json\r\n';
  for (const part of [`POST /hot HTTP/1.1\r\n${headers}content-length: 9\r\n\r\n{"a"`, ':"b"', '}']) {
    socket.write(part);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await expect.poll(() => text).toContain('\r\n\r\nhot');
  // Pipelined: the second one waits for the response to the first.
  socket.write(`GET /hot HTTP/1.1\r\n${headers}\r\n`.repeat(2).replace(/content-type.*?\r\n/g, ''));
  await expect.poll(() => text.split('\r\n\r\nhot').length).toBe(4);
  socket.end();
  await once(socket, 'close');
  expect(handled).toBe(3);
});
