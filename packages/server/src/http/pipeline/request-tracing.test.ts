import {
  type Endpoint,
  HOT_ENDPOINTS,
  keyFor,
  nameOf,
  withQuery,
} from '@switchyard/testing/fixtures/endpoints';
import { closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { attributeOf, exportedSpans, type Span } from '@switchyard/testing/network/exported-spans';
import { WebhookReceiver } from '@switchyard/testing/network/webhook-receiver';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// Every request is sent twice: as it is, and with a header that makes Fastify serve it. `fast-lane.test.ts` makes sure
// that the first one does not go to Fastify.

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const LANES = ['fast', 'slow'] as const;

let collector: WebhookReceiver;
let shop: Shop;
beforeAll(async () => {
  collector = await WebhookReceiver.open();
  shop = await openShop({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`, LOG_LEVEL: 'debug' },
  });
});
afterAll(async () => {
  await closeShop(shop);
  await collector.close();
});

interface Variation {
  key?: string;
  headers?: Record<string, string>;
  search?: string;
  rawBody?: string;
}

let count = 0;

/** Sends it through both lanes; returns what the trace and the log have about each. */
async function observe(endpoint: Endpoint, { search = '', headers, ...changed }: Variation) {
  const name = `observed-${++count}`;
  for (const lane of LANES) {
    const path = withQuery(endpoint.path, endpoint.query) + search;
    const { status } = await shop.server.send(endpoint.method, path, {
      key: keyFor(endpoint),
      ...(endpoint.body !== undefined && { body: endpoint.body }),
      ...changed,
      headers: {
        'x-request-id': `${name}-${lane}`,
        ...headers,
        ...(lane === 'slow' && { 'x-switchyard-slow-lane': '1' }),
      },
    });
    expect(status).toBeGreaterThan(0);
  }
  const [fast, slow] = await Promise.all(
    LANES.map(async (lane) => ({
      span: await exported(`${name}-${lane}`),
      line: await logged(`${name}-${lane}`),
    })),
  );
  return { fast: fast!, slow: slow! };
}

/** The spans of a request that arrive until its own does, which is sent last, without what differs between any two. */
async function exported(requestId: string) {
  const hasId = (span: Span) => attributeOf(span, 'switchyard.request_id') === requestId;
  const request = await waitFor(`the span of ${requestId}`, () => exportedSpans(collector).find(hasId));
  const all = exportedSpans(collector);
  expect(all.filter(hasId)).toHaveLength(1);
  return {
    name: request.name,
    kind: request.kind,
    status: request.status,
    attributes: request.attributes.filter(({ key }) => key !== 'switchyard.request_id'),
    trace: request.traceId === TRACE ? TRACE : 'its own',
    parent: request.parentSpanId,
    children: all.filter(({ parentSpanId }) => parentSpanId === request.spanId).map(({ name }) => name),
  };
}

async function logged(requestId: string) {
  const lines = await waitFor(`the line of ${requestId}`, () => {
    const found = shop.server.stdout.filter((line) => line.includes(requestId));
    return found.length > 0 && found;
  });
  expect(lines).toHaveLength(1);
  const { time, ms, reqId, ...line } = JSON.parse(lines[0]!);
  expect([typeof time, typeof ms, reqId]).toEqual(['string', 'number', requestId]);
  return line;
}

// Evaluations ask the event store once for a session they do not know.
beforeAll(async () => {
  for (const endpoint of HOT_ENDPOINTS) {
    const { method, path, query, body } = endpoint;
    const options = { key: keyFor(endpoint), ...(body !== undefined && { body }) };
    await shop.server.send(method, withQuery(path, query), options);
  }
});

const rows = HOT_ENDPOINTS.map((endpoint) => ({ name: nameOf(endpoint), endpoint }));

describe('both lanes have the same trace and the same log', () => {
  it.each(rows)('$name: success, as a part of the trace of the caller', async ({ name, endpoint }) => {
    const headers = { traceparent: `00-${TRACE}-${PARENT}-01` };
    const { fast, slow } = await observe(endpoint, { headers });
    expect(fast).toEqual(slow);
    expect(fast.line).toEqual({
      level: 'debug',
      method: endpoint.method,
      route: endpoint.template,
      status: 200,
      msg: 'request',
    });
    const { children, ...span } = fast.span;
    expect(span).toMatchObject({ name, trace: TRACE, parent: PARENT });
    expect(span.attributes).toContainEqual({
      key: 'http.response.status_code',
      value: { intValue: 200 },
    });
    const isWrite = /expose|goals|collect/.test(endpoint.template);
    expect(children).toEqual(isWrite ? ['journal commit'] : []);
  });

  it.each(rows)('$name: errors', async ({ endpoint }) => {
    const broken = endpoint.body ? { rawBody: '{"a":' } : { search: '&propertyId=b' };
    const [unknownKey, invalid] = await Promise.all([
      observe(endpoint, { key: 'unknown' }),
      observe(endpoint, broken),
    ]);
    expect(unknownKey.fast).toEqual(unknownKey.slow);
    expect(unknownKey.fast.line.status).toBe(401);
    expect(unknownKey.fast.span.trace).toBe('its own');
    expect(invalid.fast).toEqual(invalid.slow);
    expect(invalid.fast.line.status).toBe(400);
  });
});

it('has no span of a request that its caller does not trace, in both lanes', async () => {
  const [endpoint] = HOT_ENDPOINTS as [Endpoint];
  for (const lane of LANES) {
    await shop.server.send('GET', withQuery(endpoint.path, endpoint.query), {
      key: 'unknown',
      headers: {
        traceparent: `00-${TRACE}-${PARENT}-00`,
        'x-request-id': `untraced-${lane}`,
        ...(lane === 'slow' && { 'x-switchyard-slow-lane': '1' }),
      },
    });
    await logged(`untraced-${lane}`);
  }
  await observe(endpoint, {});
  const ids = exportedSpans(collector).map((span) => attributeOf(span, 'switchyard.request_id'));
  expect(ids.filter((id) => String(id).startsWith('untraced'))).toEqual([]);
});
