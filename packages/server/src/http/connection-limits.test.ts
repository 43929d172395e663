import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openMany, type UnhurriedClient } from '../testing/unhurried-client.ts';
import { settled, waitFor } from '../testing/wait.ts';
import { CONNECTION_LIMITS, type ConnectionLimits } from './connection-limits.ts';
import { createHttpServer } from './http-server.ts';

/** More than the buffers of the system take for one connection. */
const LARGE = 'x'.repeat(24 * 2 ** 20);

let app: FastifyInstance;
let url: string;
let handled: number;
let open: UnhurriedClient[];

/** Starts a server with limits of its own: short ones only where they are meant to be reached. */
async function serve(limits: Partial<ConnectionLimits> = {}): Promise<void> {
  const all = { ...CONNECTION_LIMITS, keepAliveTimeoutMs: 100, ...limits };
  app = createHttpServer({ trustProxy: false }, pino({ level: 'silent' }), all);
  app.get('/large', (_request, reply) => {
    handled += 1;
    return reply.header('etag', '"large"').type('text/plain').send(LARGE);
  });
  app.get('/small', () => ({ small: true }));
  app.get('/slow', async () => {
    await sleep(600);
    return { slow: true };
  });
  app.post('/echo', (request) => request.body);
  url = await app.listen({ host: '127.0.0.1', port: 0 });
}

beforeEach(() => {
  handled = 0;
  open = [];
});
afterEach(async () => {
  for (const client of open) client.close();
  await app.close();
});

const get = (path: string, times = 1) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(times);

async function connections(count: number, start?: string): Promise<UnhurriedClient[]> {
  const clients = await openMany(count, url, start);
  open.push(...clients);
  return clients;
}

const openConnections = () =>
  new Promise<number>((resolve, reject) => {
    app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });

const allClosed = () => waitFor('the end of all connections', async () => (await openConnections()) === 0);

const isAnswered = async (path = '/small') => (await fetch(url + path)).status === 200;

const HASTY = { headersTimeoutMs: 200, requestTimeoutMs: 300, checkIntervalMs: 50, lingerMs: 100 };

describe('a connection is closed, even if the client never closes it', () => {
  const rows = [
    { name: 'when it sends nothing', start: '' },
    { name: 'after a request line', start: 'GET /small HTTP/1.1\r\n' },
    {
      name: 'after half a body',
      start: 'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    },
    { name: 'after what is not HTTP', start: 'what is this?\r\n\r\n' },
    { name: 'after header fields that are too large', start: `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}` },
  ];
  it.each(rows)('$name', async ({ start }) => {
    await serve(HASTY);
    await connections(200, start);
    expect(await isAnswered()).toBe(true);
    await allClosed();
  });

  it('when it does not read its response', async () => {
    await serve({ stalledTimeoutMs: 200 });
    await connections(2, get('/large'));
    await waitFor('the requests', () => handled === 2);
    expect(await isAnswered()).toBe(true);
    await allClosed();
  });
});

it('the client is told why before its connection is closed', async () => {
  await serve({ ...HASTY, lingerMs: CONNECTION_LIMITS.lingerMs });
  const [client] = await connections(1, 'GET /small HTTP/1.1\r\n');
  client!.read();
  await allClosed();
  expect(client!.received).toMatch(/^HTTP\/1\.1 408 /);
});

it('a response that takes long to make is waited for', async () => {
  await serve({ stalledTimeoutMs: 200 });
  expect(await settled('the response', isAnswered('/slow'))).toBe(true);
});

it('a client that reads slowly, but reads, gets everything', async () => {
  const stalledTimeoutMs = 2000;
  await serve({ stalledTimeoutMs });
  const [client] = await connections(1, get('/large'));
  const startedAt = performance.now();
  await waitFor('the whole response', () => {
    client!.sip(LARGE.length / 256);
    return client!.received.length > LARGE.length;
  });
  expect(performance.now() - startedAt).toBeGreaterThan(2 * stalledTimeoutMs);
});

describe('responses that nobody reads', () => {
  it('are bounded in bytes over all connections: 503 beyond, and only for large ones', async () => {
    const maxUnsentBytes = 64 * 2 ** 20;
    await serve({ maxUnsentBytes });
    const clients = await connections(12, get('/large'));
    await waitFor('the requests', () => handled === clients.length);
    const refused = await fetch(`${url}/large`);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.headers.get('etag')).toBeNull();
    expect(await refused.json()).toMatchObject({ error: { code: 'overloaded' } });
    expect(await isAnswered()).toBe(true);
    for (const client of clients) client.read();
    await waitFor('all responses', () => clients.every(({ received }) => received.includes('\r\n\r\n')));
    const served = clients.filter(({ received }) => received.startsWith('HTTP/1.1 200 '));
    expect(served.length).toBe(Math.floor(maxUnsentBytes / LARGE.length));
    await waitFor('room for another large response', () => isAnswered('/large'));
  });
});

describe('requests that are sent ahead on one connection', () => {
  it('are answered one after the other, in their order', async () => {
    await serve();
    const [client] = await connections(1, get('/large') + get('/small', 50) + get('/large'));
    await waitFor('the first request', () => handled > 0);
    // It was asked after those on the other connection.
    expect(await isAnswered()).toBe(true);
    expect(handled).toBe(1);
    client!.read();
    await waitFor('the last response', () => client!.received.length > 2 * LARGE.length);
    expect(client!.received.match(/\{"small":true\}/g)).toHaveLength(50);
    expect(handled).toBe(2);
  });

  it('are not collected without end', async () => {
    await serve();
    const [client] = await connections(1, get('/slow') + get('/small', 500));
    client!.read();
    await allClosed();
    expect(client!.received).toBe('');
  });
});
