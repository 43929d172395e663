import { PUBLIC_KEY, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { discard, startServer, type TestServer } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SimulatedVisitor } from '../testing/simulated-visitor.ts';

const VISITORS = 600;
const CONCURRENCY = 50;
const WEIGHTS = { control: 50, b: 30, c: 20 };
/** Critical chi-square values at p = 0.001, for one and two degrees of freedom. */
const CRITICAL_1 = 10.828;
const CRITICAL_2 = 13.816;

/** Visitor ids and the hash seed of the test derive from it. */
const SEED = Number(process.env.E2E_SEED ?? 1729);

const PROVISION = {
  properties: [
    {
      id: 'shop',
      name: 'Shop',
      apiKeys: [
        { kind: 'public', name: 'web', key: PUBLIC_KEY },
        { kind: 'secret', name: 'backend', key: SECRET_KEY },
      ],
      splitTests: [
        {
          key: 'same',
          type: 'id',
          status: 'running',
          hashSeed: `same-${SEED}`,
          trafficAllocation: 80,
          variations: Object.entries(WEIGHTS).map(([key, weight]) => ({ key, weight, value: key })),
        },
      ],
    },
  ],
};

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ provision: PROVISION });
});
afterAll(() => discard(server));

const options = () => ({ apiUrl: server.url, publicApiKey: PUBLIC_KEY, propertyId: 'shop' });

const chiSquare = (observed: Record<string, number>, expected: Record<string, number>) =>
  Object.entries(expected).reduce(
    (sum, [key, count]) => sum + ((observed[key] ?? 0) - count) ** 2 / count,
    0,
  );

describe(`an A/A test with ${VISITORS} visitors (E2E_SEED=${SEED})`, () => {
  it('splits visitors by weight, and the server counts what the clients recorded', async () => {
    const included: Record<string, number> = {};
    const visit = async (number: number) => {
      const visitor = new SimulatedVisitor();
      // Derived from the seed, so that a run can be reproduced.
      visitor.cookies.set('sy_visitor', `visitor-${SEED}-${number}`);
      const client = visitor.open(options());
      await client.ready();
      const [choice] = client.splitTest.assignments();
      expect(client.splitTest.get('same', 'fallback')).toBe(choice!.variationKey);
      if (choice!.included) included[choice!.variationKey] = (included[choice!.variationKey] ?? 0) + 1;
      else expect(choice!.variationKey).toBe('control');
      await client.flush();
      // A second page of the same session records nothing new.
      const again = visitor.open(options());
      expect(again.splitTest.get('same', 'fallback')).toBe(choice!.variationKey);
      await again.flush();
      const posts = visitor.requests.filter((request) => request.startsWith('POST'));
      expect(posts).toEqual(['POST /v1/sessions/collect']);
    };
    for (let from = 0; from < VISITORS; from += CONCURRENCY) {
      await Promise.all(Array.from({ length: CONCURRENCY }, (_, i) => visit(from + i)));
    }
    const total = Object.values(included).reduce((sum, count) => sum + count, 0);
    const outside = VISITORS - total;
    const counts = { total, outside, ...included };
    const traffic = chiSquare({ total, outside }, { total: VISITORS * 0.8, outside: VISITORS * 0.2 });
    const expected = Object.entries(WEIGHTS).map(([key, weight]) => [key, (total * weight) / 100] as const);
    const split = chiSquare(included, Object.fromEntries(expected));
    console.log(
      `A/A, E2E_SEED=${SEED}: ${JSON.stringify(counts)}, chi-square ${traffic.toFixed(2)}, ${split.toFixed(2)}`,
    );
    expect(traffic).toBeLessThan(CRITICAL_1);
    expect(split).toBeLessThan(CRITICAL_2);

    const stored: Record<string, Set<string>> = {};
    let sessions = 0;
    let cursor = '';
    do {
      const query = `propertyId=shop&limit=500${cursor && `&cursor=${cursor}`}`;
      const { body } = await server.call('GET', `/v1/sessions?${query}`, { key: SECRET_KEY });
      for (const { visitorId, exposures } of body.sessions) {
        sessions++;
        for (const { variationKey } of exposures) {
          stored[variationKey] ??= new Set();
          stored[variationKey].add(visitorId);
        }
      }
      cursor = body.nextCursor === null ? '' : encodeURIComponent(body.nextCursor);
    } while (cursor);
    expect(sessions).toBe(VISITORS);
    const storedCounts = Object.entries(stored).map(([key, visitors]) => [key, visitors.size]);
    expect(Object.fromEntries(storedCounts)).toEqual(included);
  });
});

describe('the delivery queue', () => {
  it('is bounded while it cannot be delivered, and keeps the newest batches', async () => {
    const visitor = new SimulatedVisitor();
    visitor.fetch = () => Promise.reject(new Error('no network'));
    const client = visitor.open(options());
    const queue = () => [...visitor.storage].filter(([key]) => key.includes(':q:')).map(([, batch]) => batch);
    for (let i = 0; i < 70; i++) {
      client.setAttributes({ number: `number ${i}.` });
      await client.flush();
      visitor.now++;
    }
    expect(queue()).toHaveLength(50);
    expect(queue().join()).toContain('number 69.');
    expect(queue().join()).not.toContain('number 19.');
    for (let i = 0; i < 60; i++) {
      client.setAttributes({ text: 'x'.repeat(8000) });
      await client.flush();
      visitor.now++;
    }
    expect(queue().join().length).toBeLessThan(330_000);
    expect(queue().length).toBeGreaterThan(30);
  });

  it('waits longer after each failure', async () => {
    const visitor = new SimulatedVisitor();
    visitor.fetch = async () => new Response('{}', { status: 503 });
    const bootstrap = {
      visitorId: 'visitor-of-the-server',
      sessionId: 'session-of-the-server',
      config: { tests: [], ttl: 24 * 60 * 60 },
      fetchedAt: visitor.now,
      exposed: [],
    };
    const client = visitor.open({ ...options(), bootstrap });
    client.sessionId();
    await client.flush();
    const posts = () => visitor.requests.filter((request) => request.startsWith('POST')).length;
    const waits: number[] = [];
    while (waits.length < 5) {
      const before = posts();
      let waited = 0;
      while (posts() === before) {
        await visitor.advance(100);
        await new Promise(setImmediate);
        waited += 100;
      }
      waits.push(waited);
    }
    for (let i = 1; i < waits.length; i++) expect(waits[i]).toBeGreaterThan(waits[i - 1]! * 1.5);
  });

  it('is delivered once by the next page', async () => {
    const visitor = new SimulatedVisitor();
    visitor.fetch = () => Promise.reject(new Error('no network'));
    const first = visitor.open(options());
    const sessionId = first.sessionId();
    first.setAttributes({ plan: 'trial' });
    await first.flush();
    visitor.fetch = fetch;
    const tabs = [visitor.open(options()), visitor.open(options())];
    await Promise.all(tabs.map((tab) => tab.flush()));
    const { body } = await server.call('GET', `/v1/sessions/${sessionId}?propertyId=shop`, {
      key: SECRET_KEY,
    });
    expect(body).toMatchObject({ visitorId: first.visitorId(), attributes: { plan: 'trial' }, timeline: [] });
    expect([...visitor.storage.keys()].filter((key) => key.includes(':q:'))).toEqual([]);
  });
});
