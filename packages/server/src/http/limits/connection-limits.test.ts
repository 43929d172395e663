import { setTimeout as sleep } from 'node:timers/promises';
import { openSlowClients, type SlowClient } from '@switchyard/testing/network/slow-client';
import { settled, waitFor } from '@switchyard/testing/time/wait';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../../platform/settings/config.ts';
import { createHttpServer } from '../pipeline/http-server.ts';
import { type ConnectionLimits, connectionLimits } from './connection-limits.ts';

/** More than the operating system buffers for one connection. */
const LARGE = 'x'.repeat(24 * 2 ** 20);

let app: FastifyInstance;
let url: string;
let handled: number;
let open: SlowClient[];

/** Starts a server with short timeouts only where a test needs them. */
async function serve(
  limits: Partial<ConnectionLimits> = {},
  trustProxy: Config['trustProxy'] = false,
): Promise<void> {
  const all = { ...connectionLimits(1), keepAliveTimeoutMs: 100, ...limits };
  ({ app } = createHttpServer({ trustProxy, workers: 1 }, pino({ level: 'silent' }), all));
  app.get('/large', (_request, reply) => {
    handled += 1;
    return reply.header('etag', '"large"').type('text/plain').send(LARGE);
  });
  app.get('/small', () => ({ small: true }));
  app.get('/slow', async () => {
    handled += 1;
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

async function connections(count: number, start?: string): Promise<SlowClient[]> {
  const clients = await openSlowClients(count, url, start);
  open.push(...clients);
  return clients;
}

const openConnections = () =>
  new Promise<number>((resolve, reject) => {
    app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });

const allClosed = () => waitFor('all connections to close', async () => (await openConnections()) === 0);

const succeeds = async (path = '/small') => (await fetch(url + path)).status === 200;

const SHORT_TIMEOUTS = { headersTimeoutMs: 200, requestTimeoutMs: 300, checkIntervalMs: 50, lingerMs: 100 };

describe('the server closes a connection that the client keeps open', () => {
  const rows = [
    { name: 'if it sends nothing', start: '' },
    { name: 'after a request line', start: 'GET /small HTTP/1.1\r\n' },
    {
      name: 'after half a body',
      start: 'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    },
    { name: 'after input that is not HTTP', start: 'what is this?\r\n\r\n' },
    { name: 'after headers that are too large', start: `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}` },
  ];
  it.each(rows)('$name', async ({ start }) => {
    await serve(SHORT_TIMEOUTS);
    await connections(200, start);
    expect(await succeeds()).toBe(true);
    await allClosed();
  });

  it('if it does not read its response', async () => {
    await serve({ stalledTimeoutMs: 200 });
    await connections(2, get('/large'));
    await waitFor('the requests', () => handled === 2);
    expect(await succeeds()).toBe(true);
    await allClosed();
  });
});

it('sends 408 before it closes the connection', async () => {
  await serve({ ...SHORT_TIMEOUTS, lingerMs: connectionLimits(1).lingerMs });
  const [client] = await connections(1, 'GET /small HTTP/1.1\r\n');
  client!.read();
  await allClosed();
  expect(client!.received).toMatch(/^HTTP\/1\.1 408 /);
});

it('a slow handler does not count as a stalled client', async () => {
  await serve({ stalledTimeoutMs: 200 });
  expect(await settled('the response', succeeds('/slow'))).toBe(true);
});

it('a client that reads slowly gets the whole response', async () => {
  const stalledTimeoutMs = 2000;
  await serve({ stalledTimeoutMs });
  const [client] = await connections(1, get('/large'));
  const startedAt = performance.now();
  await waitFor('the whole response', () => {
    client!.readSome(LARGE.length / 256);
    return client!.received.length > LARGE.length;
  });
  expect(performance.now() - startedAt).toBeGreaterThan(2 * stalledTimeoutMs);
});

describe('unread responses', () => {
  it('are limited in bytes over all connections: beyond the limit, large responses become 503', async () => {
    const maxUnsentBytes = 64 * 2 ** 20;
    await serve({ maxUnsentBytes });
    const clients = await connections(12, get('/large'));
    await waitFor('the requests', () => handled === clients.length);
    const rejected = await fetch(`${url}/large`);
    expect(rejected.status).toBe(503);
    expect(rejected.headers.get('retry-after')).toBe('1');
    expect(rejected.headers.get('etag')).toBeNull();
    expect(await rejected.json()).toMatchObject({ error: { code: 'overloaded' } });
    expect(await succeeds()).toBe(true);
    for (const client of clients) client.read();
    await waitFor('all responses', () => clients.every(({ received }) => received.includes('\r\n\r\n')));
    const served = clients.filter(({ received }) => received.startsWith('HTTP/1.1 200 '));
    expect(served.length).toBe(Math.floor(maxUnsentBytes / LARGE.length));
    await waitFor('capacity for another large response', () => succeeds('/large'));
  });
});

describe('pipelined requests', () => {
  it('are handled one after the other, in order', async () => {
    await serve();
    const [client] = await connections(1, get('/large') + get('/small', 50) + get('/large'));
    await waitFor('the first request', () => handled > 0);
    // Sent after the pipelined requests, so the server has received them all.
    expect(await succeeds()).toBe(true);
    expect(handled).toBe(1);
    client!.read();
    await waitFor('the last response', () => client!.received.length > 2 * LARGE.length);
    expect(client!.received.match(/\{"small":true\}/g)).toHaveLength(50);
    expect(handled).toBe(2);
  });

  it('are limited in number', async () => {
    await serve();
    const [client] = await connections(1, get('/slow') + get('/small', 500));
    client!.read();
    await allClosed();
    expect(client!.received).toBe('');
  });
});

describe('connections of one address', () => {
  const from = (localAddress: string, count: number, start?: string) =>
    openSlowClients(count, url, start, localAddress).then((clients) => {
      open.push(...clients);
      return clients;
    });

  it('replace its oldest idle ones, and take no place from others', async () => {
    // So that nothing else closes them.
    const [headersTimeoutMs, requestTimeoutMs] = [300_000, 300_000];
    const timeouts = {
      headersTimeoutMs,
      requestTimeoutMs,
      keepAliveTimeoutMs: 300_000,
      crowdedIdleMs: 300_000,
    };
    await serve({ maxPerAddress: 5, maxConnections: 50, ...timeouts });
    const [first] = await from('127.0.0.2', 1, get('/small'));
    first!.read();
    await waitFor('the response', () => first!.received.includes('small'));
    await from('127.0.0.2', 100);
    await waitFor('the limit', async () => (await openConnections()) <= 5);
    await waitFor('the first one to close', () => first!.isClosed);
    expect(await succeeds()).toBe(true);
  });

  it('are rejected while all of them are busy', async () => {
    await serve({ maxPerAddress: 3 });
    const busy = await from('127.0.0.2', 3, get('/slow'));
    for (const client of busy) client.read();
    await waitFor('the requests', () => handled === 3);
    const [rejected] = await from('127.0.0.2', 1, get('/small'));
    rejected!.read();
    await waitFor('the rejection', () => rejected!.isClosed);
    expect(rejected!.received).toBe('');
    await waitFor('the responses', () => busy.every(({ received }) => received.includes('slow')));
  });

  it('are not limited for a trusted proxy', async () => {
    await serve({ maxPerAddress: 3 }, '127.0.0.2');
    await from('127.0.0.2', 20);
    await waitFor('all of them', async () => (await openConnections()) === 20);
  });
});

it('closes idle connections sooner when half of the connections are taken, but not busy ones', async () => {
  await serve({ maxConnections: 20, checkIntervalMs: 50, crowdedIdleMs: 100, keepAliveTimeoutMs: 60_000 });
  const [busy] = await connections(1, get('/slow'));
  busy!.read();
  await connections(15);
  await waitFor('space for others', async () => (await openConnections()) <= 10);
  await waitFor('the response', () => busy!.received.includes('slow'));
});
