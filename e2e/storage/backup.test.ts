import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { applyProvision } from '@switchyard/testing/server/command-line';
import {
  BIN,
  discard,
  startServer,
  type TestServer,
  temporaryDirectory,
} from '@switchyard/testing/server/test-server';
import { settled, waitFor } from '@switchyard/testing/time/wait';
import { afterAll, afterEach, expect, test } from 'vitest';
import { StoreLock } from '../../packages/server/src/events/duckdb/connection/store-lock.ts';
import { BackupConnection } from '../../packages/server/src/operations/backup/backup-connection.ts';
import { switchyard } from '../support/command-line.ts';
import { EventLoad, type SentEvent } from '../support/event-load.ts';
import { LOAD_PROVISION } from '../support/event-requests.ts';
import { SeededRandom } from '../support/random.ts';
import { expectStoredOnce, expectTotals, goalProgress } from '../support/stored-events.ts';

/** A backup of a server under load; later tests only read it. */
let intact: string;
const directories: string[] = [];
const servers: TestServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await discard(server);
});
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

function newDirectory(): string {
  const directory = temporaryDirectory();
  directories.push(directory);
  return directory;
}

async function start(options: Parameters<typeof startServer>[0] = {}): Promise<TestServer> {
  const server = await startServer(options);
  servers.push(server);
  return server;
}

const run = (dataDir: string, ...args: string[]) => switchyard(args, { env: { DATA_DIR: dataDir } });

async function succeed(dataDir: string, ...args: string[]): Promise<string> {
  const { code, stdout, output } = await run(dataDir, ...args);
  expect(code, output).toBe(0);
  return stdout;
}

const signUp = (server: TestServer, key: string) =>
  server.send('POST', '/v1/goals/increment', {
    key: SECRET_KEY,
    headers: { 'idempotency-key': key },
    body: { propertyId: 'shop', goalId: 'signup' },
  });

test('a backup under load has every request acknowledged before it, once, with its idempotency key', async () => {
  const load = new EventLoad(SeededRandom.forThisRun('backup'));
  const server = await start({ provision: LOAD_PROVISION });
  const { stop } = load.start(server.url);
  await settled('the load', load.acknowledged(400));
  await applyProvision(server, {
    properties: [{ id: 'shop', goals: [{ id: 'before', name: 'Before', kind: 'count' }] }],
  });
  const before = new Set(load.events.filter(({ outcome }) => outcome === 'acknowledged'));
  const made = load.acknowledged(400);
  intact = join(newDirectory(), 'backup');
  await succeed(server.dataDir, 'backup', intact);
  await settled('acknowledgements during and after the backup', made);
  await stop();
  expect(load.events.filter(({ outcome }) => outcome !== 'acknowledged')).toEqual([]);

  const dataDir = join(newDirectory(), 'restored');
  await succeed(dataDir, 'restore', intact);
  expect(await succeed(dataDir, 'doctor')).not.toMatch(/^(warn|fail)/m);
  const restored = await start({ dataDir });
  const known = load.events.map(
    (event): SentEvent => ({ ...event, outcome: before.has(event) ? 'acknowledged' : 'unknown' }),
  );
  const present = await expectStoredOnce(restored, known);
  await expectTotals(restored, known, present);
  await load.replay(restored.url, present);
  await expectTotals(restored, known, present);
  expect((await goalProgress(restored, 'before')).total).toBe(0);

  // Without a server, with everything still in the write-ahead logs.
  await restored.stop('SIGKILL');
  const offline = JSON.parse(await succeed(dataDir, 'backup', join(newDirectory(), 'b'), '--json'));
  expect(offline.contents.properties).toBe(2);
  expect(offline.contents.events).toBeGreaterThanOrEqual(present.length);
});

test('only its owner can read a backup', () => {
  const modes = [intact, ...readdirSync(intact).map((name) => join(intact, name))].map(
    (path) => statSync(path).mode & 0o077,
  );
  expect(new Set(modes)).toEqual(new Set([0]));
});

test('a damaged or incomplete backup is not restored', async () => {
  const target = join(newDirectory(), 'target');
  const damaged = newDirectory();
  cpSync(intact, damaged, { recursive: true });
  const bytes = readFileSync(join(damaged, 'config.db'));
  bytes[bytes.length - 100]! ^= 1;
  writeFileSync(join(damaged, 'config.db'), bytes);
  expect(await run(target, 'restore', damaged)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('config.db is damaged'),
  });
  rmSync(join(damaged, 'manifest.json'));
  expect(await run(target, 'backup', '--verify', damaged)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('was not completed'),
  });
  expect(existsSync(target)).toBe(false);
});

test('a server that is killed during a backup starts again with everything; the next backup works', async () => {
  const server = await start({ provision: LOAD_PROVISION });
  const { dataDir } = server;
  await signUp(server, 'first');
  const connection = (await BackupConnection.open(dataDir))!;
  await connection.hold();
  // Acknowledgements and reads go on; a second backup is refused and leaves nothing behind.
  await signUp(server, 'second');
  expect((await goalProgress(server, 'signup')).total).toBe(2);
  const second = join(newDirectory(), 'second');
  expect(await run(dataDir, 'backup', second)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Another backup is running'),
  });
  expect(existsSync(second)).toBe(false);
  await server.stop('SIGKILL');
  await waitFor('the end of the connection', () => {
    try {
      connection.assertOpen();
      return false;
    } catch {
      return true;
    }
  });

  const restarted = await start({ dataDir });
  await signUp(restarted, 'second');
  expect((await goalProgress(restarted, 'signup')).total).toBe(2);
  const sessionId = 'session-to-erase';
  const body = { propertyId: 'shop', goalId: 'signup', sessionId };
  await restarted.send('POST', '/v1/goals/increment', { key: SECRET_KEY, body });
  // A command that disappears releases the files, also for an erasure that waits for them. One that was refused does not.
  const gone = (await BackupConnection.open(dataDir))!;
  await gone.hold();
  const refused = (await BackupConnection.open(dataDir))!;
  await expect(refused.hold()).rejects.toThrow('Another backup is running');
  refused.close();
  const erasure = run(dataDir, 'forget', '--property', 'shop', '--session', sessionId);
  await gone.releaseJournal();
  gone.assertOpen();
  gone.close();
  expect(await erasure).toMatchObject({ code: 0 });
  await waitFor('the released files', async () => (await run(dataDir, 'backup', second)).code === 0);
  await restarted.stop();
  const known =
    /^(provision\.json|(config|journal|marks)\.db(-wal|-shm|-mark)?|events\.duckdb(\.lock|\.tmp)?)$/;
  expect(readdirSync(dataDir).filter((name) => !known.test(name))).toEqual([]);
  expect(await run(dataDir, 'restore', second)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('has data already'),
  });
});

test('an interrupted backup leaves nothing behind; an interrupted restore keeps the server from starting', async () => {
  const dataDir = join(newDirectory(), 'data');
  await succeed(dataDir, 'restore', intact);
  // The command waits for whoever holds the lock.
  const lock = StoreLock.take(join(dataDir, 'events.duckdb'));
  const target = join(newDirectory(), 'interrupted');
  const child = spawn(process.execPath, [BIN, 'backup', target, '--data-dir', dataDir], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  await waitFor('the start of the backup', () => existsSync(target));
  child.kill('SIGINT');
  expect(await exited).toEqual([130, null]);
  expect(existsSync(target)).toBe(false);
  lock.release();

  cpSync(intact, join(dataDir, 'restore.partial'), { recursive: true });
  expect(await run(dataDir, 'serve')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('was interrupted'),
  });
  await succeed(dataDir, 'restore', intact);
  expect(existsSync(join(dataDir, 'restore.partial'))).toBe(false);
});
