import { rmSync } from 'node:fs';
import {
  discard,
  startServer,
  type TestServer,
  temporaryDirectory,
} from '@switchyard/testing/server/test-server';
import { settled, waitFor } from '@switchyard/testing/time/wait';
import { afterEach, expect, test } from 'vitest';
import { EventLoad } from '../support/event-load.ts';
import { LOAD_PROVISION } from '../support/event-requests.ts';
import { SeededRandom } from '../support/random.ts';
import { expectStoredOnce, expectTotals } from '../support/stored-events.ts';
import { workerPids } from '../support/worker-connections.ts';

const dataDir = temporaryDirectory();
let server: TestServer;
afterEach(async () => {
  await discard(server);
  rmSync(dataDir, { recursive: true, force: true });
});

const start = async (workers: string) => {
  server = await startServer({ dataDir, provision: LOAD_PROVISION, env: { WORKERS: workers } });
};

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('acknowledged events are stored exactly once when a worker, the primary process or all are ended', async () => {
  const random = SeededRandom.forThisRun('workers');
  const load = new EventLoad(random);
  await start('2');

  // A worker: the other one goes on, and another one replaces it.
  const sending = load.start(server.url);
  await settled('the load', load.acknowledged(random.between(1, 500)));
  const before = await workerPids(server);
  expect(before).toHaveLength(2);
  process.kill(random.pick(before), 'SIGKILL');
  await settled('requests without it', load.acknowledged(200));
  await waitFor('the new worker', async () =>
    /^switchyard_workers 2$/m.test((await server.send('GET', '/metrics')).text),
  );
  await settled('requests with the new worker', load.acknowledged(200));

  // The primary process: everything ends.
  const workers = await workerPids(server);
  await server.stop('SIGKILL');
  await settled('the clients', sending.done);
  await waitFor('the end of the workers', () => !workers.some(isRunning));
  await start('2');
  await expectStoredOnce(server, load.events);

  // All, in an orderly way.
  const { done } = load.start(server.url);
  await settled('the load', load.acknowledged(random.between(50, 500)));
  expect(await settled('the stop', server.stop('SIGTERM')), server.log).toBe(0);
  await done;
  await start('1');
  await expectTotals(server, load.events, await expectStoredOnce(server, load.events));
  expect(load.events.filter(({ outcome }) => outcome === 'rejected')).toEqual([]);
});
