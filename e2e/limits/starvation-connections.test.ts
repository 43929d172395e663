import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { SAMPLE, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { discard, startServer, type TestServer } from '@switchyard/testing/server/test-server';
import { settled } from '@switchyard/testing/time/wait';
import { afterEach, expect, test } from 'vitest';
import { filledDirectory } from '../support/filled-store.ts';
import { expectOthersServed } from '../support/latency-probe.ts';

const EVENT_BYTES = 8000;
const TIMELINE = '/v1/sessions/long?propertyId=shop';

let server: TestServer;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await discard(server);
});

async function startWithSession(events: number): Promise<void> {
  const dataDir = await filledDirectory('longSession', events, EVENT_BYTES);
  server = await startServer({ dataDir, provision: SAMPLE });
}

/** Current and peak resident bytes. */
function memory(): { current: number; peak: number } {
  const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8');
  const bytes = (field: string) => 1024 * Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)![1]);
  return { current: bytes('VmRSS'), peak: bytes('VmHWM') };
}

/** Sends a request, reads the first bytes of the response, and then stops reading. */
function requestAndStall(path: string): Promise<void> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    sockets.push(socket);
    socket.once('data', () => {
      socket.pause();
      resolve();
    });
    socket.once('error', reject);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nx-api-key: ${SECRET_KEY}\r\n\r\n`);
  });
}

test('reading a large session neither delays other requests nor loads the whole session into memory', async () => {
  const events = 6000;
  await startWithSession(events);
  const before = memory().current;
  await expectOthersServed(server, async () => {
    const clients = Array.from({ length: 4 }, () => server.send('GET', TIMELINE, { key: SECRET_KEY }));
    for (const { status } of await Promise.all(clients)) expect(status).toBe(200);
  });
  expect(memory().peak - before).toBeLessThan(3 * events * EVENT_BYTES);
});

test('clients that do not read their responses take less memory than the requested sessions', async () => {
  const events = 3000;
  const clients = 40;
  await startWithSession(events);
  const before = memory().current;
  const requests = Array.from({ length: clients }, () => requestAndStall(`${TIMELINE}&limit=1000`));
  await settled('the first bytes of all responses', Promise.all(requests));
  expect(memory().peak - before).toBeLessThan((clients * events * EVENT_BYTES) / 2);
});
