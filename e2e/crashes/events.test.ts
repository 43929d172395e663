import { rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import {
  discard,
  startServer,
  type TestServer,
  temporaryDirectory,
} from '@switchyard/testing/server/test-server';
import { settled } from '@switchyard/testing/time/wait';
import { afterEach, expect, test } from 'vitest';
import { switchyard } from '../support/command-line.ts';
import { EventLoad, post } from '../support/event-load.ts';
import { LOAD_PROVISION } from '../support/event-requests.ts';
import { SeededRandom } from '../support/random.ts';
import { expectStoredOnce, expectTotals, goalProgress } from '../support/stored-events.ts';

const CYCLES = 4;

let server: TestServer | undefined;
let dataDir: string | undefined;
afterEach(async () => {
  await discard(server);
  if (dataDir !== undefined) rmSync(dataDir, { recursive: true, force: true });
  server = undefined;
  dataDir = undefined;
});

const start = async () => {
  dataDir ??= temporaryDirectory();
  server = await startServer({ dataDir, provision: LOAD_PROVISION });
  return server;
};

const signup = (sessionId: string, idempotencyKey?: string) => ({
  path: '/v1/goals/increment',
  apiKey: SECRET_KEY,
  body: { propertyId: 'shop', goalId: 'signup', sessionId },
  ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
});

test(`acknowledged events are stored exactly once after each of ${CYCLES} kills under load`, async () => {
  const random = SeededRandom.forThisRun('kill -9');
  const load = new EventLoad(random);
  let running = await start();
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const first = load.events.length;
    const startedAt = Date.now();
    const { done } = load.start(running.url);
    await settled('the load', load.acknowledged(random.between(1, 800)));
    await sleep(random.between(0, 20));
    await running.stop('SIGKILL');
    await done;
    // A kill during recovery must not lose events either.
    if (cycle % 3 === 1) await killWhileStarting(running.dataDir, random.between(100, 1500));
    running = await start();
    const sent = load.events.slice(first);
    await expectStoredOnce(running, sent, startedAt);
    if (cycle % 2 === 0) {
      await load.replay(
        running.url,
        sent.filter(({ outcome }) => outcome === 'unknown'),
      );
      await load.replay(running.url, sent.filter(({ outcome }) => outcome === 'acknowledged').slice(-50));
    }
  }
  const acknowledged = load.events.filter(({ outcome }) => outcome === 'acknowledged').length;
  console.log(`kill -9: ${acknowledged} of ${load.events.length} events acknowledged in ${CYCLES} cycles`);
  expect(acknowledged).toBeGreaterThan(CYCLES * 20);
  expect(load.events.filter(({ outcome }) => outcome === 'rejected')).toEqual([]);
  await expectTotals(running, load.events, await expectStoredOnce(running, load.events));
});

async function killWhileStarting(dataDir: string, afterMs: number): Promise<void> {
  await switchyard(['serve'], { env: { DATA_DIR: dataDir }, killAfterMs: afterMs });
}

test('100 concurrent requests with one idempotency key count once, even when replayed after kill -9', async () => {
  let running = await start();
  const agent = new Agent({ keepAlive: true, maxSockets: 100 });
  const sendHundred = async () => {
    const requests = Array.from({ length: 100 }, () => post(running.url, agent, signup('s-once', 'once')));
    const responses = (await Promise.all(requests)).map(({ status, text }) => `${status} ${text}`);
    expect(new Set(responses)).toEqual(new Set(['200 {"success":true}']));
  };
  await sendHundred();
  expect((await goalProgress(running, 'signup')).total).toBe(1);
  await running.stop('SIGKILL');
  running = await start();
  await sendHundred();
  expect((await post(running.url, agent, signup('another', 'once'))).status).toBe(422);
  expect((await goalProgress(running, 'signup')).total).toBe(1);
  agent.destroy();
});

test('a request whose response was lost in a kill -9 counts once after a retry', async () => {
  const random = SeededRandom.forThisRun('lost responses');
  let running = await start();
  const sent: ReturnType<typeof signup>[] = [];
  const killAfter = random.between(50, 400);
  let responses = 0;
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const client = async () => {
    for (;;) {
      const request = signup(`s-${sent.length}`, `lost-${sent.length}`);
      sent.push(request);
      await post(running.url, agent, request);
      responses += 1;
      if (responses === killAfter) running.process.kill('SIGKILL');
    }
  };
  await Promise.allSettled(Array.from({ length: 64 }, client));
  agent.destroy();
  await running.exited;
  console.log(`lost responses: ${sent.length - responses} of ${sent.length}`);
  expect(responses).toBeLessThan(sent.length);
  running = await start();
  const again = new Agent({ keepAlive: true, maxSockets: 64 });
  for (let time = 0; time < 2; time++) {
    const replayed = await Promise.all(sent.map((request) => post(running.url, again, request)));
    expect(replayed.filter(({ status }) => status !== 200)).toEqual([]);
  }
  again.destroy();
  expect((await goalProgress(running, 'signup')).total).toBe(sent.length);
});
