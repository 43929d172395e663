import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpServer } from './http-server.ts';

// No real request should cause an internal error, so the test registers routes that fail.

const lines: string[] = [];
const { app } = createHttpServer(
  { trustProxy: false, workers: 1 },
  pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }),
);

const SECRET_MESSAGE =
  "Catalog Error in /var/lib/switchyard/events.duckdb: SELECT * FROM sessions WHERE id = 'x'";

const failures = {
  thrown: () => {
    throw new Error(SECRET_MESSAGE);
  },
  rejected: () =>
    Promise.reject(Object.assign(new Error(SECRET_MESSAGE), { code: 'SQLITE_CORRUPT', statusCode: 500 })),
  'not an error': () => Promise.reject(SECRET_MESSAGE),
  'an error with a 5xx status': () =>
    Promise.reject(Object.assign(new Error(SECRET_MESSAGE), { statusCode: 503 })),
};

let url: string;
beforeAll(async () => {
  for (const [name, handler] of Object.entries(failures)) app.get(`/${name.replaceAll(' ', '-')}`, handler);
  await app.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
});
afterAll(() => app.close());

describe('500 internal_error', () => {
  it.each(Object.keys(failures))('%s: the response reveals no internals', async (name) => {
    const response = await fetch(`${url}/${name.replaceAll(' ', '-')}`, {
      headers: { 'x-request-id': 'find-me' },
    });
    const body = await response.text();
    expect(response.status).toBe(500);
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json\b/);
    expect(JSON.parse(body)).toEqual({
      type: '/docs/errors#internal_error',
      title: expect.any(String),
      status: 500,
      detail: expect.any(String),
      requestId: 'find-me',
      success: false,
      error: { code: 'internal_error', message: expect.any(String) },
    });
    expect(body).not.toMatch(/SELECT|Catalog|\/var\/lib|\bat .*:\d+|\.ts|\.js|stack|SQLITE/);
  });

  it('the error is logged with the request id', async () => {
    lines.length = 0;
    await fetch(`${url}/thrown`, {
      headers: { 'x-request-id': 'in-the-log', 'x-api-key': 'service_sec_hidden' },
    });
    const entry = lines.map((line) => JSON.parse(line)).find(({ reqId }) => reqId === 'in-the-log');
    expect(entry.err.message).toBe(SECRET_MESSAGE);
    expect(lines.join('')).not.toContain('service_sec_hidden');
  });
});
