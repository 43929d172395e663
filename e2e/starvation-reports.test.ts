import { afterEach, expect, test } from 'vitest';
import { SAMPLE, SECRET_KEY } from '../packages/server/src/testing/sample-property.ts';
import { accepted, Shop, sampleWith } from '../packages/server/src/testing/shop.ts';
import { discard, startServer, type TestServer } from '../packages/server/src/testing/test-server.ts';
import { filledDirectory } from './support/filled-store.ts';
import { expectOthersServed } from './support/latency-probe.ts';

const BATCH = 500;

let server: TestServer;
afterEach(() => discard(server));

async function expectResults(splitTestKey: string, query: string): Promise<void> {
  const path = `/v1/split-testing/results?propertyId=shop&splitTestKey=${splitTestKey}&fresh=true&${query}`;
  const { status, text } = await server.send('GET', path, { key: SECRET_KEY });
  expect(status, text).toBe(200);
}

test.for(['plan', 'country'])('results by %s with a different value for every visitor', async (attribute) => {
  server = await startServer({ provision: SAMPLE });
  const shop = new Shop(server);
  for (let batch = 0; batch < 10; batch++) {
    const exposures = Array.from({ length: BATCH }, (_, i) => ({
      splitTestKey: 'hero',
      variationKey: i % 2 === 0 ? 'control' : 'b',
      sessionId: `visit-${batch}-${i}`,
      attributes: { [attribute]: `value ${batch}-${i}` },
    }));
    await accepted(shop.expose(...exposures));
  }
  await expectOthersServed(server, () => expectResults('hero', `by=${attribute}`));
});

test('a time series with many variations and exposures over years', async () => {
  const variations = Array.from({ length: 30 }, (_, i) => ({ key: `v${i}`, weight: 1, value: `v${i}` }));
  const longAgo = {
    key: 'long-ago',
    type: 'text',
    status: 'running',
    variations,
    goals: ['signup', 'revenue'],
  };
  server = await startServer({
    dataDir: await filledDirectory('oldDays', 500),
    provision: sampleWith({ splitTests: [longAgo] }),
  });
  await expectOthersServed(server, () => expectResults('long-ago', 'include=series'));
});
