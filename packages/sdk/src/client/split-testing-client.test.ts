import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PUBLIC_KEY, SECRET_KEY } from '../../../server/src/testing/sample-property.ts';
import { discard, startServer, type TestServer } from '../../../server/src/testing/test-server.ts';
import { SimulatedVisitor } from '../testing/simulated-visitor.ts';

const VISITORS = 2000;
const AT_ONCE = 50;
const WEIGHTS = { control: 50, b: 30, c: 20 };
/** Chi-square at p = 0.001 for two degrees of freedom. */
const CRITICAL = 13.816;

/** The ids of visitors are random; this decides which test it is, and so how they are split. */
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

const chiSquare = (seen: Record<string, number>, wanted: Record<string, number>) =>
  Object.entries(wanted).reduce((sum, [key, count]) => sum + ((seen[key] ?? 0) - count) ** 2 / count, 0);

describe(`an A/A test with ${VISITORS} visitors (E2E_SEED=${SEED})`, () => {
  it('splits them as assigned, and the server counts what the clients saw', async () => {
    const seen: Record<string, number> = {};
    const included: Record<string, number> = {};
    const visit = async (number: number) => {
      const visitor = new SimulatedVisitor();
      // Their ids are made from the seed, so that a run can be had again.
      visitor.cookies.set('sy_visitor', `visitor-${SEED}-${number}`);
      const client = visitor.open(options());
      await client.ready();
      const [choice] = client.splitTest.assignments();
      expect(client.splitTest.get('same', 'fallback')).toBe(choice!.variationKey);
      if (choice!.included) included[choice!.variationKey] = (included[choice!.variationKey] ?? 0) + 1;
      else expect(choice!.variationKey).toBe('control');
      seen[choice!.variationKey] = (seen[choice!.variationKey] ?? 0) + 1;
      await client.flush();
      // A second page of the same session tells nothing new.
      const again = visitor.open(options());
      expect(again.splitTest.get('same', 'fallback')).toBe(choice!.variationKey);
      await again.flush();
      const posts = visitor.requests.filter((request) => request.startsWith('POST'));
      expect(posts.length).toBe(choice!.included ? 2 : 1);
    };
    for (let from = 0; from < VISITORS; from += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => visit(from + i)));
    }
    const total = Object.values(included).reduce((sum, count) => sum + count, 0);
    const outside = VISITORS - total;
    const counts = { total, outside, ...included };
    const traffic = chiSquare({ total, outside }, { total: VISITORS * 0.8, outside: VISITORS * 0.2 });
    const wanted = Object.entries(WEIGHTS).map(([key, weight]) => [key, (total * weight) / 100] as const);
    const split = chiSquare(included, Object.fromEntries(wanted));
    console.log(
      `A/A, E2E_SEED=${SEED}: ${JSON.stringify(counts)}, chi-square ${traffic.toFixed(2)}, ${split.toFixed(2)}`,
    );
    expect(traffic).toBeLessThan(10.828);
    expect(split).toBeLessThan(CRITICAL);

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

describe('the queue of a browser', () => {
  it('is bounded when nobody empties it, and keeps the newest', async () => {
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

  it('is patient: each failure makes it wait longer', async () => {
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
        await visitor.pass(100);
        await new Promise(setImmediate);
        waited += 100;
      }
      waits.push(waited);
    }
    for (let i = 1; i < waits.length; i++) expect(waits[i]).toBeGreaterThan(waits[i - 1]! * 1.5);
  });

  it('is delivered by whoever comes next, once', async () => {
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
