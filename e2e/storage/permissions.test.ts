import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { switchyard } from '../support/command-line.ts';

/** Root may read everything, so commands run as nobody. */
const NOBODY = process.getuid?.() === 0 ? 65_534 : undefined;

const parent = temporaryDirectory();
const file = join(parent, 'shop.yaml');
const dataDir = join(parent, 'data');
beforeAll(async () => {
  writeFileSync(file, 'properties: [{ id: shop }]');
  // Others may use everything but the data.
  chmodSync(parent, 0o777);
  const { code, output } = await switchyard(['apply', file], { env: { DATA_DIR: dataDir } });
  expect(code, output).toBe(0);
  if (NOBODY === undefined) chmodSync(dataDir, 0);
});
afterAll(() => {
  chmodSync(dataDir, 0o700);
  rmSync(parent, { recursive: true, force: true });
});

test
  .runIf(process.platform !== 'win32')
  .for([
    ['keys', 'list'],
    ['users', 'list'],
    ['export'],
    ['plan', file],
    ['apply', file],
    ['types'],
    ['forget', '--property', 'shop', '--visitor', 'v'],
    ['backup', join(parent, 'backup')],
    ['doctor'],
  ])('without permission to read the data directory, %s says so', async (args, { skip }) => {
  const user = NOBODY === undefined ? {} : { user: NOBODY };
  // The user may not be able to read this clone either.
  skip((await switchyard(['--version'], user)).code !== 0, 'nobody cannot run it');
  const { code, output } = await switchyard(args, { ...user, env: { DATA_DIR: dataDir } });
  expect(code, output).toBe(1);
  expect(output).toMatch(/permission denied/i);
  expect(output).toContain(dataDir);
  expect(output).toMatch(new RegExp(`user (\\S+ \\()?${NOBODY ?? process.getuid?.()}`));
  expect(output).not.toContain('There is no configuration');
});
