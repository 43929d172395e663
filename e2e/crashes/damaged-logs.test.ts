import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SAMPLE, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { Browser } from '@switchyard/testing/server/browser';
import {
  discard,
  type StartOptions,
  startServer,
  type TestServer,
  temporaryDirectory,
} from '@switchyard/testing/server/test-server';
import { afterEach, expect, test } from 'vitest';
import { switchyard } from '../support/command-line.ts';
import { SeededRandom } from '../support/random.ts';
import { goalProgress } from '../support/stored-events.ts';

// SQLite ends its write-ahead log at the first damaged frame, without an error.

const directories: string[] = [];
const servers: TestServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await discard(server);
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

async function start(dataDir: string, options: StartOptions = {}): Promise<TestServer> {
  const server = await startServer({ dataDir, ...options });
  servers.push(server);
  return server;
}

const acceptingLoss: StartOptions = { wrap: (command) => [...command, '--accept-loss'] };

function newDirectory(): string {
  const directory = temporaryDirectory();
  directories.push(directory);
  return directory;
}

function copyOf(directory: string): string {
  const copy = newDirectory();
  cpSync(directory, copy, { recursive: true, filter: (path) => !path.endsWith('.sock') });
  // Of another process, which is gone.
  for (const name of ['config.db-shm', 'journal.db-shm']) rmSync(join(copy, name), { force: true });
  return copy;
}

/** @param part where in the file, from 0 to 1 */
function flipBit(file: string, part: number): void {
  const bytes = readFileSync(file);
  bytes[Math.floor(part * (bytes.length - 1))]! ^= 0x10;
  writeFileSync(file, bytes);
}

const run = (dataDir: string, ...args: string[]) => switchyard(args, { env: { DATA_DIR: dataDir } });

async function findings(dataDir: string): Promise<string[]> {
  const { stdout } = await run(dataDir, 'doctor', '--json');
  const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string }[] };
  return checks.filter(({ status }) => status === 'fail').map(({ name }) => name);
}

test('a start notices that config.db-wal was damaged, and nobody else becomes the owner', async () => {
  const dataDir = newDirectory();
  await (await start(dataDir, { provision: SAMPLE })).stop();
  const server = await start(dataDir);
  const owner = new Browser(server);
  const account = { email: 'ada@shop.example', password: 'correct horse battery' };
  expect((await owner.post('/v1/manage/setup', account)).status).toBe(200);
  for (let i = 0; i < 5; i++) {
    const renamed = await owner.call('PATCH', '/v1/manage/properties/shop', {
      body: { name: `Shop ${i}` },
      headers: { 'if-match': '*' },
    });
    expect(renamed.status, renamed.text).toBe(200);
  }
  await server.stop('SIGKILL');

  const random = SeededRandom.forThisRun('damaged config.db-wal');
  // The header, and a frame at a random place.
  for (const part of [0.0001, random.between(1, 99) / 100]) {
    const damaged = copyOf(dataDir);
    flipBit(join(damaged, 'config.db-wal'), part);
    const log = readFileSync(join(damaged, 'config.db-wal'));
    expect(await findings(damaged)).toEqual(['Configuration']);
    const { code, output } = await run(damaged, 'serve');
    expect(code, output).toBe(1);
    expect(output).toMatch(/config\.db is missing changes.*switchyard restore.*--accept-loss/);
    const change = await run(damaged, 'users', 'list');
    expect(change.output).toMatch(/config\.db is missing changes/);
    expect(readFileSync(join(damaged, 'config.db-wal'))).toEqual(log);

    const accepting = await start(damaged, acceptingLoss);
    expect((await accepting.send('GET', '/v1/manage/setup')).body).toMatchObject({ needsOwner: false });
    const stranger = await new Browser(accepting).post('/v1/manage/setup', {
      email: 'eve@else.example',
      password: 'another long password',
    });
    expect(stranger).toMatchObject({ status: 409, body: { error: { code: 'already_set_up' } } });
    await accepting.stop();
    // The next start no longer needs the option.
    await start(damaged);
    expect(await findings(damaged)).toEqual([]);
  }
});

test('after damage to journal.db-wal, a start has all acknowledged events or says that some are missing', async () => {
  const killed = newDirectory();
  const server = await start(killed, { provision: SAMPLE });
  const increment = () =>
    server.send('POST', '/v1/goals/increment', {
      key: SECRET_KEY,
      body: { propertyId: 'shop', goalId: 'signup', sessionId: 's-1' },
    });
  for (let i = 0; i < 10; i++) {
    const responses = await Promise.all(Array.from({ length: 20 }, increment));
    for (const { status } of responses) expect(status).toBe(200);
  }
  await server.stop('SIGKILL');

  const random = SeededRandom.forThisRun('damaged journal.db-wal');
  let refused = 0;
  for (const part of [random.between(1, 98) / 100, 0.99]) {
    const damaged = copyOf(killed);
    flipBit(join(damaged, 'journal.db-wal'), part);
    const failure = await start(damaged).then(
      async (restarted) => {
        expect((await goalProgress(restarted, 'signup')).total).toBe(200);
      },
      (error: Error) => error.message,
    );
    if (failure === undefined) continue;
    refused++;
    expect(failure).toMatch(/journal\.db is missing requests.*switchyard restore.*--accept-loss/);
    expect(await findings(damaged)).toContain('Journal');
    await (await start(damaged, acceptingLoss)).stop();
    // The next start no longer needs the option.
    await start(damaged);
  }
  console.log(`damaged journal.db-wal: ${refused} of 2 starts were refused`);
});
