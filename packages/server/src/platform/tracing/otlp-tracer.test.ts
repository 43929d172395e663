import { accepted, closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { attributeOf, exportedSpans, type Span } from '@switchyard/testing/network/exported-spans';
import { WebhookReceiver } from '@switchyard/testing/network/webhook-receiver';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, expect, it } from 'vitest';

// One server for all tests, in this order: the last ones break the collector.

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

let collector: WebhookReceiver;
let shop: Shop;

beforeAll(async () => {
  collector = await WebhookReceiver.open();
  shop = await openShop({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc',
      OTEL_SERVICE_NAME: 'shop-tests',
    },
  });
});
afterAll(async () => {
  await closeShop(shop);
  await collector.close();
});

const spans = () => exportedSpans(collector);

/** A span that arrives sooner or later; children are sent before their parents. */
const arrives = (name: string, check: (span: Span) => boolean = () => true) =>
  waitFor(`a span ${name}`, () => spans().find((span) => span.name === name && check(span)));

it('continues the trace of the caller: request, journal commit, load', async () => {
  const headers = { traceparent: `00-${TRACE}-${PARENT}-01`, 'x-request-id': 'traced-1' };
  await accepted(shop.increment({ goalId: 'signup', sessionId: 'traced' }, headers));
  const request = await arrives('POST /v1/goals/increment');
  expect(request).toMatchObject({ traceId: TRACE, parentSpanId: PARENT });
  expect(attributeOf(request, 'http.response.status_code')).toBe(200);
  expect(attributeOf(request, 'switchyard.request_id')).toBe('traced-1');
  const commit = await arrives('journal commit');
  expect(commit).toMatchObject({ traceId: TRACE, parentSpanId: request.spanId });
  expect(attributeOf(commit, 'switchyard.requests')).toBe(1);
  const load = await arrives('load');
  expect(load).toMatchObject({ traceId: TRACE, parentSpanId: commit.spanId });
  const [{ url, headers: sent, body }] = collector.received as [(typeof collector.received)[0]];
  expect([url, sent.authorization]).toEqual(['/v1/traces', 'Bearer abc']);
  expect(body).toContain('"shop-tests"');
});

it('has the queries of a request as its children, also from the report thread', async () => {
  await shop.sessions();
  const list = await arrives('GET /v1/sessions');
  await arrives('query sessionPage', ({ parentSpanId }) => parentSpanId === list.spanId);
  await shop.results('hero');
  const results = await arrives('GET /v1/split-testing/results');
  await arrives('query splitTestCounts', ({ parentSpanId }) => parentSpanId === results.spanId);
  expect(results.traceId).not.toBe(list.traceId);
});

it('groups commits: child of one request, linked to the others', async () => {
  const writes = Array.from({ length: 40 }, (_, i) =>
    shop.increment({ goalId: 'signup', sessionId: `grouped-${i}` }),
  );
  await accepted(...writes);
  await waitFor('all requests', () => {
    const found = spans().filter(({ name }) => name === 'POST /v1/goals/increment');
    return found.length === 1 + writes.length;
  });
  const requests = new Set(spans().map(({ name, spanId }) => name.startsWith('POST') && spanId));
  const commits = await waitFor('all commits', () => {
    const found = spans().filter(({ name }) => name === 'journal commit');
    const total = found.reduce((sum, span) => sum + Number(attributeOf(span, 'switchyard.requests')), 0);
    return total === 1 + writes.length && found;
  });
  for (const { parentSpanId, links = [] } of commits) {
    expect([parentSpanId, ...links.map(({ spanId }) => spanId)].every((id) => requests.has(id!))).toBe(true);
  }
});

it('leaves out probes and what the caller does not trace; ignores invalid headers', async () => {
  await shop.server.call('GET', '/healthz');
  const skipped = { traceparent: `00-${'1'.repeat(32)}-${PARENT}-00` };
  await accepted(shop.increment({ goalId: 'signup', sessionId: 'skipped' }, skipped));
  const headers = { traceparent: `00-${'0'.repeat(32)}-${PARENT}-01` };
  const missing = await shop.server.send('GET', '/missing', { headers });
  expect(missing.status).toBe(404);
  const span = await arrives('GET');
  expect(attributeOf(span, 'http.response.status_code')).toBe(404);
  expect(span.traceId).not.toBe('0'.repeat(32));
  expect(spans().filter(({ traceId, name }) => /^1+$/.test(traceId) || /healthz/.test(name))).toEqual([]);
});

it('goes on as usual, and stops, while the collector does not answer', async () => {
  const before = collector.received.length;
  collector.answer = () => {};
  for (let i = 0; i < 20; i++) {
    await accepted(shop.increment({ goalId: 'signup', sessionId: `hanging-${i}` }));
  }
  await waitFor('a batch that is not answered', () => collector.received.length > before);
  expect((await shop.progress('signup')).current.count).toBe(62);
  expect(await shop.server.stop()).toBe(0);
});
