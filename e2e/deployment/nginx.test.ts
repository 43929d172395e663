import { once } from 'node:events';
import { get as getHttp, type IncomingMessage } from 'node:http';
import { connect } from 'node:http2';
import { type RequestOptions, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { PUBLIC_KEY, SAMPLE, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { EventStream } from '@switchyard/testing/network/event-stream';
import { applyProvision } from '@switchyard/testing/server/command-line';
import { discard, startServer, type TestServer } from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findNginx, Nginx } from '../support/nginx.ts';

const executable = findNginx();
if (executable === undefined) console.warn('Skipping the tests of deploy/nginx.conf: nginx not found.');

describe.skipIf(executable === undefined)('deploy/nginx.conf', () => {
  let server: TestServer;
  let nginx: Nginx;
  beforeAll(async () => {
    server = await startServer({
      provision: SAMPLE,
      env: { TRUST_PROXY: '1', RATE_LIMIT_PER_SECOND: '5000', RATE_LIMIT_PER_ADDRESS: '1' },
    });
    nginx = await Nginx.start(executable!, server.url);
  });
  afterAll(async () => {
    await nginx?.stop();
    await discard(server);
  });

  async function send(path: string, options: RequestOptions, body?: string): Promise<IncomingMessage> {
    const sent = request({
      host: '127.0.0.1',
      port: nginx.httpsPort,
      path,
      rejectUnauthorized: false,
      agent: false,
      ...options,
    });
    sent.end(body);
    return (await once(sent, 'response'))[0] as IncomingMessage;
  }

  async function statusOf(visitor: string, headers: Record<string, string> = {}): Promise<number> {
    const response = await send('/v1/split-testing/config?propertyId=shop', {
      // Loopback has many addresses, so each visitor can have their own.
      localAddress: visitor,
      headers: { 'x-api-key': PUBLIC_KEY, ...headers },
    });
    response.resume();
    return response.statusCode!;
  }

  test('limits requests by the address of the visitor, whatever they send as X-Forwarded-For', async () => {
    const flood = await Promise.all(
      Array.from({ length: 40 }, (_, i) => statusOf('127.0.0.2', { 'x-forwarded-for': `203.0.113.${i}` })),
    );
    expect(new Set(flood)).toEqual(new Set([200, 429]));
    expect(await statusOf('127.0.0.3')).toBe(200);
  });

  test('visitors cannot choose their country', async () => {
    const sessionId = 's-country';
    const collected = await send(
      '/v1/sessions/collect',
      {
        method: 'POST',
        localAddress: '127.0.0.4',
        headers: {
          'x-api-key': PUBLIC_KEY,
          'content-type': 'application/json',
          'cf-ipcountry': 'NZ',
          'x-country-code': 'NZ',
        },
      },
      JSON.stringify({ propertyId: 'shop', sessionId, visitorId: 'v-1', events: [] }),
    );
    expect([collected.statusCode, await text(collected)]).toEqual([200, '{"success":true}']);
    const { body } = await server.send('GET', `/v1/sessions/${sessionId}?propertyId=shop`, {
      key: SECRET_KEY,
    });
    expect(body).toMatchObject({ sessionId, visitorId: 'v-1' });
    expect(body.country).toBeUndefined();
  });

  test('passes on the events of a stream as they happen', async () => {
    const response = await send('/v1/flags/stream?propertyId=shop', { headers: { 'x-api-key': SECRET_KEY } });
    expect(response.statusCode).toBe(200);
    const stream = new EventStream(response);
    await applyProvision(server, {
      properties: [{ id: 'shop', flags: [{ key: 'new-checkout', description: 'Another one' }] }],
    });
    await waitFor('the change', () => stream.events.some(({ event }) => event === 'change'));
    expect(stream.ended).toBe(false);
    stream.close();
  });

  test('a body that is too large gets the error of the API', async () => {
    const response = await send(
      '/v1/goals/increment',
      { method: 'POST', headers: { 'x-api-key': SECRET_KEY, 'content-type': 'application/json' } },
      JSON.stringify({ propertyId: 'shop', goalId: 'signup', padding: 'x'.repeat(1.5 * 2 ** 20) }),
    );
    expect(response.statusCode).toBe(413);
    expect(JSON.parse(await text(response)).error.code).toBe('body_too_large');
  });

  test('speaks HTTP/2, and redirects HTTP to HTTPS', async () => {
    const session = connect(`https://127.0.0.1:${nginx.httpsPort}`, { rejectUnauthorized: false });
    const [headers] = await once(session.request({ ':path': '/healthz' }), 'response');
    session.destroy();
    expect(headers[':status']).toBe(200);
    const [response] = await once(
      getHttp({ host: '127.0.0.1', port: nginx.httpPort, path: '/a?b', headers: { host: 'x.example' } }),
      'response',
    );
    response.resume();
    expect([response.statusCode, response.headers.location]).toEqual([301, 'https://x.example/a?b']);
  });
});
