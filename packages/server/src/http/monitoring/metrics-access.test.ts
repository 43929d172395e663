import { networkInterfaces } from 'node:os';
import { expectProblem } from '@switchyard/testing/fixtures/shop';
import { discard, startServer, type TestServer } from '@switchyard/testing/server/test-server';
import { afterEach, describe, expect, it } from 'vitest';

const TOKEN = 'a-token-of-enough-length';

let server: TestServer;
afterEach(() => discard(server));

const metrics = (headers: Record<string, string> = {}) => server.call('GET', '/metrics', { headers });

/** Addresses of this machine other than loopback; may be empty. */
const externalAddresses = () =>
  Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.filter(({ internal, family }) => !internal && family === 'IPv4').map(({ address }) => address),
  );

describe('without METRICS_TOKEN', () => {
  it('metrics are only available from the same machine', async () => {
    server = await startServer({ env: { HOST: '0.0.0.0' } });
    const { port } = new URL(server.url);
    expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(200);
    expect((await fetch(`http://127.0.0.2:${port}/metrics`)).status).toBe(200);
    for (const address of externalAddresses()) {
      const response = await fetch(`http://${address}:${port}/metrics`);
      expect([address, response.status]).toEqual([address, 403]);
    }
  });

  it('metrics are not available through a local proxy', async () => {
    server = await startServer({ env: { TRUST_PROXY: 'true' } });
    const names = [
      'X-Forwarded-For',
      'Forwarded',
      'X-Real-IP',
      'Via',
      'X-Forwarded-Host',
      'CF-Connecting-IP',
    ];
    for (const name of names) {
      const response = await metrics({ [name]: '127.0.0.1' });
      expectProblem(response, { status: 403, code: 'metrics_local_only' });
    }
  });
});

describe('with METRICS_TOKEN', () => {
  it('metrics require the token', async () => {
    server = await startServer({ env: { METRICS_TOKEN: TOKEN } });
    const wrong = [
      {},
      { authorization: TOKEN },
      { authorization: `Bearer ${TOKEN}x` },
      { authorization: 'Bearer ' },
    ];
    for (const headers of wrong) {
      const response = await metrics(headers as Record<string, string>);
      expectProblem(response, { status: 401, code: 'metrics_token_required' });
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
    }
    const response = await metrics({ authorization: `Bearer ${TOKEN}`, 'x-forwarded-for': '198.51.100.1' });
    expect(response.status).toBe(200);
    expect(response.text).toContain('switchyard_events_total');
  });

  it('a short token fails the start, and the message does not contain it', async () => {
    const starting = startServer({ env: { METRICS_TOKEN: 'easy-to-guess' } });
    await expect(starting).rejects.toThrow(/METRICS_TOKEN/);
    await expect(starting).rejects.not.toThrow(/easy-to-guess/);
  });
});
