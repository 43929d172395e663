import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { dirname, join } from 'node:path';
import { PUBLIC_KEY, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import {
  BIN,
  discard,
  startServer,
  type TestServer,
  temporaryDirectory,
} from '@switchyard/testing/server/test-server';
import { settled, waitFor } from '@switchyard/testing/time/wait';
import { afterEach, describe, expect, test } from 'vitest';
import { type CommandResult, switchyard } from '../support/command-line.ts';
import { EventLoad, post } from '../support/event-load.ts';
import { LOAD_PROVISION } from '../support/event-requests.ts';
import { SeededRandom } from '../support/random.ts';
import { allFeedback, expectStoredOnce, expectTotals, goalProgress } from '../support/stored-events.ts';

const servers: TestServer[] = [];
const directories: string[] = [];
afterEach(async () => {
  // Servers may share a directory, which must not be removed while one of them still writes.
  for (const server of servers) await server.stop('SIGKILL');
  for (const server of servers.splice(0)) await discard(server);
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

async function start(options: Parameters<typeof startServer>[0] = {}): Promise<TestServer> {
  const server = await startServer({ provision: LOAD_PROVISION, ...options });
  servers.push(server);
  return server;
}

function directory(): string {
  const path = temporaryDirectory();
  directories.push(path);
  return path;
}

/** The start fails with a short message for the operator, without a stack trace or a key. */
function expectStartError({ code, output }: CommandResult, reason: RegExp): void {
  expect(code, output).toBe(1);
  expect(output).toMatch(reason);
  expect(output).not.toMatch(/^\s+at /m);
  expect(output).not.toMatch(/service_(pub|sec)_/);
  expect(output.trim().split('\n').length, output).toBeLessThanOrEqual(3);
}

describe('a disk that fails', () => {
  // Writes beyond the limit fail with a real EFBIG: with the small limit first in the journal, with the larger one,
  // which the WAL of the journal never reaches, first in the event store.
  test.for([
    { file: 'the journal', kibibytes: 2048, padding: 200, workers: '1' },
    { file: 'the journal of two workers', kibibytes: 2048, padding: 200, workers: '2' },
    { file: 'the event store', kibibytes: 6144, padding: 1500, workers: '1' },
  ])('$file: every acknowledged event is stored after a restart', async ({ kibibytes, padding, workers }) => {
    const limited = await start({
      env: { WORKERS: workers },
      wrap: (command) => [
        'bash',
        '-c',
        `trap '' XFSZ; ulimit -f ${kibibytes}; exec "$@"`,
        'limited',
        ...command,
      ],
    });
    const load = new EventLoad(SeededRandom.forThisRun('failing disk'), { padding });
    const { stop } = load.start(limited.url);
    // The server can no longer acknowledge anything and exits, so that a supervisor restarts it.
    const code = await settled('the disk to fail', limited.exited);
    await stop();
    const { log } = limited;
    console.log(
      `failing disk: ${load.events.length} events, exit ${code}, log: ${limited.stdout.at(-1)?.slice(0, 300)}`,
    );
    // Null would mean a signal, e.g. an abort in native code.
    expect(code, log).toBe(1);
    expect(log).toMatch(/cannot write to the journal or the event store/);
    expect(log).not.toMatch(/service_(pub|sec)_|xxxxxxxx/);
    const statuses = new Set(load.events.map(({ status }) => status));
    expect([...statuses].filter((status) => ![undefined, 200, 503].includes(status))).toEqual([]);

    const restarted = await start({ dataDir: limited.dataDir });
    await expectTotals(restarted, load.events, await expectStoredOnce(restarted, load.events));
    const agent = new Agent();
    const again = {
      path: '/v1/goals/increment',
      apiKey: SECRET_KEY,
      body: { propertyId: 'shop', goalId: 'signup' },
    };
    expect((await post(restarted.url, agent, again)).status).toBe(200);
    expect((await goalProgress(restarted, 'signup')).total).toBe(1);
  });
});

describe('an event store that another process locks while its file is replaced', () => {
  test('the server exits, and all events are stored after the next start', async () => {
    const server = await start();
    const exposures = [{ splitTestKey: 'hero', variationKey: 'b', sessionId: 'kept-1' }];
    const expose = (url: string) =>
      post(url, agent, {
        path: '/v1/split-testing/expose',
        apiKey: PUBLIC_KEY,
        body: { propertyId: 'shop', exposures },
      });
    const agent = new Agent();
    expect((await expose(server.url)).status).toBe(200);
    // Stops the server right after a replacement, so that it rarely has opened the new file already.
    const script = `import { watch } from 'node:fs';
      import { dirname } from 'node:path';
      import { DuckDBInstance } from '@duckdb/node-api';
      const [file, server] = process.argv.slice(1);
      watch(dirname(file), async (type, name) => {
        if (type !== 'rename' || !file.endsWith('/' + name)) return;
        process.kill(server, 'SIGSTOP');
        globalThis.locked ??= await DuckDBInstance.create(file).catch(() => undefined);
        process.kill(server, 'SIGCONT');
      });
      console.log('watching');`;
    const locker = spawn(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        script,
        join(server.dataDir, 'events.duckdb'),
        String(server.process.pid),
      ],
      { cwd: dirname(BIN) },
    );
    await once(locker.stdout, 'data');
    let hasExited = false;
    void server.exited.then(() => {
      hasExited = true;
    });
    for (let i = 0; !hasExited; i++) {
      exposures[0]!.sessionId = `forgotten-${i}`;
      await expose(server.url).catch(() => undefined);
      const forget = ['forget', '--property', 'shop', '--session', `forgotten-${i}`, '--timeout', '3'];
      await switchyard(forget, { env: { DATA_DIR: server.dataDir } });
    }
    expect(await settled('the server to exit', server.exited)).toBe(1);
    expect(server.log).toMatch(/event store/);
    locker.kill('SIGKILL');
    await once(locker, 'exit');
    const restarted = await start({ dataDir: server.dataDir });
    const { body } = await restarted.send('GET', '/v1/sessions/kept-1?propertyId=shop', { key: SECRET_KEY });
    expect(body.exposures).toHaveLength(1);
    agent.destroy();
  });
});

describe('a data directory that cannot be used', () => {
  test('is a file', async () => {
    const file = join(directory(), 'data');
    writeFileSync(file, 'not a directory');
    expectStartError(
      await switchyard(['serve'], { env: { DATA_DIR: file } }),
      /DATA_DIR|data directory|ENOTDIR|EEXIST/i,
    );
    expect(readFileSync(file, 'utf8')).toBe('not a directory');
  });

  test('is in a place where nothing can be written', async () => {
    expectStartError(
      await switchyard(['serve'], { env: { DATA_DIR: '/sys/switchyard' } }),
      /\/sys\/switchyard/,
    );
  });

  test('is read-only', async ({ skip }) => {
    const unprivileged = 65_534;
    const isRoot = process.getuid?.() === 0;
    // Root can write anywhere, so run the server as another user, who must be able to read its code.
    skip(isRoot && !readableByOthers(BIN), 'only root can read the checkout');
    const server = await start();
    await server.stop();
    if (isRoot)
      for (const path of [server.dataDir, ...filesOf(server)]) chownSync(path, unprivileged, unprivileged);
    for (const file of filesOf(server)) chmodSync(file, 0o400);
    chmodSync(server.dataDir, 0o500);
    const result = await switchyard(['serve'], {
      env: { DATA_DIR: server.dataDir },
      ...(isRoot ? { user: unprivileged } : {}),
    });
    expectStartError(result, /read-?only|EACCES|permission/i);
    chmodSync(server.dataDir, 0o700);
    for (const file of filesOf(server)) chmodSync(file, 0o600);
  });

  const filesOf = ({ dataDir }: TestServer) =>
    ['config.db', 'journal.db', 'events.duckdb']
      .map((name) => join(dataDir, name))
      .filter((file) => existsSync(file));
});

function readableByOthers(file: string): boolean {
  const parent = dirname(file);
  return (statSync(file).mode & 0o004) !== 0 && (parent === file || readableByOthers(parent));
}

describe('a full journal', () => {
  test('returns 503 before memory runs out, loses nothing, and recovers', async () => {
    const server = await start({ env: { JOURNAL_MAX_BYTES: '65536' } });
    const agent = new Agent({ keepAlive: true, maxSockets: 100 });
    const before = residentMegabytes(server);
    const responses = await Promise.all(
      Array.from({ length: 1500 }, (_, i) =>
        post(server.url, agent, {
          path: '/v1/feedback/submit',
          apiKey: SECRET_KEY,
          body: {
            propertyId: 'shop',
            feedbackTypeId: 'nps',
            message: `burst-${i} ${'é'.repeat(4900)}`,
            metadata: Object.fromEntries(
              Array.from({ length: 10 }, (_, key) => [`k${key}`, 'y'.repeat(1000)]),
            ),
          },
        }),
      ),
    );
    const accepted = responses.flatMap(({ status }, i) => (status === 200 ? [`burst-${i}`] : []));
    const rejected = responses.filter(({ status }) => status !== 200);
    console.log(`full journal: ${accepted.length} accepted, ${rejected.length} rejected`);
    expect(accepted.length).toBeGreaterThan(0);
    expect(rejected.length).toBeGreaterThan(0);
    for (const { status, headers, text } of rejected) {
      // On a slow machine, the last bodies arrive after the time limit of a request.
      if (status === 408) continue;
      expect(status).toBe(503);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      expect(JSON.parse(text).error.code).toBe('overloaded');
    }
    // Bodies larger than the journal: each is rejected permanently, none is buffered.
    const large = await Promise.all(
      Array.from({ length: 100 }, (_, i) => post(server.url, agent, largeExposures(i))),
    );
    expect(large.filter(({ status }) => status !== 413 && status !== 408)).toEqual([]);
    const tooLarge = large.find(({ status }) => status === 413);
    expect(JSON.parse(tooLarge!.text).error).toMatchObject({
      code: 'body_too_large',
      message: expect.stringMatching(/JOURNAL_MAX_BYTES is 65536/),
    });
    if (before !== undefined) expect(residentMegabytes(server)! - before).toBeLessThan(250);
    await waitFor('space in the journal', async () => {
      const small = {
        path: '/v1/goals/increment',
        apiKey: SECRET_KEY,
        body: { propertyId: 'shop', goalId: 'signup' },
      };
      return (await post(server.url, agent, small)).status === 200;
    });
    const stored = (await allFeedback(server)).map(({ message }) => message.split(' ', 1)[0]);
    expect(stored.sort()).toEqual(accepted.sort());
    agent.destroy();
  });

  test('many concurrent large bodies do not exhaust a small heap', async () => {
    const server = await start({ env: { NODE_OPTIONS: '--max-old-space-size=96' } });
    const agent = new Agent({ keepAlive: true, maxSockets: 150 });
    const responses = await Promise.all(
      Array.from({ length: 150 }, (_, i) => post(server.url, agent, largeExposures(i))),
    );
    agent.destroy();
    const accepted = responses.filter(({ status }) => status === 200).length;
    console.log(`large bodies: ${accepted} of ${responses.length} accepted`);
    expect(accepted).toBeGreaterThan(0);
    expect(responses.filter(({ status }) => ![200, 408, 503].includes(status))).toEqual([]);
    const results = await server.send('GET', '/v1/split-testing/results?propertyId=shop&splitTestKey=hero', {
      key: SECRET_KEY,
    });
    const stored = (results.body.variations as { exposures: number }[]).reduce(
      (sum, v) => sum + v.exposures,
      0,
    );
    expect(stored).toBeGreaterThanOrEqual(100 * accepted);
  });

  function largeExposures(i: number) {
    const exposures = Array.from({ length: 100 }, (_, n) => ({
      splitTestKey: 'hero',
      variationKey: 'b',
      sessionId: `large-${i}-${n}`,
      attributes: { text: 'z'.repeat(8000) },
    }));
    return { path: '/v1/split-testing/expose', apiKey: PUBLIC_KEY, body: { propertyId: 'shop', exposures } };
  }

  /** Undefined on systems without /proc. */
  function residentMegabytes({ process: child }: TestServer): number | undefined {
    const status = `/proc/${child.pid}/status`;
    if (!existsSync(status)) return undefined;
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(status, 'utf8'))![1]) / 1024;
  }
});

test('a second server on the same data directory fails without changes; the first keeps running', async () => {
  const first = await start();
  const send = (session: string) =>
    first.send('POST', '/v1/goals/increment', {
      key: SECRET_KEY,
      body: { propertyId: 'shop', goalId: 'signup', sessionId: session },
    });
  expect((await send('s-1')).status).toBe(200);
  const file = join(directory(), 'second.json');
  const hero = { key: 'hero', status: 'stopped' };
  writeFileSync(file, JSON.stringify({ properties: [{ id: 'shop', splitTests: [hero] }] }));
  const result = await switchyard(['serve'], { env: { DATA_DIR: first.dataDir, PROVISION_FILE: file } });
  const inUse = `Another Switchyard server is using this DATA_DIR (${first.dataDir}). Stop it first, or use another directory.`;
  expect(result.stderr).toBe(`switchyard: ${inUse}\n`);
  expectStartError(result, /DATA_DIR/);
  expect((await send('s-2')).status).toBe(200);
  expect((await goalProgress(first, 'signup')).total).toBe(2);
  // Its provision file was not applied either.
  const config = await first.send('GET', '/v1/split-testing/config?propertyId=shop', { key: PUBLIC_KEY });
  expect(config.body.tests.map(({ key }: { key: string }) => key)).toEqual(['hero']);
  expect(await first.stop()).toBe(0);
});
