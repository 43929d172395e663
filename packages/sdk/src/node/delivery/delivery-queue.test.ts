import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PUBLIC_KEY, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { FaultyProxy } from '../../testing/faulty-proxy.ts';
import { connectThrough, loadedTests } from '../../testing/proxied-client.ts';
import type { Switchyard, SwitchyardOptions } from '../node.ts';

let shop: Shop;
let proxy: FaultyProxy;
let directory: string;
let errors: { code: string; message: string }[];
let clients: Switchyard[];
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => closeShop(shop));
beforeEach(async () => {
  proxy = await FaultyProxy.start(shop.server.url);
  directory = mkdtempSync(join(tmpdir(), 'switchyard-spool-'));
  errors = [];
  clients = [];
});
afterEach(async () => {
  proxy.close();
  await Promise.all(clients.map((client) => client.close()));
  vi.restoreAllMocks();
  rmSync(directory, { recursive: true, force: true });
});

function connect(options: Partial<SwitchyardOptions> = {}): Switchyard {
  const client = connectThrough(proxy, {
    publicApiKey: PUBLIC_KEY,
    timeoutMs: 500,
    onError: (error) => errors.push(error),
    ...options,
  });
  clients.push(client);
  return client;
}

const codes = () => new Set(errors.map(({ code }) => code));

function startOutage({ retryAfter }: { retryAfter?: string } = {}): void {
  proxy.intercept = (_request, response) => {
    if (retryAfter === undefined) response.destroy();
    else response.writeHead(503, { 'retry-after': retryAfter }).end('{}');
    return true;
  };
}

const endOutage = () => {
  proxy.intercept = () => false;
};

/** For a closed client, whose last attempt may still be on its way. */
async function endOutageAfterLastAttempt(): Promise<void> {
  await waitFor('closed connections', () => proxy.hasNoConnections());
  endOutage();
}

const flushed = (client: Switchyard) => waitFor('an empty queue', async () => (await client.flush()).success);

const connectWithSpool = (options?: Partial<SwitchyardOptions>) =>
  connect({ spoolDirectory: directory, ...options });

const spoolFile = () => {
  const files = readdirSync(directory);
  expect(files).toHaveLength(1);
  return join(directory, files[0]!);
};

const request = (sessionId: string) => `sy_visitor=visitor-of-${sessionId}; sy_session=${sessionId}`;
/** Takes a sixteenth of the queue, and is refused by the service. */
const large = (sessionId: string) => ({ sessionId, metadata: { text: 'x'.repeat(1_000_000) }, timeoutMs: 1 });

describe('the queue', () => {
  it('drops exposures before goals when it is full, and says which calls are not queued', async () => {
    const client = connect();
    const tests = await loadedTests(client, request('session-bound'));
    startOutage({ retryAfter: '3600' });
    tests.get('hero', 'x');
    expect(await client.flush()).toMatchObject({ success: false });
    startOutage();
    expect(await client.goals.increment('signup', { sessionId: 'session-bound' })).toMatchObject({
      queued: true,
    });
    const results = [];
    for (let i = 0; i < 17; i++) results.push(await client.goals.increment('signup', large('session-large')));
    expect(results.filter((result) => !result.success && result.queued)).toHaveLength(16);
    expect(results.at(-1)).toEqual({
      success: false,
      error: { code: 'queue_full', message: expect.stringContaining('full') },
    });
    expect(codes()).toContain('queue_full');
    const huge = { message: 'x'.repeat(1_100_000) };
    expect(await client.feedback.submit('nps', huge)).toMatchObject({ error: { code: 'body_too_large' } });

    // Refused goals neither block the others nor stay in the queue.
    errors.length = 0;
    endOutage();
    await flushed(client);
    expect(errors.filter(({ code }) => code === 'invalid_request')).toHaveLength(16);
    const { timeline } = await shop.session('session-bound');
    expect(timeline.map(({ type }: { type: string }) => type)).toEqual(['goal']);
    expect(await shop.isUnknown('session-large')).toBe(true);
  });

  it('sends goals at once, past exposures that wait and a request that always fails', async () => {
    const client = connect();
    const tests = await loadedTests(client, request('session-backlog'));
    startOutage({ retryAfter: '3600' });
    tests.get('hero', 'x');
    expect(await client.flush()).toMatchObject({ success: false });
    // Exposures are paused for an hour; goals are not.
    proxy.intercept = ({ body }, response) => {
      if (!body.includes('unlucky')) return false;
      response.writeHead(500).end('{}');
      return true;
    };
    const unlucky = { sessionId: 'unlucky', timeoutMs: 50 };
    expect(await client.goals.increment('signup', unlucky)).toMatchObject({ queued: true });
    for (let i = 0; i < 20; i++) {
      const call = { sessionId: 'session-backlog', timeoutMs: 60_000 };
      expect(await client.goals.increment('signup', call)).toEqual({ success: true });
    }
    const attempts = proxy.requestsTo('/v1/goals').filter(({ body }) => body.includes('unlucky'));
    // Not after each success.
    expect(attempts.length).toBeLessThan(20);
    expect(await shop.timeline('session-backlog', 'exposure')).toEqual([]);
  });

  it('uses the place of a failed request, even if all others hang', async () => {
    // Also the timeout of the requests: none of them may end by itself.
    const client = connect({ timeoutMs: 120_000 });
    const held: ServerResponse[] = [];
    proxy.intercept = (_request, response) => held.push(response) > 0;
    const hanging = Array.from({ length: 8 }, () => client.goals.increment('signup'));
    await waitFor('requests', () => held.length === 8);
    const next = client.goals.increment('signup', { sessionId: 'session-next' });
    endOutage();
    held.pop()!.destroy();
    expect(await next).toEqual({ success: true });
    expect(held.filter(({ destroyed }) => destroyed)).toEqual([]);
    for (const response of held) response.destroy();
    for (const result of await Promise.all(hanging)) expect(result).toEqual({ success: true });
  });

  it('returns at once while the service asks not to be called', async () => {
    const client = connect();
    startOutage({ retryAfter: '3600' });
    // A call that waited would exceed the timeout of this test.
    const call = { timeoutMs: 1_000_000 };
    for (let i = 0; i < 3; i++)
      expect(await client.goals.increment('signup', call)).toMatchObject({ queued: true });
    expect(proxy.requests).toHaveLength(1);
  });
});

describe('the spool', () => {
  it('keeps goals, feedback, exposures and sessions of a closed client for the next one', async () => {
    const client = connectWithSpool();
    const tests = await loadedTests(client, { headers: {} });
    const { sessionId, visitorId } = tests;
    startOutage();
    tests.get('hero', 'x');
    const purchase = { amount: 5, sessionId, metadata: { note: 'ünï\u2028"\n' } };
    expect(await client.goals.increment('revenue', purchase)).toMatchObject({ success: false, queued: true });
    expect(await client.feedback.submit('nps', { option: 'good', sessionId })).toMatchObject({
      queued: true,
    });
    expect(await client.close()).toMatchObject({ success: false });
    const content = readFileSync(spoolFile(), 'utf8');
    expect(statSync(spoolFile()).mode & 0o777).toBe(0o600);
    expect(content).toContain(sessionId);
    for (const key of [SECRET_KEY, PUBLIC_KEY]) expect(content).not.toContain(key);

    endOutage();
    connectWithSpool();
    await waitFor('delivery', async () => {
      if (await shop.isUnknown(sessionId!)) return false;
      const { timeline, feedback } = await shop.session(sessionId!);
      return timeline.length === 3 && feedback === 1;
    });
    expect(await shop.timeline(sessionId!, 'goal')).toMatchObject([
      { amount: 5, metadata: purchase.metadata },
    ]);
    expect(await shop.session(sessionId!)).toMatchObject({
      visitorId,
      exposures: [{ splitTestKey: 'hero' }],
    });
  });

  it('keeps goals while the service refuses the key, without waiting for it', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    const purchase = { amount: 5, sessionId: 's-refused-key' };
    const client = connectWithSpool({ secretApiKey: 'service_sec_0123456789abcdefUnknown' });
    // The second call is not even sent.
    for (const timeoutMs of [50_000, 1000]) {
      const result = await client.goals.increment('revenue', { ...purchase, timeoutMs });
      expect(result).toMatchObject({ success: false, queued: true, error: { code: 'api_key_invalid' } });
    }
    expect(await client.close()).toMatchObject({ error: { code: 'api_key_invalid' } });
    expect(proxy.requests).toHaveLength(1);
    expect(warn).toHaveBeenCalledTimes(1);

    connectWithSpool();
    await waitFor('delivery', async () => {
      if (await shop.isUnknown('s-refused-key')) return false;
      return (await shop.timeline('s-refused-key', 'goal')).length === 2;
    });
  });

  it('is only delivered to the service and property that it was meant for', async () => {
    startOutage();
    const client = connectWithSpool();
    expect(await client.goals.increment('signup')).toMatchObject({ queued: true });
    await client.close();
    const before = spoolFile();
    await endOutageAfterLastAttempt();
    const other = connectWithSpool({ propertyId: 'other' });
    const sent = proxy.requestsTo('/v1/goals').length;
    // Files are adopted before the client closes.
    await other.close();
    expect(proxy.requestsTo('/v1/goals')).toHaveLength(sent);
    expect(spoolFile()).toBe(before);
  });

  it('skips damaged lines and a torn last line, and reports them', async () => {
    startOutage();
    const client = connectWithSpool();
    for (let amount = 1; amount <= 3; amount++) {
      await client.goals.increment('revenue', { amount, sessionId: 's-torn', timeoutMs: 50 });
    }
    await client.close();
    const content = readFileSync(spoolFile(), 'utf8');
    // Still valid JSON, but another amount.
    const damaged = content.replace('"amount\\":2', '"amount\\":9');
    expect(damaged).not.toBe(content);
    writeFileSync(spoolFile(), `${damaged}\0\0\0\n${content.slice(0, 80)}`);
    utimesSync(spoolFile(), 0, 0);
    await endOutageAfterLastAttempt();
    const next = connectWithSpool();
    const amounts = async () => (await shop.timeline('s-torn', 'goal')).map(({ amount }) => amount).sort();
    await waitFor('delivery', async () => {
      return !(await shop.isUnknown('s-torn')) && (await amounts()).includes(3);
    });
    await flushed(next);
    expect(await amounts()).toEqual([1, 3]);
    expect(errors.filter(({ code }) => code === 'spool_damaged')).toEqual([
      { code: 'spool_damaged', message: expect.stringContaining('3 damaged lines') },
    ]);
  });

  it('drops what the service may have stored a day ago', async () => {
    startOutage();
    const client = connectWithSpool();
    await client.goals.increment('signup', { sessionId: 's-yesterday' });
    await client.close();
    await endOutageAfterLastAttempt();
    const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 24 * 60 * 60 * 1000);
    connectWithSpool();
    await waitFor('the report', () => codes().has('expired'));
    await waitFor('an empty directory', () => readdirSync(directory).length === 0);
    now.mockRestore();
    expect(await shop.isUnknown('s-yesterday')).toBe(true);
  });

  it('loses nothing in memory if the directory cannot be written, which is reported and logged once', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    const file = join(directory, 'file');
    writeFileSync(file, '');
    startOutage();
    const client = connectWithSpool({ spoolDirectory: join(file, 'spool') });
    for (let i = 0; i < 3; i++) {
      expect(await client.goals.increment('signup', { sessionId: 's-no-disk', timeoutMs: 50 })).toMatchObject(
        {
          queued: true,
        },
      );
    }
    endOutage();
    await flushed(client);
    expect(await shop.timeline('s-no-disk', 'goal')).toHaveLength(3);
    expect(errors.filter(({ code }) => code === 'spool_failed')).toHaveLength(1);
    expect(warn.mock.calls).toEqual([[expect.stringMatching(/kept in memory only: .* \(spool_failed\)$/)]]);
  });

  it('is the only place where a call that is running at close stays queued', async () => {
    vi.spyOn(console, 'warn').mockReturnValue();
    const file = join(directory, 'file');
    writeFileSync(file, '');
    proxy.intercept = () => true;
    for (const [spoolDirectory, expected] of [
      [directory, { queued: true }],
      [join(file, 'spool'), {}],
    ] as const) {
      const client = connect({ spoolDirectory });
      const sent = proxy.requests.length;
      const running = client.goals.increment('signup', { timeoutMs: 60_000 });
      await waitFor('the request', () => proxy.requests.length > sent);
      await client.close();
      const error = { code: 'closed', message: expect.any(String) };
      expect(await running).toEqual({ success: false, error, ...expected });
    }
  });

  it('moves to a new file if another process took the file of one that was suspended', async () => {
    startOutage();
    const client = connectWithSpool();
    expect(await client.goals.increment('signup', { sessionId: 's-taken' })).toMatchObject({ queued: true });
    const first = spoolFile();
    rmSync(first);
    expect(await client.goals.increment('signup', { sessionId: 's-taken' })).toMatchObject({ queued: true });
    expect(spoolFile()).not.toBe(first);
    expect(readFileSync(spoolFile(), 'utf8').match(/s-taken/g)).toHaveLength(2);
    endOutage();
    await flushed(client);
    expect(await client.close()).toEqual({ success: true });
    expect(readdirSync(directory)).toEqual([]);
    expect(await shop.timeline('s-taken', 'goal')).toHaveLength(2);
  });
});
