import { accepted, closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { sendRaw } from '@switchyard/testing/network/raw-request';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => closeShop(shop));

const visit = (path: string) => shop.server.call('GET', path);

describe('probes', () => {
  it.each(['/healthz', '/readyz'])('%s returns 200 without a key', async (path) => {
    const response = await visit(path);
    expect(response.status).toBe(200);
    expect(response.body.status).toMatch(/^(ok|ready)$/);
  });
});

it('RATE_LIMIT_PER_SECOND=0 disables the limit and its headers', async () => {
  const responses = await Promise.all(Array.from({ length: 30 }, () => shop.get('/v1/flags/list')));
  for (const { status, headers } of responses) {
    expect(status).toBe(200);
    expect([headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([null, null]);
  }
});

const isPair = (found: string[]): found is [string, string] => found.length === 2;

/** The value of a metric; 0 if it is missing. */
async function metric(name: string, labels: Record<string, string> = {}): Promise<number> {
  const { text } = await visit('/metrics');
  const line = text.split('\n').find((candidate) => {
    const parsed = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(candidate);
    return (
      parsed?.[1] === name &&
      Object.entries(labels).every(([label, value]) => parsed[2]?.includes(`${label}="${value}"`))
    );
  });
  return Number(line?.split(' ').at(-1) ?? 0);
}

describe('/metrics', () => {
  it('is in the Prometheus text format', async () => {
    const response = await visit('/metrics');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=/);
    for (const line of response.text.split('\n').filter((text) => text !== '')) {
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{[^}]*\})? (\S+))$/);
    }
  });

  const good = { splitTestKey: 'hero', variationKey: 'b', sessionId: 'metrics' };
  const key = () => ({ 'idempotency-key': `metrics-${Math.random()}` });
  const cases: {
    name: string;
    metric: string;
    labels: Record<string, string>;
    by: number;
    act: () => Promise<unknown>;
  }[] = [
    {
      name: 'requests by route and status: a success',
      metric: 'switchyard_http_request_duration_seconds_count',
      labels: { method: 'POST', route: '/v1/goals/increment', status: '200' },
      by: 2,
      act: () => Promise.all([shop.increment({ goalId: 'signup' }), shop.increment({ goalId: 'signup' })]),
    },
    {
      name: 'requests by route and status: a missing goal',
      metric: 'switchyard_http_request_duration_seconds_count',
      labels: { method: 'POST', route: '/v1/goals/increment', status: '404' },
      by: 1,
      act: () => shop.increment({ goalId: 'nothing' }),
    },
    {
      name: 'requests by route and status: a missing key',
      metric: 'switchyard_http_request_duration_seconds_count',
      labels: { method: 'GET', route: '/v1/sessions/:sessionId', status: '401' },
      by: 1,
      act: () => visit('/v1/sessions/some-session'),
    },
    {
      name: 'requests by route and status: a parameter inside a path segment',
      metric: 'switchyard_http_request_duration_seconds_count',
      labels: { method: 'GET', route: '/sdk-:hash([\\\\w-]+).js', status: '302' },
      by: 1,
      act: () => fetch(`${shop.server.url}/sdk-0.js`, { redirect: 'manual' }),
    },
    {
      name: 'requests to unknown paths',
      metric: 'switchyard_http_request_duration_seconds_count',
      labels: { method: 'GET', route: 'unmatched', status: '404' },
      by: 3,
      act: () => Promise.all(['/nothing', '/nothing/else', '/v1/nothing?x=1'].map(visit)),
    },
    {
      name: 'requests with an unsupported method',
      metric: 'switchyard_http_request_duration_seconds_count',
      labels: { method: 'DELETE', route: 'unmatched', status: '405' },
      by: 1,
      act: () => shop.server.call('DELETE', '/v1/flags/list'),
    },
    {
      name: 'requests with a malformed URL',
      metric: 'switchyard_http_request_duration_seconds_count',
      labels: { method: 'GET', route: 'unmatched', status: '400' },
      by: 1,
      act: () => visit('/%zz'),
    },
    {
      name: 'input that is not HTTP',
      metric: 'switchyard_http_request_duration_seconds_count',
      labels: { method: 'unknown', route: 'unmatched', status: '400' },
      by: 1,
      act: () => sendRaw(shop.server.url, { start: 'what is this?\r\n\r\n' }),
    },
    {
      name: 'latency',
      metric: 'switchyard_http_request_duration_seconds_bucket',
      labels: { le: '+Inf', method: 'GET', route: '/v1/flags/list', status: '200' },
      by: 1,
      act: () => shop.get('/v1/flags/list'),
    },
    {
      name: 'events by kind: recorded exposures',
      metric: 'switchyard_events_total',
      labels: { kind: 'exposure' },
      by: 2,
      act: () => shop.expose(good, good, { ...good, variationKey: 'nothing' }),
    },
    {
      name: 'events by kind: increments and decrements',
      metric: 'switchyard_events_total',
      labels: { kind: 'conversion' },
      by: 2,
      act: () => accepted(shop.increment({ goalId: 'signup' }), shop.decrement({ goalId: 'signup' })),
    },
    {
      name: 'events by kind: feedback',
      metric: 'switchyard_events_total',
      labels: { kind: 'feedback' },
      by: 1,
      act: () => shop.submit({ feedbackTypeId: 'nps', option: 'good' }),
    },
    {
      name: 'events by kind: session events',
      metric: 'switchyard_events_total',
      labels: { kind: 'session_event' },
      by: 3,
      act: () =>
        shop.collect({
          sessionId: 'metrics',
          visitorId: 'v',
          events: [{ type: 'pageview' }, { type: 'event' }, { type: 'identify' }],
        }),
    },
    {
      name: 'no event for a rejected request',
      metric: 'switchyard_events_total',
      labels: { kind: 'conversion' },
      by: 0,
      act: () => shop.increment({ goalId: 'revenue' }),
    },
    {
      name: 'drops by reason: an unknown test',
      metric: 'switchyard_events_dropped_total',
      labels: { reason: 'unknown_split_test' },
      by: 1,
      act: () => shop.expose(good, { ...good, splitTestKey: 'nothing' }),
    },
    {
      name: 'drops by reason: an unknown variation',
      metric: 'switchyard_events_dropped_total',
      labels: { reason: 'unknown_variation' },
      by: 2,
      act: () => shop.expose({ ...good, variationKey: 'x' }, { ...good, variationKey: 'y' }),
    },
    {
      name: 'drops by reason: an idempotent replay',
      metric: 'switchyard_events_dropped_total',
      labels: { reason: 'idempotent_replay' },
      by: 2,
      act: async () => {
        const headers = key();
        for (let i = 0; i < 3; i++) await accepted(shop.increment({ goalId: 'signup' }, headers));
      },
    },
  ];
  it.each(cases)('$name', async ({ metric: name, labels, by, act }) => {
    const before = await metric(name, labels);
    await act();
    expect((await metric(name, labels)) - before).toBe(by);
  });

  /** The rules of `promtool check metrics`. */
  it('follows the naming conventions of Prometheus', async () => {
    const lines = (await visit('/metrics')).text.split('\n');
    const types = new Map(
      lines.flatMap((line) => [/^# TYPE (\S+) (\S+)$/.exec(line)?.slice(1) ?? []].filter(isPair)),
    );
    const described = new Set(lines.flatMap((line) => /^# HELP (\S+) \S/.exec(line)?.[1] ?? []));
    expect(types.size).toBeGreaterThan(20);
    for (const [name, type] of types) {
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
      expect([name, described.has(name)]).toEqual([name, true]);
      expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
      expect(name).not.toMatch(/_(count|sum|bucket|counter|gauge|histogram|summary)$/);
      // Base units only: seconds and bytes.
      expect(name).not.toMatch(
        /_(ms|(milli|micro|nano)seconds|minutes|hours|days|kb|mb|(kilo|mega|giga)bytes)(_|$)/,
      );
    }
  });

  it('journal bytes and lag return to zero once everything is loaded', async () => {
    await accepted(...Array.from({ length: 20 }, () => shop.increment({ goalId: 'signup' })));
    const { text } = await visit('/metrics');
    expect(text).toMatch(/^switchyard_journal_bytes \d+$/m);
    expect(text).toMatch(/^switchyard_journal_lag_requests \d+$/m);
    await waitFor('an empty journal', async () => {
      return (
        (await metric('switchyard_journal_bytes')) === 0 &&
        (await metric('switchyard_journal_lag_requests')) === 0
      );
    });
  });
});
