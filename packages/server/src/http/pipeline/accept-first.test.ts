import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { acceptFirst } from './accept-first.ts';

let shop: Shop;
let port: number;
beforeAll(async () => {
  shop = await openShop();
  port = Number(new URL(shop.server.url).port);
});
afterAll(() => closeShop(shop));

const REQUEST = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n';

/** Sends a request on a connection; resolves with the status line. */
async function status(socket: Socket): Promise<string> {
  socket.write(REQUEST);
  const [data] = await once(socket, 'data');
  return String(data).split('\r\n', 1)[0]!;
}

it('serves many clients that connect at the same moment', async () => {
  const sockets = Array.from({ length: 300 }, () => connect(port, '127.0.0.1'));
  const statuses = await Promise.all(sockets.map(status));
  for (const socket of sockets) socket.destroy();
  expect(new Set(statuses)).toEqual(new Set(['HTTP/1.1 200 OK']));
});

it('serves open connections while new ones keep arriving', async () => {
  const open = connect(port, '127.0.0.1');
  expect(await status(open)).toBe('HTTP/1.1 200 OK');
  let isOver = false;
  const arriving = (async () => {
    while (!isOver) {
      const sockets = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'));
      await Promise.all(sockets.map((socket) => once(socket, 'connect')));
      for (const socket of sockets) socket.destroy();
    }
  })();
  for (let i = 0; i < 50; i++) expect(await status(open)).toBe('HTTP/1.1 200 OK');
  isOver = true;
  await arriving;
  open.destroy();
});

it('serves the others if clients leave before they are served', async () => {
  const leaving = Array.from({ length: 100 }, () => connect(port, '127.0.0.1'));
  for (const socket of leaving) {
    socket.on('error', () => {});
    socket.once('connect', () => socket.write(REQUEST, () => socket.resetAndDestroy()));
  }
  const staying = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'));
  const statuses = await Promise.all(staying.map(status));
  for (const socket of staying) socket.destroy();
  expect(new Set(statuses)).toEqual(new Set(['HTTP/1.1 200 OK']));
});

it('serves a request although every turn accepts another connection', async () => {
  const server = new EventEmitter();
  let isServed = false;
  server.on('request', () => {
    isServed = true;
  });
  acceptFirst({ server } as unknown as FastifyInstance);
  server.emit('connection');
  server.emit('request');
  expect(isServed).toBe(false);
  // It may wait for 10 ms. The limit is against hanging only.
  const startedAt = performance.now();
  while (!isServed && performance.now() - startedAt < 60_000) {
    server.emit('connection');
    await turn();
  }
  expect(isServed).toBe(true);
});
