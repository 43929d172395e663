import { SAMPLE, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { accepted, Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { discard, startServer, type TestServer } from '@switchyard/testing/server/test-server';
import { afterEach, expect, test } from 'vitest';
import { filledDirectory } from '../support/filled-store.ts';
import { expectOthersServed } from '../support/latency-probe.ts';

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

test('the impact and the explanation of a flag with the slowest patterns', async () => {
  server = await startServer({ provision: SAMPLE, env: WITH_OWNER });
  const owner = await ownerBrowser(server);
  const shop = new Shop(server);
  // Not of letters that a hexadecimal number has: it would be masked like one, and then match nothing.
  const attributes = { text: 'xy'.repeat(1000) };
  const session = (index: number) =>
    shop.collect({ sessionId: `s${index}`, visitorId: `v${index}`, attributes });
  await accepted(...Array.from({ length: 200 }, (_, index) => session(index)));
  const conditions = [{ attribute: 'text', operator: 'matches', values: ['(x|y|xy){80}z'] }];
  const rules = Array.from({ length: 20 }, (_, index) => ({ id: `r${index}`, conditions, value: true }));
  const definition = {
    type: 'boolean',
    defaultValue: false,
    environments: { production: { enabled: true, rules } },
  };
  for (const [path, more] of [
    ['impact', {}],
    ['explanations', { sessionId: 's1' }],
  ] as const) {
    await expectOthersServed(server, async () => {
      const body = { type: 'flag', key: 'slow', definition, ...more };
      const { status, text } = await owner.post(`/v1/manage/properties/shop/${path}`, body);
      expect(status, text).toBe(200);
      expect(text).not.toContain('"unknown":["text"]');
      expect(text).not.toContain('"unknown":[{');
    });
  }
});

test('traffic by page with a different URL for every page view', async () => {
  server = await startServer({ provision: SAMPLE });
  const shop = new Shop(server);
  for (let batch = 0; batch < 10; batch++) {
    const events = Array.from({ length: BATCH }, (_, i) => ({
      type: 'pageview',
      url: `https://shop.example/${batch}-${i}/${'x'.repeat(1000)}`,
    }));
    await accepted(shop.collect({ sessionId: `visit-${batch}`, visitorId: `visitor-${batch}`, events }));
  }
  await expectOthersServed(server, async () => {
    const path = '/v1/traffic/breakdown?propertyId=shop&by=page&limit=500';
    const { status, text } = await server.send('GET', path, { key: SECRET_KEY });
    expect(status, text).toBe(200);
  });
});
