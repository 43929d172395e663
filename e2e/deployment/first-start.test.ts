import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import {
  discard,
  startServer,
  type TestServer,
  temporaryDirectory,
} from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterEach, describe, expect, test } from 'vitest';
import { switchyard } from '../support/command-line.ts';

let server: TestServer | undefined;
const directories: string[] = [];
afterEach(async () => {
  await discard(server);
  server = undefined;
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

function directory(): string {
  const path = temporaryDirectory();
  directories.push(path);
  return path;
}

const hasCurl =
  spawnSync('curl', ['--version']).status === 0 && spawnSync('bash', ['--version']).status === 0;

const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;
const hasTerminal = /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '');
/** Runs a command on a terminal. */
const onTerminal = (command: string[]) => ['script', '-qec', command.map(quoted).join(' '), '/dev/null'];

/** The commands in the output, including lines continued with a backslash. */
function curlCommands(lines: readonly string[]): string[] {
  return [...lines.join('\n').matchAll(/^curl (?:.*\\\n)*.*/gm)].map(([command]) => command);
}

const keysIn = (text: string) => text.match(/service_(?:pub|sec)_\w+/g) ?? [];

describe('the first start on an empty directory', () => {
  test('prints its URL, two keys, and commands that work when pasted from a terminal', async ({ skip }) => {
    skip(!hasCurl, 'curl is not installed');
    skip(!hasTerminal, 'script of util-linux is not installed');
    server = await startServer({ wrap: onTerminal });
    const { stdout } = server;
    await waitFor('the welcome', () => stdout.some((line) => line.includes('/docs')));
    expect(stdout.join('\n')).toContain(`Dashboard: ${server.url} (without an owner yet`);
    expect(stdout[0]).toMatch(/^\S+ \S+ +Switchyard \d\S+ is listening on http:\S+ \(data in .*\)$/);
    expect(new Set(keysIn(server.log)).size).toBe(2);
    const commands = curlCommands(stdout);
    expect(commands.length).toBeGreaterThanOrEqual(3);
    const responses = commands.map((command) =>
      JSON.parse(execFileSync('bash', ['-c', command], { encoding: 'utf8' })),
    );
    for (const response of responses) expect(response.error, JSON.stringify(response)).toBeUndefined();
    const listed = responses.find(({ sessions }) => sessions !== undefined)?.sessions;
    expect(listed).toHaveLength(1);
    expect(listed[0].exposures).toHaveLength(1);
    expect(await server.stop()).toBe(0);

    server = await startServer({ dataDir: server.dataDir });
    expect(await server.stop()).toBe(0);
    expect(server.stdout).toEqual([expect.stringContaining(`is listening on ${server.url} (`)]);
    expect(keysIn(server.log)).toEqual([]);
  });

  test('the next starts show how to begin until the first event has arrived, and whether there is an owner', async () => {
    /** What a start prints about how to begin. */
    const beginnings = async (env: Record<string, string>) => {
      server = await startServer({ dataDir, env });
      await use(server.url);
      expect(await server.stop()).toBe(0);
      return server.stdout.map((line) => JSON.parse(line).msg).filter((text) => text.includes('event'));
    };
    const dataDir = directory();
    let use = async (_url: string) => {};
    expect(await beginnings({})).toEqual([expect.stringContaining('without an owner yet')]);
    const key = keysIn(server!.log).find((text) => text.startsWith('service_pub_'))!;
    use = async (url) => {
      expect((await fetch(`${url}/docs/getting-started/property`)).status).toBe(200);
      const body = { propertyId: 'demo', sessionId: 's-first', visitorId: 'v-first' };
      expect((await server!.call('POST', '/v1/sessions/collect', { key, body })).status).toBe(200);
    };
    const owner = { ADMIN_EMAIL: 'ada@shop.example', ADMIN_PASSWORD: 'correct horse battery' };
    const second = await beginnings(owner);
    const { url } = server!;
    expect(second).toEqual([
      expect.stringContaining(`Dashboard: ${url} (an owner exists). How to begin: ${url}/docs`),
    ]);
    expect(keysIn(server!.log)).toEqual([]);
    use = async () => {};
    expect(await beginnings({})).toEqual([]);
  });

  test('creates nothing if it fails because the port is in use', async () => {
    const dataDir = directory();
    const otherServer = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => otherServer.once('listening', resolve));
    const { port } = otherServer.address() as { port: number };
    const failed = await switchyard(['serve'], { env: { DATA_DIR: dataDir, PORT: String(port) } });
    otherServer.close();
    expect(failed.code, failed.output).toBe(1);
    expect(failed.output).toMatch(new RegExp(`${port}|in use`));
    expect(failed.stderr).toMatch(/^switchyard: .*\n$/);
    expect(failed.stdout).toBe('');
    // The next start is the first one, with everything that it shows.
    server = await startServer({ dataDir });
    await waitFor('the keys', () => new Set(keysIn(server!.log)).size === 2);
  });
});

describe('an invalid setting fails the start with an error that names it', () => {
  test.for([
    ['PORT', '65536'],
    ['PUBLIC_URL', 'ftp://example.com'],
    ['TRUST_PROXY', '<any>'],
    ['TRUST_PROXY', 'maybe'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    // Not even root can create files here; Node.js would retry forever.
    ['DATA_DIR', '/proc/switchyard'],
    ['DATA_DIR', '/dev/null'],
    ['LOG_LEVEL', 'loud'],
    ['RATE_LIMIT_PER_SECOND', 'many'],
    ['JOURNAL_MAX_BYTES', '12'],
    ['PROVISION_FILE', '/nowhere/provision.yaml'],
    ['DATABASE_URL', 'postgres://localhost/switchyard'],
    ['CLICKHOUSE_URL', 'http://localhost:8123'],
  ] as const)('%s=%s', async ([name, value]) => {
    const dataDir = directory();
    const { code, output } = await switchyard(['serve'], { env: { DATA_DIR: dataDir, [name]: value } });
    expect(code, output).toBe(1);
    expect(output).toContain(name);
    expect(output).toContain(name.endsWith('_URL') ? name : value);
    expect(output).not.toMatch(/^\s+at /m);
    expect(output.trim().split('\n').length, output).toBeLessThanOrEqual(2);
  });

  test.for(['192.0.2.1', 'no host'])('HOST that does not belong to this machine: %s', async (host) => {
    const { code, output } = await switchyard(['serve'], { env: { DATA_DIR: directory(), HOST: host } });
    expect(code, output).toBe(1);
    expect(output).toMatch(new RegExp(`HOST.*${host}`));
    expect(output).not.toMatch(/^\s+at /m);
  });
});

test('an invalid provision file fails the start with a line number and changes nothing', async () => {
  const dataDir = directory();
  const file = join(dataDir, 'provision.yaml');
  const valid = ['properties:', '  - id: shop', '    goals:', '      - { id: signup, kind: count }'];
  writeFileSync(file, valid.join('\n'));
  server = await startServer({ dataDir, env: { PROVISION_FILE: file } });
  await server.stop();
  const exported = async () => (await switchyard(['export'], { env: { DATA_DIR: dataDir } })).stdout;
  const before = await exported();
  expect(before).toContain('signup');

  writeFileSync(
    file,
    [...valid, '      - { id: paid, kind: revenue }', '      - { id: wrong, kind: nonsense }'].join('\n'),
  );
  const { code, output } = await switchyard(['serve'], { env: { DATA_DIR: dataDir, PROVISION_FILE: file } });
  expect(code, output).toBe(1);
  expect(output).toMatch(/:6:|line 6/);
  expect(output).toContain('/properties/0/goals/2/kind');
  expect(output).not.toMatch(/^\s+at /m);
  expect(await exported()).toBe(before);
  expect(readFileSync(file, 'utf8')).toContain('nonsense');
});
