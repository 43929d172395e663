import { readFileSync } from 'node:fs';
import { SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { accepted, closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { openSlowClients, type SlowClient } from '@switchyard/testing/network/slow-client';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, expect, it } from 'vitest';

const PAGE = '/v1/feedback?propertyId=shop&limit=500';
const CLIENTS = 40;
/** Requests per connection: the socket buffers of the system take the first few responses. */
const PIPELINED = 15;
const WARM_UP = 8;

let shop: Shop;
const open: SlowClient[] = [];
beforeAll(async () => {
  shop = await openShop({ env: { NODE_OPTIONS: '--max-old-space-size=512' } });
  const metadata = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`k${i}`, 'x'.repeat(1000)]));
  const feedback = { feedbackTypeId: 'nps', option: 'good', metadata };
  await accepted(...Array.from({ length: 60 }, () => shop.submit(feedback)));
});
afterAll(async () => {
  for (const client of open) client.close();
  await closeShop(shop);
});

function residentBytes(): number {
  const status = readFileSync(`/proc/${shop.server.process.pid}/status`, 'utf8');
  return 1024 * Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]);
}

const requests = (path: string, count: number) =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${SECRET_KEY}\r\n\r\n`.repeat(count);

const read = (path = PAGE) => shop.server.send('GET', path, { key: SECRET_KEY });

it('unread responses take a fraction of the memory of their total size', async () => {
  // Warm up first, so that memory for creating the responses does not count.
  await Promise.all(Array.from({ length: WARM_UP }, () => read()));
  const page = await read();
  expect(page.status).toBe(200);
  expect(page.text.length).toBeGreaterThan(1_000_000);
  const before = residentBytes();
  open.push(...(await openSlowClients(CLIENTS, shop.server.url, requests(PAGE, PIPELINED))));
  // Then there is as much unread output as the server keeps.
  await waitFor('a refused page', async () => (await read()).status === 503);
  expect((await shop.get('/v1/flags/list')).status).toBe(200);
  const growth = residentBytes() - before;
  expect(growth).toBeLessThan((CLIENTS * PIPELINED * page.text.length) / 4);
  for (const client of open) client.close();
  await waitFor('capacity for the page', async () => {
    return (await read()).status === 200;
  });
});

it('few exports run at a time, and one that is abandoned makes room for another', async () => {
  const path = '/v1/feedback/export?propertyId=shop';
  // More than places: one whose connection is closed, because it reads nothing, makes room for the next.
  const clients = await openSlowClients(12, shop.server.url, requests(path, 6 * PIPELINED));
  open.push(...clients);
  const rejected = await waitFor('unread exports', async () => {
    // An empty export, because it takes the place of another one for a moment only.
    const response = await read(`${path}&visitorId=nobody`);
    return response.status === 503 && response;
  });
  expect(rejected.body.error.code).toBe('overloaded');
  expect(rejected.headers.get('retry-after')).toBe('1');
  expect(rejected.headers.get('content-disposition')).toBeNull();
  for (const client of clients) client.close();
  const complete = await waitFor('room for an export', async () => {
    const response = await read(path);
    return response.status === 200 && response;
  });
  expect(complete.text.trimEnd().split('\r\n')).toHaveLength(61);
});
