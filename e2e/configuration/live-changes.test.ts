import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PUBLIC_KEY, SAMPLE, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { discard, startServer, type TestServer } from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { switchyard } from '../support/command-line.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ provision: SAMPLE });
});
afterAll(() => discard(server));

const cli = (...args: string[]) => switchyard(args, { env: { DATA_DIR: server.dataDir } });

const config = (key: string) => server.send('GET', '/v1/split-testing/config?propertyId=shop', { key });

test('a running server picks up changes of `apply` without a restart', async () => {
  const file = join(server.dataDir, 'change.yaml');
  writeFileSync(file, 'properties:\n  - id: shop\n    splitTests:\n      - { key: hero, status: paused }\n');
  const tests = async () => (await config(PUBLIC_KEY)).body.tests.map(({ key }: { key: string }) => key);
  expect(await tests()).toEqual(['hero']);
  const applied = await cli('apply', file);
  expect(applied.code, applied.output).toBe(0);
  await waitFor('the change', async () => !(await tests()).includes('hero'));
});

test('a key created with the CLI works until it is deleted', async () => {
  const created = await cli('keys', 'create', '--property', 'shop', '--kind', 'public', '--name', 'spare');
  expect(created.code, created.output).toBe(0);
  const key = /service_pub_\w+/.exec(created.stdout)![0];
  await waitFor('the new key', async () => (await config(key)).status === 200);
  const listed = await cli('keys', 'list', '--property', 'shop');
  const id = /key_\w+/.exec(listed.stdout.split('\n').find((line) => line.includes('spare'))!)![0];
  const deleted = await cli('keys', 'delete', id);
  expect(deleted.code, deleted.output).toBe(0);
  const rejected = await waitFor('401', async () => {
    const response = await config(key);
    return response.status === 401 && response;
  });
  expect(rejected.body.error.code).toBe('api_key_invalid');
  expect((await config(PUBLIC_KEY)).status).toBe(200);
});

test('`doctor` reports no problems with a running server', async () => {
  await server.send('POST', '/v1/goals/increment', {
    key: SECRET_KEY,
    body: { propertyId: 'shop', goalId: 'signup' },
  });
  const { code, output } = await cli('doctor');
  expect(code, output).toBe(0);
});
