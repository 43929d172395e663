import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { PUBLIC_KEY, SECRET_KEY } from '../packages/server/src/testing/sample-property.ts';
import {
  BIN,
  discard,
  startServer,
  type TestServer,
  temporaryDirectory,
} from '../packages/server/src/testing/test-server.ts';
import { settled, waitFor } from '../packages/server/src/testing/wait.ts';
import { type Ended, switchyard } from './support/command-line.ts';
import { EventLoad, post } from './support/event-load.ts';
import { LOAD_PROVISION } from './support/event-requests.ts';
import { SeededRandom } from './support/random.ts';
import { allFeedback, expectStoredOnce, expectTotals, goalProgress } from './support/stored-events.ts';

const servers: TestServer[] = [];
const directories: string[] = [];
afterEach(async () => {
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

/** Refused, in a few words for the operator: no stack, no key. */
function expectRefusal({ code, output }: Ended, reason: RegExp): void {
  expect(code, output).toBe(1);
  expect(output).toMatch(reason);
  expect(output).not.toMatch(/^\s+at /m);
  expect(output).not.toMatch(/service_(pub|sec)_/);
  expect(output.trim().split('\n').length, output).toBeLessThanOrEqual(3);
}

describe('a disk that fails', () => {
  // Writes beyond the limit fail with a real EFBIG. With the small one the journal is the first to meet it, with
  // the larger one, which the journal's log never reaches, the event store.
  test.for([
    { file: 'the journal', kibibytes: 2048, ballast: 200 },
    { file: 'the event store', kibibytes: 6144, ballast: 1500 },
  ])('$file: nothing is acknowledged that is not there after a restart', async ({ kibibytes, ballast }) => {
    const limited = await start({
      wrap: (command) => [
        'bash',
        '-c',
        `trap '' XFSZ; ulimit -f ${kibibytes}; exec "$@"`,
        'limited',
        ...command,
      ],
    });
    const load = new EventLoad(SeededRandom.forThisRun('failing disk'), { ballast });
    const { stop } = load.start(limited.url);
    // Nothing can be promised any more: it stops by itself, so that a supervisor notices.
    const code = await settled('the disk to fail', limited.exited);
    await stop();
    const log = limited.stderr.join('\n');
    console.log(
      `failing disk: ${load.events.length} events, exit ${code}, log: ${limited.stderr.at(-1)?.slice(0, 300)}`,
    );
    // Null would mean that a signal ended it, e.g. an abort in native code.
    expect(code, log).toBe(1);
    expect(log).toMatch(/journal or the event store cannot be written/);
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

describe('an event store that another program takes while its file is replaced', () => {
  test('ends the server, which has it all after the next start', async () => {
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
    // Taking the old file a moment before it is replaced would harm nobody.
    const script = `import { statSync } from 'node:fs';
      import { DuckDBInstance } from '@duckdb/node-api';
      const file = process.argv[1];
      for (console.log('trying'); ; ) {
        const { ino } = statSync(file);
        const taken = await DuckDBInstance.create(file).catch(() => undefined);
        if (taken === undefined) continue;
        await new Promise((resolve) => setTimeout(resolve, 300));
        if (statSync(file).ino === ino) break;
        taken.closeSync();
      }
      console.log('taken');
      process.stdin.resume();`;
    const thief = spawn(
      process.execPath,
      ['--input-type=module', '-e', script, join(server.dataDir, 'events.duckdb')],
      { cwd: dirname(BIN) },
    );
    await once(thief.stdout, 'data');
    const taken = once(thief.stdout, 'data');
    let isTaken = false;
    void taken.then(() => {
      isTaken = true;
    });
    for (let i = 0; !isTaken; i++) {
      exposures[0]!.sessionId = `forgotten-${i}`;
      await expose(server.url);
      const forget = ['forget', '--property', 'shop', '--session', `forgotten-${i}`, '--timeout', '3'];
      await switchyard(forget, { env: { DATA_DIR: server.dataDir } });
    }
    expect(await settled('the server to end', server.exited)).toBe(1);
    expect(server.stderr.join('\n')).toMatch(/event store/);
    thief.kill('SIGKILL');
    await once(thief, 'exit');
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
    expectRefusal(
      await switchyard(['serve'], { env: { DATA_DIR: file } }),
      /DATA_DIR|data directory|ENOTDIR|EEXIST/i,
    );
    expect(readFileSync(file, 'utf8')).toBe('not a directory');
  });

  test('lies in a place where nobody may write', async () => {
    expectRefusal(await switchyard(['serve'], { env: { DATA_DIR: '/sys/switchyard' } }), /\/sys\/switchyard/);
  });

  test('is read-only', async ({ skip }) => {
    const nobody = 65_534;
    const isRoot = process.getuid?.() === 0;
    // Root may write anywhere, so another user runs the server; it must be able to read it.
    skip(isRoot && !readableByOthers(BIN), 'the checkout is readable for root only');
    const server = await start();
    await server.stop();
    if (isRoot) for (const path of [server.dataDir, ...filesOf(server)]) chownSync(path, nobody, nobody);
    for (const file of filesOf(server)) chmodSync(file, 0o400);
    chmodSync(server.dataDir, 0o500);
    const ended = await switchyard(['serve'], {
      env: { DATA_DIR: server.dataDir },
      ...(isRoot ? { user: nobody } : {}),
    });
    expectRefusal(ended, /read-?only|EACCES|permission/i);
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
  test('is answered with 503 before memory runs out, loses nothing, and is over soon', async () => {
    const server = await start({ env: { JOURNAL_MAX_BYTES: '65536' } });
    const agent = new Agent({ keepAlive: true, maxSockets: 100 });
    const before = residentMegabytes(server);
    const answers = await Promise.all(
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
    const accepted = answers.flatMap(({ status }, i) => (status === 200 ? [`burst-${i}`] : []));
    const refused = answers.filter(({ status }) => status !== 200);
    console.log(`full journal: ${accepted.length} accepted, ${refused.length} refused`);
    expect(accepted.length).toBeGreaterThan(0);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, headers, text } of refused) {
      expect(status).toBe(503);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      expect(JSON.parse(text).error.code).toBe('overloaded');
    }
    // Far larger bodies than the journal may hold: each is refused for good, none is piled up.
    const large = await Promise.all(
      Array.from({ length: 100 }, (_, i) => post(server.url, agent, largeExposures(i))),
    );
    expect(large.filter(({ status }) => status !== 413)).toEqual([]);
    expect(JSON.parse(large[0]!.text).error).toMatchObject({
      code: 'body_too_large',
      message: expect.stringMatching(/32768.*JOURNAL_MAX_BYTES/),
    });
    if (before !== undefined) expect(residentMegabytes(server)! - before).toBeLessThan(250);
    await waitFor('room in the journal', async () => {
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

  test('neither do many large bodies at once use up the memory of a small machine', async () => {
    const server = await start({ env: { NODE_OPTIONS: '--max-old-space-size=96' } });
    const agent = new Agent({ keepAlive: true, maxSockets: 150 });
    const answers = await Promise.all(
      Array.from({ length: 150 }, (_, i) => post(server.url, agent, largeExposures(i))),
    );
    agent.destroy();
    const accepted = answers.filter(({ status }) => status === 200).length;
    console.log(`large bodies: ${accepted} of ${answers.length} accepted`);
    expect(accepted).toBeGreaterThan(0);
    expect(answers.filter(({ status }) => ![200, 408, 503].includes(status))).toEqual([]);
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

  /** Undefined where the system does not tell. */
  function residentMegabytes({ process: child }: TestServer): number | undefined {
    const status = `/proc/${child.pid}/status`;
    if (!existsSync(status)) return undefined;
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(status, 'utf8'))![1]) / 1024;
  }
});

test('a second server on the same data directory refuses and changes nothing; the first goes on', async () => {
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
  const ended = await switchyard(['serve'], { env: { DATA_DIR: first.dataDir, PROVISION_FILE: file } });
  expectRefusal(ended, /another|already|in use|lock/i);
  expect((await send('s-2')).status).toBe(200);
  expect((await goalProgress(first, 'signup')).total).toBe(2);
  // Not even what its own provision file asked for.
  const config = await first.send('GET', '/v1/split-testing/config?propertyId=shop', { key: PUBLIC_KEY });
  expect(config.body.tests.map(({ key }: { key: string }) => key)).toEqual(['hero']);
  expect(await first.stop()).toBe(0);
});
