import { createServer } from 'node:net';
import { WebhookReceiver } from '@switchyard/testing/network/webhook-receiver';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isPublicAddress } from './private-address.ts';
import { type RequestLimits, sendWebhook } from './send-webhook.ts';

let receiver: WebhookReceiver;
let other: WebhookReceiver;
beforeEach(async () => {
  [receiver, other] = [await WebhookReceiver.open(), await WebhookReceiver.open()];
});
afterEach(() => Promise.all([receiver.close(), other.close()]));

const send = (url: string, limits: Partial<RequestLimits> = {}) =>
  sendWebhook(url, { 'content-type': 'application/json' }, '{"ä":1}', {
    resolve: async () => ['127.0.0.1'],
    isAllowed: () => true,
    timeoutMs: 10_000,
    signal: new AbortController().signal,
    ...limits,
  });

describe('a request', () => {
  test('is a POST of the body to the resolved address, with the host name of the URL', async () => {
    const response = await send(`http://shop.example:${receiver.port}/a/b?c=d`);
    expect(response).toMatchObject({ status: 204, error: null, text: '' });
    expect(receiver.received).toMatchObject([{ url: '/a/b?c=d', body: '{"ä":1}' }]);
    expect(receiver.received[0]!.headers).toMatchObject({
      host: `shop.example:${receiver.port}`,
      'content-length': '8',
      connection: 'close',
    });
  });

  test('is accepted with any status from 200 to 299, and with no other', async () => {
    for (const status of [200, 202, 299, 300, 302, 304, 400, 410, 500]) {
      receiver.answerWith(status, { location: other.url });
      const { error } = await send(receiver.url);
      expect([status, error]).toEqual([
        status,
        status < 300 ? null : status === 410 ? 'gone' : 'http_status',
      ]);
    }
    expect(other.received).toEqual([]);
  });

  test('reads only the beginning of the response', async () => {
    receiver.answer = (response) => {
      response.writeHead(500);
      const flood = () => {
        while (!response.destroyed && response.write('\0x'.repeat(5000)));
      };
      response.on('drain', flood);
      flood();
    };
    const { status, text } = await send(receiver.url);
    expect(status).toBe(500);
    expect(text).toBe('\uFFFDx'.repeat(512));
  });

  test('ends after the timeout; a status that has arrived counts', async () => {
    receiver.answer = () => {};
    expect(await send(receiver.url, { timeoutMs: 50 })).toEqual({
      status: null,
      error: 'timeout',
      text: null,
    });
    receiver.answer = (response) => {
      response.writeHead(200).write('thanks, wait');
    };
    expect(await send(receiver.url, { timeoutMs: 2000 })).toMatchObject({ status: 200, error: null });
    const never = new Promise<never>(() => {});
    expect(await send('http://slow.example', { timeoutMs: 50, resolve: () => never })).toMatchObject({
      error: 'timeout',
    });
  });

  test('fails with a code when the receiver is down, resets, upgrades or speaks another protocol', async () => {
    const { port } = other;
    await other.close();
    expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ status: null, error: 'ECONNREFUSED' });
    receiver.answer = (response) => response.socket?.destroy();
    expect(await send(receiver.url)).toMatchObject({ error: 'ECONNRESET' });
    receiver.answer = (response) => response.writeHead(101, { connection: 'upgrade', upgrade: 'x' }).end();
    expect((await send(receiver.url)).error).toMatch(/^E/);
    const noise = createServer((socket) => socket.end('nonsense\r\n\r\n'));
    await new Promise<void>((resolve) => noise.listen(0, '127.0.0.1', resolve));
    const address = noise.address() as { port: number };
    expect((await send(`http://127.0.0.1:${address.port}/`)).error).toMatch(/^HPE_/);
    noise.close();
    expect((await send(receiver.url.replace('http', 'https'))).error).toMatch(/SSL|EPROTO/);
    const failing = async () => {
      throw new Error('10.0.0.1 says no');
    };
    expect(await send('http://x.example', { resolve: failing })).toMatchObject({ error: 'network_error' });
  });

  test('reports Retry-After in seconds or as a date', async () => {
    receiver.answerWith(503, { 'retry-after': '120' });
    expect((await send(receiver.url)).retryAfterMs).toBe(120_000);
    receiver.answerWith(429, { 'retry-after': new Date(Date.now() + 60_000).toUTCString() });
    expect((await send(receiver.url)).retryAfterMs).toBeGreaterThan(50_000);
    receiver.answerWith(503, { 'retry-after': 'soon' });
    expect((await send(receiver.url)).retryAfterMs).toBe(0);
  });
});

describe('private addresses', () => {
  const strict = { isAllowed: isPublicAddress };

  test('are refused, as literals and behind a name, even if only one of several is private', async () => {
    const refused = { status: null, error: 'refused_address' };
    expect(await send(receiver.url, strict)).toMatchObject(refused);
    const url = `http://shop.example:${receiver.port}/`;
    expect(await send(url, strict)).toMatchObject(refused);
    const resolve = async () => ['8.8.8.8', '127.0.0.1'];
    expect(await send(url, { ...strict, resolve })).toMatchObject(refused);
    expect(receiver.received).toEqual([]);
  });

  test('a name is resolved once per request, so a second answer cannot lead elsewhere', async () => {
    let asked = 0;
    // The first answer passes the check; a second one would lead to the receiver.
    const resolve = async () => (++asked === 1 ? ['192.0.2.1'] : ['127.0.0.1']);
    const url = `http://rebinding.example:${receiver.port}/`;
    await send(url, { resolve, timeoutMs: 100 });
    expect([asked, receiver.received]).toEqual([1, []]);
  });
});

describe('redirects', () => {
  test('307 and 308 are followed with method and body, up to three times', async () => {
    receiver.answer = (response, { url }) => {
      const hops = Number(url.slice(1)) || 0;
      if (hops === 0) response.writeHead(200).end('done');
      else response.writeHead(hops % 2 ? 307 : 308, { location: `/${hops - 1}` }).end();
    };
    const at = (hops: number) => `http://127.0.0.1:${receiver.port}/${hops}`;
    expect(await send(at(3))).toMatchObject({ status: 200, text: 'done' });
    expect(receiver.received.map(({ url, body }) => [url, body])).toEqual(
      ['/3', '/2', '/1', '/0'].map((url) => [url, '{"ä":1}']),
    );
    expect(await send(at(4))).toMatchObject({ status: 307, error: 'too_many_redirects' });
  });

  test('to a refused address are not followed, whether it is a literal or behind a name', async () => {
    const limits = {
      isAllowed: (address: string) => address === '127.0.0.1',
      resolve: async () => ['127.0.0.2'],
    };
    for (const location of [`http://127.0.0.2:${other.port}/`, `http://inside.example:${other.port}/`]) {
      receiver.answerWith(307, { location });
      expect(await send(receiver.url, limits)).toMatchObject({ error: 'refused_address' });
    }
    expect([receiver.received.length, other.received]).toEqual([2, []]);
  });

  test.each([
    ['file:///etc/passwd', 'invalid_redirect'],
    ['http://user:password@127.0.0.1/', 'invalid_redirect'],
    ['http://', 'invalid_redirect'],
    [undefined, 'invalid_redirect'],
  ])('to %s is refused', async (location, error) => {
    receiver.answerWith(308, location === undefined ? {} : { location });
    expect(await send(receiver.url)).toMatchObject({ status: 308, error });
  });
});
