import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PUBLIC_KEY, SAMPLE, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import {
  BIN,
  discard,
  startServer,
  type TestServer,
  temporaryDirectory,
} from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const { version, devDependencies } = readJson(at('packages/server/package.json'));
const MAX_INSTALLED_BYTES = 200e6;

const directory = temporaryDirectory();
const installed = join(directory, 'node_modules');
const command = join(installed, '.bin/switchyard');
let server: TestServer;

/** Runs a program outside of the checkout, with only PATH and the npm cache in its environment. */
const run = (file: string, ...args: string[]) =>
  promisify(execFile)(file, args, {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: server?.dataDir },
  });

beforeAll(async () => {
  await run(process.execPath, at('tools/release.js'), directory);
  writeFileSync(join(directory, 'package.json'), '{ "private": true }');
  await run('npm', 'install', '--omit=dev', '--prefer-offline', `./switchyard-${version}.tgz`);
  server = await startServer({
    provision: SAMPLE,
    wrap: ([node]) => [node!, join(installed, '@switchyard/server/bin/switchyard.js'), 'serve'],
  });
});
afterAll(async () => {
  await discard(server);
  rmSync(directory, { recursive: true, force: true });
});

describe('the release, installed into an empty directory', () => {
  test(`has less than ${MAX_INSTALLED_BYTES / 1e6} MB and no development packages`, () => {
    const files = readdirSync(installed, { recursive: true, withFileTypes: true }).filter((it) =>
      it.isFile(),
    );
    const bytes = files.map(({ parentPath, name }) => statSync(join(parentPath, name)).size);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_INSTALLED_BYTES);
    const { packages } = readJson(join(installed, '.package-lock.json'));
    const names = Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, ''));
    const development = { ...readJson(at('package.json')).devDependencies, ...devDependencies };
    const { dependencies } = readJson(join(installed, '@switchyard/server/package.json'));
    expect(names.filter((name) => name in development && !(name in dependencies))).toEqual([]);
    expect(names.filter((name) => name.startsWith('@switchyard/'))).toEqual(['@switchyard/server']);
    for (const name of Object.keys(dependencies)) {
      expect(packages[`node_modules/${name}`]?.version, name).toBe(dependencies[name]);
    }
  });

  test('serves the dashboard, the documentation, the SDK, and stores what it acknowledges', async () => {
    expect((await server.send('GET', '/readyz')).status).toBe(200);
    const page = await server.send('GET', '/');
    const script = /\/assets\/[^"]+\.js/.exec(page.text)![0];
    for (const path of [script, '/docs', '/openapi.json', '/sdk.js']) {
      expect((await server.send('GET', path)).status, path).toBe(200);
    }
    const exposure = { splitTestKey: 'hero', variationKey: 'b', sessionId: 'released-1' };
    const exposed = await server.send('POST', '/v1/split-testing/expose', {
      key: PUBLIC_KEY,
      body: { propertyId: 'shop', exposures: [exposure] },
    });
    expect(exposed.status, exposed.text).toBe(200);
    const { body } = await server.send('GET', '/v1/sessions/released-1?propertyId=shop', { key: SECRET_KEY });
    expect(body.exposures).toMatchObject([{ splitTestKey: 'hero', variationKey: 'b' }]);
  });

  test('offers its SDK as the package that npm installs', async () => {
    const response = await fetch(`${server.url}/sdk.tgz`);
    expect(response.headers.get('content-type')).toBe('application/gzip');
    const released = readFileSync(join(directory, `switchyard-sdk-${version}.tgz`));
    expect(Buffer.from(await response.arrayBuffer()).equals(released)).toBe(true);
    const again = await fetch(`${server.url}/sdk.tgz`, {
      headers: { 'if-none-match': response.headers.get('etag')! },
    });
    expect(again.status).toBe(304);
  });

  test('has the command line', async () => {
    expect((await run(command, '--version')).stdout).toBe(`${version}\n`);
    expect((await run(command, 'doctor')).stdout).toMatch(
      /^ok {4}Event store .*in use by a running server$/m,
    );
  });
});

describe('a checkout', () => {
  test('has a launcher that works from every directory', async () => {
    expect((await run(at('switchyard'), '--version')).stdout).toBe(`${version}\n`);
  });

  test('skips the build without development packages', async () => {
    const checkout = join(directory, 'checkout');
    for (const folder of ['tools', 'packages/server/bin']) {
      mkdirSync(join(checkout, folder), { recursive: true });
      cpSync(at(folder), join(checkout, folder), { recursive: true });
    }
    const { stdout } = await run(process.execPath, join(checkout, 'tools/prepare.js'));
    expect(stdout).toMatch(/^Skipped the build: .*\n$/);
  });
});

test.for([
  ['14.21.3', '20.19'],
  ['18.20.4', '20.19'],
  ['20.18.3', '20.19'],
  ['21.7.3', '22.2'],
])('Node.js %s gets one line that says what is needed', ([found, needed]) => {
  const preload = join(directory, `node-${found}.cjs`);
  const versions = `{ ...process.versions, node: '${found}' }`;
  writeFileSync(preload, `Object.defineProperty(process, 'versions', { value: ${versions} });`);
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--require', preload, BIN, 'serve'], {
    encoding: 'utf8',
  });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toBe(`Switchyard needs Node.js ${needed} or newer; this is ${found}.\n`);
});
