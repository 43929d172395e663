import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SAMPLE, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import {
  discard,
  type StartOptions,
  startServer,
  type TestServer,
  temporaryDirectory,
} from '@switchyard/testing/server/test-server';
import { settled, waitFor } from '@switchyard/testing/time/wait';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { switchyard } from '../support/command-line.ts';
import { goalProgress } from '../support/stored-events.ts';

/** A data directory after kill -9, with all data in the WALs, and one after SIGTERM, with all data in the files. */
let killed: string;
let stopped: string;
const directories: string[] = [];
const servers: TestServer[] = [];

beforeAll(async () => {
  const server = await startServer({ provision: SAMPLE });
  stopped = server.dataDir;
  const { status } = await server.send('POST', '/v1/goals/increment', {
    key: SECRET_KEY,
    body: { propertyId: 'shop', goalId: 'signup', sessionId: 's-1' },
  });
  expect(status).toBe(200);
  await waitFor('an empty journal', async () => {
    const { text } = await server.send('GET', '/metrics');
    return /^switchyard_journal_bytes 0$/m.test(text);
  });
  killed = copyOf(stopped);
  await server.stop();
  directories.splice(0);
});
afterEach(async () => {
  // Servers may share a directory, which must not be removed while one of them still writes.
  for (const server of servers) await server.stop('SIGKILL');
  for (const server of servers.splice(0)) await discard(server);
  for (const directory of directories.splice(0)) remove(directory);
});
afterAll(() => {
  for (const directory of [killed, stopped]) remove(directory);
});

function copyOf(directory: string): string {
  const copy = temporaryDirectory();
  directories.push(copy);
  // Sockets cannot be copied.
  cpSync(directory, copy, { recursive: true, filter: (path) => !path.endsWith('.sock') });
  return copy;
}

const remove = (directory: string) => rmSync(directory, { recursive: true, force: true });

async function start(dataDir: string, options: StartOptions = {}): Promise<TestServer> {
  const server = await startServer({ dataDir, ...options });
  servers.push(server);
  return server;
}

const run = (dataDir: string, ...args: string[]) => switchyard(args, { env: { DATA_DIR: dataDir } });

async function expectStartError(dataDir: string, reason: RegExp): Promise<void> {
  const { code, output } = await run(dataDir, 'serve');
  expect(code, output).toBe(1);
  expect(output).toMatch(reason);
  expect(output).not.toMatch(/^\s+at |service_(pub|sec)_/m);
}

/** The result of `doctor` for the event store. It must not change any file, except that SQLite may create an empty WAL. */
async function runDoctor(dataDir: string): Promise<{ status: string; detail: string }> {
  const contents = () =>
    readdirSync(dataDir)
      .filter((name) => !name.endsWith('-shm') && statSync(join(dataDir, name)).size > 0)
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(dataDir, name)))
          .digest('hex'),
      ]);
  const before = contents();
  const { stdout } = await run(dataDir, 'doctor', '--json');
  expect(contents()).toEqual(before);
  return JSON.parse(stdout).checks.find((check: { name: string }) => check.name === 'Event store');
}

describe('an event store that has lost data', () => {
  const LOSS = /event store is missing events.*--accept-loss/;

  test('its file is missing: the start fails until the loss is accepted', async () => {
    const dataDir = copyOf(killed);
    rmSync(join(dataDir, 'events.duckdb'));
    const log = readFileSync(join(dataDir, 'events.duckdb.wal'));
    await expectStartError(dataDir, LOSS);
    expect(readFileSync(join(dataDir, 'events.duckdb.wal'))).toEqual(log);
    const accepting = await start(dataDir, { wrap: (command) => [...command, '--accept-loss'] });
    expect((await goalProgress(accepting, 'signup')).total).toBe(0);
    await accepting.stop();
    // The next start no longer needs the option.
    await start(dataDir);
  });

  test('its WAL is truncated: the server and `doctor` report it', async () => {
    const dataDir = copyOf(killed);
    const log = join(dataDir, 'events.duckdb.wal');
    truncateSync(log, Math.floor(statSync(log).size * 0.8));
    expect(await runDoctor(dataDir)).toMatchObject({
      status: 'fail',
      detail: expect.stringMatching(/^events are missing/),
    });
    await expectStartError(dataDir, LOSS);
  });
});

describe('a missing configuration while there are events', () => {
  const LOST = /no configuration.*config\.db/;

  test('its files are missing: no demo property is created; `apply` restores it', async () => {
    const dataDir = copyOf(stopped);
    for (const end of ['', '-wal', '-shm']) rmSync(join(dataDir, `config.db${end}`), { force: true });
    await expectStartError(dataDir, LOST);
    expect(await run(dataDir, 'apply', join(dataDir, 'provision.json'))).toMatchObject({ code: 0 });
    expect((await goalProgress(await start(dataDir), 'signup')).total).toBe(1);
  });

  test('its file is empty: the WAL with the data is not deleted', async () => {
    const dataDir = copyOf(killed);
    truncateSync(join(dataDir, 'config.db'));
    const log = readFileSync(join(dataDir, 'config.db-wal'));
    await expectStartError(dataDir, LOST);
    expect(readFileSync(join(dataDir, 'config.db-wal'))).toEqual(log);
  });
});

test('the error names the damaged file', async () => {
  const files = ['config.db', 'journal.db', 'events.duckdb', 'events.duckdb.lock'];
  await Promise.all(
    files.map((name) => {
      const dataDir = copyOf(stopped);
      for (const end of ['-wal', '-shm']) rmSync(join(dataDir, name + end), { force: true });
      writeFileSync(join(dataDir, name), Buffer.alloc(16_384, 'X'));
      return expectStartError(dataDir, new RegExp(`/${name.replaceAll('.', '\\.')}\\b`));
    }),
  );
});

test('`doctor` finds damaged blocks that were never read', async () => {
  const dataDir = copyOf(stopped);
  expect(await runDoctor(dataDir)).toMatchObject({ status: 'ok' });
  const file = join(dataDir, 'events.duckdb');
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill('X', bytes.length - 300_000));
  expect(await runDoctor(dataDir)).toMatchObject({
    status: 'fail',
    detail: expect.stringMatching(/checksum/),
  });
});

test('only the owner can read the files of the data directory', () => {
  const files = readdirSync(stopped).filter((name) => name !== 'provision.json');
  const shared = files.filter((name) => (statSync(join(stopped, name)).mode & 0o077) !== 0);
  expect(files).toContain('events.duckdb');
  expect(shared).toEqual([]);
});

test('SIGTERM during the start: the server finishes the start, then exits with code 0', async () => {
  const dataDir = copyOf(killed);
  const lock = join(dataDir, 'events.duckdb.lock');
  rmSync(lock);
  const server = await start(dataDir, {
    // The lock file is created long before the server listens.
    wrap: (command) => [
      'bash',
      '-c',
      '"$@" & until [ -e "$0" ]; do sleep 0.01; done; kill -TERM $!; wait $!',
      lock,
      ...command,
    ],
  });
  expect(await settled('the server to stop', server.exited)).toBe(0);
});
