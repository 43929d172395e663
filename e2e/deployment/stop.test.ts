import { connect, type Socket } from 'node:net';
import { PUBLIC_KEY, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { discard, startServer, type TestServer } from '@switchyard/testing/server/test-server';
import { settled, waitFor } from '@switchyard/testing/time/wait';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EventLoad } from '../support/event-load.ts';
import { LOAD_PROVISION } from '../support/event-requests.ts';
import { SeededRandom } from '../support/random.ts';
import { expectStoredOnce, expectTotals } from '../support/stored-events.ts';

/** The server disconnects slow clients after 15 s, so an earlier exit has not waited for them. */
const PROMPT_MS = 14_000;
/** Errors that a client may see when a server exits between two requests. */
const GONE = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'];

let server: TestServer;
const sockets: Socket[] = [];
beforeEach(async () => {
  server = await startServer({ provision: LOAD_PROVISION });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await discard(server);
});

/** Stops the server; fails if it does not exit promptly with code 0. */
async function stopPromptly(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  const code = await settled(`stopping with ${signal}`, server.stop(signal), PROMPT_MS);
  expect(code, server.log).toBe(0);
}

/** A raw connection on which the test controls what is sent. */
async function openConnection(): Promise<{ socket: Socket; received: () => string }> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  let received = '';
  socket.setEncoding('utf8');
  socket.on('data', (text) => {
    received += text;
  });
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('connect', resolve));
  return { socket, received: () => received };
}

/** Requests 100 Continue, which shows that the server has read the headers and waits for the body. */
const headerOf = (length: number) =>
  `POST /v1/goals/increment HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${SECRET_KEY}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`;

describe('SIGTERM', () => {
  test('under load: exits with code 0, and no acknowledged event is lost', async () => {
    const random = SeededRandom.forThisRun('SIGTERM');
    const load = new EventLoad(random);
    for (let cycle = 0; cycle < 2; cycle++) {
      const { done } = load.start(server.url);
      await settled('the load', load.acknowledged(random.between(50, 600)));
      await stopPromptly();
      await done;
      server = await startServer({ dataDir: server.dataDir, provision: LOAD_PROVISION });
    }
    const unanswered = load.events.filter(({ outcome }) => outcome === 'unknown');
    expect(unanswered.filter(({ error }) => !GONE.includes(error ?? ''))).toEqual([]);
    expect(
      load.events.filter(({ status }) => status !== undefined && status !== 200 && status !== 503),
    ).toEqual([]);
    expect(load.events.filter(({ outcome }) => outcome === 'acknowledged').length).toBeGreaterThan(100);
    await expectTotals(server, load.events, await expectStoredOnce(server, load.events));
  });

  test('finishes a request in progress, but does not wait for its connection to close', async () => {
    const body = JSON.stringify({ propertyId: 'shop', goalId: 'signup', sessionId: 's-late' });
    const { socket, received } = await openConnection();
    socket.write(headerOf(body.length));
    await waitFor('100 Continue', () => received().includes('100 Continue'));
    const stopped = stopPromptly();
    stopped.catch(() => {}); // Reported below, where it is awaited.
    await waitFor('the server to refuse new connections', async () => {
      const probe = await fetch(`${server.url}/healthz`).catch(() => undefined);
      return probe === undefined;
    });
    socket.write(body);
    await waitFor('the response', () => received().includes('{"success":true}'));
    // The client keeps its connection open, as browsers do; the server must not wait for it.
    await stopped;
    server = await startServer({ dataDir: server.dataDir });
    const response = await server.send('GET', '/v1/sessions/s-late?propertyId=shop', { key: SECRET_KEY });
    expect(response.status).toBe(200);
  });

  test('does not wait for idle clients, streams and incomplete requests', async () => {
    // Browsers open connections in advance.
    await openConnection();
    const stream = await openConnection();
    stream.socket.write(
      `GET /v1/flags/stream?propertyId=shop HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${SECRET_KEY}\r\n\r\n`,
    );
    await waitFor('the stream', () => stream.received().includes('text/event-stream'));
    const unfinished = await openConnection();
    unfinished.socket.write(`${headerOf(100)}{`);
    await waitFor('100 Continue', () => unfinished.received().includes('100 Continue'));
    await stopPromptly();
  });
});

test('SIGINT (Ctrl-C) stops the server too, and a second SIGINT has no effect', async () => {
  server.process.kill('SIGINT');
  await stopPromptly('SIGINT');
});

describe('SIGTERM with SHUTDOWN_DELAY_SECONDS', () => {
  for (const workers of ['1', '2']) {
    test(`serves requests until the delay is over, WORKERS=${workers}`, async () => {
      await discard(server);
      server = await startServer({
        provision: LOAD_PROVISION,
        env: { SHUTDOWN_DELAY_SECONDS: '5', WORKERS: workers },
      });
      const before = await fetch(`${server.url}/readyz`);
      expect(before.status).toBe(200);
      expect(before.headers.get('connection')).not.toBe('close');
      const stopped = settled('stopping', server.stop());
      stopped.catch(() => {}); // Reported below, where it is awaited.
      const notReady = await waitFor('/readyz to say so', async () => {
        const response = await fetch(`${server.url}/readyz`);
        return response.status === 503 ? response : undefined;
      });
      expect(await notReady.json()).toEqual({ status: 'not ready', unavailable: [] });
      // New connections are accepted, and requests of both lanes close theirs.
      for (const path of ['/healthz', '/v1/split-testing/config?propertyId=shop']) {
        const response = await fetch(`${server.url}${path}`, { headers: { 'x-api-key': PUBLIC_KEY } });
        expect(response.status, path).toBe(200);
        expect(response.headers.get('connection'), path).toBe('close');
      }
      expect(await stopped, server.log).toBe(0);
    });
  }
});
