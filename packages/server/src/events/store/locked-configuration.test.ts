import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { PUBLIC_KEY } from '@switchyard/testing/fixtures/sample-property';
import { switchyard } from '@switchyard/testing/server/command-line';
import { discard, startServer, type TestServer } from '@switchyard/testing/server/test-server';
import { settled, waitFor } from '@switchyard/testing/time/wait';
import { afterEach, beforeEach, expect, test } from 'vitest';

const CONFIG = '/v1/split-testing/config?propertyId=shop';
/** Shorter than the lock timeout of a command, so that the command succeeds in the end. */
const LOCKED_MS = 3000;

let server: TestServer;
let other: DatabaseSyncInstance;

beforeEach(async () => {
  const variations = [{ key: 'a', weight: 1, value: 'A' }];
  const splitTests = [{ key: 'hero', type: 'text', status: 'draft', variations }];
  const apiKeys = [{ kind: 'public', name: 'web', key: PUBLIC_KEY }];
  server = await startServer({ provision: { properties: [{ id: 'shop', apiKeys, splitTests }] } });
  other = new DatabaseSync(join(server.dataDir, 'config.db'), { timeout: 5000 });
});

afterEach(async () => {
  other.close();
  await discard(server);
});

const runningTests = async (): Promise<string[]> => {
  const { body } = await server.call('GET', CONFIG, { key: PUBLIC_KEY });
  return body.tests.map((each: { key: string }) => each.key);
};

/** Sends requests until stopped; `stop` returns the worst latency. */
function probe(): { stop: () => Promise<number> } {
  let stopped = false;
  const probing = (async () => {
    let worst = 0;
    while (!stopped) {
      for (const path of ['/healthz', '/readyz', CONFIG]) {
        const sentAt = performance.now();
        const { status } = await server.send('GET', path, { key: PUBLIC_KEY });
        worst = Math.max(worst, performance.now() - sentAt);
        expect([path, status]).toEqual([path, 200]);
      }
      await sleep(10);
    }
    return worst;
  })();
  return {
    stop() {
      stopped = true;
      return probing;
    },
  };
}

/** Schedules the test and locks the database before its start, which is returned. */
function lockBeforeStart(): number {
  for (;;) {
    const startAt = Date.now() + 1000;
    other.exec(`update split_tests set start_at = ${startAt}; update properties set version = version + 1`);
    other.exec('begin immediate');
    // Otherwise a busy machine took so long that the server may have started it.
    if (Date.now() < startAt) return startAt;
    other.exec('rollback');
  }
}

const createKey = () =>
  switchyard(server, ...'keys create --property shop --kind public --name new'.split(' '));

test('a lock on config.db by another process delays no request; blocked writes succeed after it is released', async () => {
  // Compiles the document of the API, which can take seconds, before there is a lock: a command waits only so long for it.
  expect(await runningTests()).toEqual([]);
  await sleep(lockBeforeStart() - Date.now());
  const probing = probe();
  const lockedAt = performance.now();
  const creating = createKey();
  await sleep(LOCKED_MS);
  expect(await runningTests()).toEqual([]);
  const lockedFor = performance.now() - lockedAt;
  other.exec('rollback');
  expect(await probing.stop()).toBeLessThan((lockedFor * 2) / 3);
  await waitFor('the scheduled start', async () => (await runningTests()).includes('hero'));
  const created = await creating;
  expect(created, created.stderr).toMatchObject({ code: 0 });
  const [key] = /service_pub_\w+/.exec(created.stdout)!;
  await waitFor('the new key', async () => (await server.send('GET', CONFIG, { key })).status === 200);
});

test('a command that cannot get the lock reports the locked file', async () => {
  other.exec('begin immediate');
  const { code, stderr } = await createKey();
  expect(code).toBe(1);
  expect(stderr).toBe(`switchyard: ${join(server.dataDir, 'config.db')} is locked by another process.\n`);
});

test('a server whose configuration thread fails logs the error and exits with 1', async () => {
  const breakThread = `
    import { existsSync } from 'node:fs';
    if (process.argv.includes('sqlite-thread')) setInterval(() => {
      if (existsSync(process.env.DATA_DIR + '/break')) throw new Error('the thread is broken');
    }, 20);`;
  const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(breakThread)}` };
  const fragile = await startServer({ provision: { properties: [] }, env });
  writeFileSync(join(fragile.dataDir, 'break'), '');
  expect(await settled('the exit', fragile.exited)).toBe(1);
  expect(fragile.log).toMatch(/the thread is broken.*configuration database thread failed/s);
  await discard(fragile);
});
