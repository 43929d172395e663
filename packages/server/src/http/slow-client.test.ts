import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendRaw } from '../testing/raw-request.ts';
import { SECRET_KEY } from '../testing/sample-property.ts';
import { accepted, closeShop, openShop, type Shop } from '../testing/shop.ts';
import { openMany } from '../testing/unhurried-client.ts';
import { waitFor } from '../testing/wait.ts';

const CUT_OFF_WITHIN_MS = 20_000;
const FAIR_CHANCE_MS = 5_000;

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => closeShop(shop));

const head = `POST /v1/goals/increment HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${SECRET_KEY}\r\nContent-Type: application/json\r\n`;

describe.concurrent('a client that dribbles is cut off', () => {
  const rows = [
    { name: 'in its header', start: 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n', drop: 'X-Drop: 1\r\n' },
    { name: 'in its body', start: `${head}Content-Length: 1000\r\n\r\n{"propertyId":"shop",`, drop: ' ' },
    {
      name: 'in the chunks of its body',
      start: `${head}Transfer-Encoding: chunked\r\n\r\n`,
      drop: '1\r\n \r\n',
    },
  ];
  it.for(rows)('$name', async ({ start, drop }) => {
    const { milliseconds, status } = await sendRaw(shop.server.url, { start, drop, everyMs: 250 });
    expect(milliseconds).toBeLessThan(CUT_OFF_WITHIN_MS);
    // Not before it had a fair chance, and never as if it had succeeded.
    expect(milliseconds).toBeGreaterThan(FAIR_CHANCE_MS);
    expect([0, 408]).toContain(status);
  });

  it('and nobody else notices', async () => {
    for (let i = 0; i < 20; i++) {
      const startedAt = performance.now();
      expect((await shop.server.send('GET', '/healthz')).status).toBe(200);
      expect(performance.now() - startedAt).toBeLessThan(FAIR_CHANCE_MS);
    }
  });
});

/** Opens at most 300 files: data, connections and all. */
const withFewDescriptors = (command: string[]) => ['sh', '-c', 'ulimit -n 300; exec "$@"', 'sh', ...command];

it('half-sent requests use up no descriptors, even if their clients never hang up', async () => {
  const small = await openShop({ wrap: withFewDescriptors });
  const descriptors = () => readdirSync(`/proc/${small.server.process.pid}/fd`).length;
  const before = descriptors();
  const clients = await openMany(400, small.server.url, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n');
  try {
    await waitFor('the descriptors of before', () => descriptors() <= before);
    await accepted(small.increment({ goalId: 'signup' }));
  } finally {
    for (const client of clients) client.close();
    await closeShop(small);
  }
});
