import { closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FaultyProxy } from '../testing/faulty-proxy.ts';
import { connectThrough } from '../testing/proxied-client.ts';
import type { Switchyard, SwitchyardOptions } from './node.ts';

let shop: Shop;
let proxy: FaultyProxy;
let client: Switchyard;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => closeShop(shop));
beforeEach(async () => {
  proxy = await FaultyProxy.start(shop.server.url);
  client = connect();
});
afterEach(async () => {
  await client.close();
  proxy.close();
});

const connect = (options?: Partial<SwitchyardOptions>) => connectThrough(proxy, options);

const timeline = (sessionId: string) => shop.timeline(sessionId, 'goal');

describe('goals', () => {
  it('increments and decrements, with session, amount and metadata', async () => {
    const sessionId = 's-goals-1';
    expect(await client.goals.increment('signup', { sessionId })).toEqual({ success: true });
    const paid = { amount: 49.9, sessionId, metadata: { plan: 'pro' } };
    expect(await client.goals.increment('revenue', paid)).toEqual({ success: true });
    expect(await client.goals.decrement('revenue', { amount: 9.9, sessionId })).toEqual({ success: true });
    expect(await timeline(sessionId)).toMatchObject([
      { goalId: 'signup', count: 1 },
      { goalId: 'revenue', amount: 49.9, metadata: { plan: 'pro' } },
      { goalId: 'revenue', amount: -9.9 },
    ]);
  });

  it('counts a call once if its response is lost, with one key for all retries', async () => {
    const sessionId = 's-lost';
    let losses = 2;
    proxy.intercept = () => (losses-- > 0 ? 'lose' : false);
    expect(await client.goals.increment('signup', { sessionId })).toEqual({ success: true });
    expect(new Set(proxy.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(proxy.requests.length).toBe(3);
    expect(await timeline(sessionId)).toHaveLength(1);
    // Another call is another conversion.
    expect(await client.goals.increment('signup', { sessionId })).toEqual({ success: true });
    expect(await timeline(sessionId)).toHaveLength(2);
  });

  it('uses the idempotency key of the caller: the same call counts once, another body is rejected', async () => {
    const call = { sessionId: 's-own-key', amount: 5, idempotencyKey: 'order 1001: paid' };
    expect(await client.goals.increment('revenue', call)).toEqual({ success: true });
    expect(await client.goals.increment('revenue', call)).toEqual({ success: true });
    expect(await timeline('s-own-key')).toHaveLength(1);
    expect(await client.goals.increment('revenue', { ...call, amount: 6 })).toMatchObject({
      success: false,
      error: { code: 'idempotency_key_reused' },
    });
  });

  it('honors Retry-After of 429 and 503, within the timeout of the call', async () => {
    const statuses = [429, 503, 503];
    let last = 0;
    const waits: number[] = [];
    proxy.intercept = (_request, response) => {
      const now = performance.now();
      if (last > 0) waits.push(now - last);
      last = now;
      const status = statuses.shift();
      if (status === undefined) return false;
      response.writeHead(status, { 'retry-after': '1' }).end('{}');
      return true;
    };
    expect(await client.goals.increment('signup')).toEqual({ success: true });
    expect(waits).toHaveLength(3);
    for (const wait of waits) expect(wait).toBeGreaterThanOrEqual(995);

    proxy.intercept = (_request, response) => {
      const error = { code: 'overloaded', message: 'Nothing was stored.' };
      response.writeHead(503, { 'retry-after': '3600' }).end(JSON.stringify({ success: false, error }));
      return true;
    };
    const before = proxy.requests.length;
    expect(await client.goals.increment('signup')).toMatchObject({ error: { code: 'overloaded' } });
    expect(proxy.requests.length).toBe(before + 1);
  });

  it('does not retry permanent errors', async () => {
    expect(await client.goals.increment('no-such-goal')).toMatchObject({
      success: false,
      error: { code: 'goal_not_found' },
    });
    expect(await client.goals.increment('revenue')).toMatchObject({ error: { code: 'amount_required' } });
    expect(await client.goals.decrement('revenue', { amount: -1 })).toMatchObject({
      error: { code: 'amount_not_positive' },
    });
    const long = await client.goals.increment('signup', { metadata: { a: 'x'.repeat(257) } });
    expect(long).toMatchObject({ error: { code: 'invalid_request' } });
    expect(long.success || long.error.message).toContain('/metadata');
    expect(proxy.requests.length).toBe(4);
  });

  it('rejects invalid arguments without a request', async () => {
    const cyclic: Record<string, string> = {};
    (cyclic as Record<string, unknown>).self = cyclic;
    for (const [goalId, call] of [
      ['', {}],
      [undefined, {}],
      ['revenue', { amount: Number.NaN }],
      ['revenue', { amount: Number.POSITIVE_INFINITY }],
      ['revenue', { amount: '5' }],
      ['revenue', { amount: 1n }],
      ['signup', { metadata: cyclic }],
      ['signup', { idempotencyKey: 'two\nlines' }],
      ['signup', { idempotencyKey: '' }],
      ['signup', { idempotencyKey: 'x'.repeat(256) }],
      ['signup', { idempotencyKey: 'ü' }],
    ] as [never, never][]) {
      expect(await client.goals.increment(goalId, call), String(goalId)).toMatchObject({
        success: false,
        error: { code: 'invalid_argument' },
      });
    }
    expect(proxy.requests).toEqual([]);
  });
});

describe('feedback', () => {
  it('is submitted once, and rejected with the reason', async () => {
    const entry = {
      option: 'good',
      message: 'Fast',
      sessionId: 's-feedback',
      metadata: { page: '/' },
    } as const;
    let losses = 1;
    proxy.intercept = () => (losses-- > 0 ? 'lose' : false);
    expect(await client.feedback.submit('nps', entry)).toEqual({ success: true });
    const { feedback } = await shop.feedback({ sessionId: 's-feedback' });
    expect(feedback).toHaveLength(1);
    expect(feedback[0]).toMatchObject({ feedbackTypeId: 'nps', ...entry });
    for (const [type, call, code] of [
      ['nps', { option: 'meh' }, 'option_not_allowed'],
      ['thumbs', { message: 'hm' }, 'message_not_allowed'],
      ['nps', {}, 'feedback_empty'],
      ['nothing', { option: 'good' }, 'feedback_type_not_found'],
      ['', { option: 'good' }, 'invalid_argument'],
    ] as const) {
      expect(await client.feedback.submit(type, call)).toMatchObject({ success: false, error: { code } });
    }
  });
});

describe('a service that does not respond', () => {
  it('gives `timeout` or `network_error`, never an exception', async () => {
    await client.close();
    client = connect({ timeoutMs: 300 });
    proxy.intercept = () => true;
    expect(await client.goals.increment('signup')).toMatchObject({ error: { code: 'timeout' } });
    expect(await client.sessions.list()).toMatchObject({ error: { code: 'timeout' } });
    proxy.close();
    expect(await client.goals.increment('signup')).toMatchObject({ error: { code: 'network_error' } });
    expect(await client.ready()).toMatchObject({ error: { code: 'network_error' } });
  });

  it('gives `unexpected_response` for the HTML of a proxy, and for a redirect, which is not followed', async () => {
    proxy.intercept = (_request, response) => {
      response.writeHead(302, { location: 'https://elsewhere.example/' }).end('<html>');
      return true;
    };
    const redirected = await client.goals.increment('signup');
    expect(redirected).toMatchObject({ error: { code: 'unexpected_response' } });
    expect(redirected.success || redirected.error.message).toContain('https://elsewhere.example/');
    proxy.intercept = (_request, response) => {
      response.writeHead(200).end('<html>welcome to the hotel network</html>');
      return true;
    };
    const page = await client.goals.increment('signup');
    expect(page).toMatchObject({ error: { code: 'unexpected_response' } });
    expect(page.success || page.error.message).toContain('JSON format');
    // Only the service confirms that something is stored.
    proxy.intercept = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"logged in"}');
      return true;
    };
    const calls = [client.goals.decrement('signup'), client.feedback.submit('nps', { option: 'good' })];
    for (const result of await Promise.all(calls)) {
      expect(result).toMatchObject({ success: false, queued: true, error: { code: 'unexpected_response' } });
    }
    proxy.intercept = () => false;
    expect(await client.flush()).toEqual({ success: true });
    // On a busy machine, a call may be retried before the proxy lets it through.
    expect(proxy.requests.length).toBeGreaterThanOrEqual(8);
  });

  it('gives `closed` after close, which waits for running calls', async () => {
    const running = client.goals.increment('signup', { sessionId: 's-closing' });
    expect(await client.close()).toEqual({ success: true });
    expect(await running).toEqual({ success: true });
    const closed = { success: false, error: { code: 'closed' } };
    expect(await client.goals.increment('signup')).toMatchObject(closed);
    expect(await client.sessions.list()).toMatchObject(closed);
    expect(await client.ready()).toMatchObject(closed);
    expect(await client.flush()).toMatchObject(closed);
    expect(await client.close()).toEqual({ success: true });
    expect(client.flags.boolean('x', true)).toBe(true);
  });
});

describe('sessions', () => {
  it('are returned page by page', async () => {
    const own = Array.from({ length: 7 }, (_, index) => `s-page-${index}`);
    for (const sessionId of own) {
      await shop.collect({ sessionId, visitorId: 'v-pages' });
    }
    const page = await client.sessions.list({ visitorId: 'v-pages', limit: 3 });
    expect(page.success && page.sessions.length).toBe(3);
    expect(page.success && page.sessions[0]).toMatchObject({
      visitorId: 'v-pages',
      exposures: [],
      goals: [],
    });
    const seen: string[] = [];
    let pages = 0;
    for await (const each of client.sessions.iterate({ visitorId: 'v-pages', limit: 3 })) {
      expect(each.success).toBe(true);
      pages += 1;
      if (each.success) seen.push(...each.sessions.map(({ sessionId }) => sessionId));
    }
    expect(pages).toBe(3);
    expect(seen.sort()).toEqual(own);
    const failed: unknown[] = [];
    for await (const each of client.sessions.iterate({ limit: 0 })) failed.push(each);
    expect(failed).toMatchObject([{ success: false, error: { code: 'invalid_request' } }]);
    expect(await client.sessions.list(null as never)).toMatchObject({ success: true });
  });
});
