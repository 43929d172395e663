import { readdirSync } from 'node:fs';
import { SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { accepted, closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { sendRaw } from '@switchyard/testing/network/raw-request';
import { openSlowClients } from '@switchyard/testing/network/slow-client';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const MAX_DURATION_MS = 20_000;
const MIN_DURATION_MS = 5_000;

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => closeShop(shop));

const head = `POST /v1/goals/increment HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${SECRET_KEY}\r\nContent-Type: application/json\r\n`;

describe.concurrent('a client that sends too slowly is disconnected', () => {
  const rows = [
    { name: 'in the headers', start: 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n', chunk: 'X-Drop: 1\r\n' },
    { name: 'in the body', start: `${head}Content-Length: 1000\r\n\r\n{"propertyId":"shop",`, chunk: ' ' },
    {
      name: 'in the chunks of the body',
      start: `${head}Transfer-Encoding: chunked\r\n\r\n`,
      chunk: '1\r\n \r\n',
    },
  ];
  it.for(rows)('$name', async ({ start, chunk }) => {
    const { milliseconds, status } = await sendRaw(shop.server.url, { start, chunk, everyMs: 250 });
    expect(milliseconds).toBeLessThan(MAX_DURATION_MS);
    // Slow clients get some time, but never a success response.
    expect(milliseconds).toBeGreaterThan(MIN_DURATION_MS);
    expect([0, 408]).toContain(status);
  });

  it('other clients are not affected', async () => {
    for (let i = 0; i < 20; i++) {
      const startedAt = performance.now();
      expect((await shop.server.send('GET', '/healthz')).status).toBe(200);
      expect(performance.now() - startedAt).toBeLessThan(MIN_DURATION_MS);
    }
  });
});

/** Limits the process to 300 file descriptors. */
const withFewDescriptors = (command: string[]) => ['sh', '-c', 'ulimit -n 300; exec "$@"', 'sh', ...command];

it.concurrent('incomplete requests do not exhaust descriptors, even if their clients never disconnect', async () => {
  const small = await openShop({ wrap: withFewDescriptors });
  const descriptors = () => readdirSync(`/proc/${small.server.process.pid}/fd`).length;
  const before = descriptors();
  const clients = await openSlowClients(
    400,
    small.server.url,
    'GET /healthz HTTP/1.1\r\nHost: localhost\r\n',
  );
  try {
    await waitFor('the descriptors to be released', () => descriptors() <= before);
    await accepted(small.increment({ goalId: 'signup' }));
  } finally {
    for (const client of clients) client.close();
    await closeShop(small);
  }
});
