import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accepted, closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { type CommandResult, switchyardWith } from '@switchyard/testing/server/command-line';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Engine, enginesForTest } from '../support/engines.ts';

const nodes = enginesForTest().find(({ name }) => name === 'ClickHouse');
/** Against hanging only: an emulated engine takes minutes. */
const SLOW_ENGINE_MS = 600_000;

describe.skipIf(nodes === undefined)('suppressions import, with PostgreSQL and ClickHouse', () => {
  let databases: Awaited<ReturnType<Engine['open']>>;
  let shop: Shop;
  let directory: string;
  beforeAll(async () => {
    databases = await nodes!.open();
    shop = await openShop({ env: databases.env });
    directory = mkdtempSync(join(tmpdir(), 'switchyard-import-'));
  });
  afterAll(async () => {
    await closeShop(shop);
    await databases.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const run = async (...args: string[]): Promise<CommandResult> => {
    const result = await switchyardWith(databases.env, ...args);
    expect(result.code, result.stderr).toBe(0);
    return result;
  };
  const visit = () => accepted(shop.collect({ sessionId: 'session-of-ann', visitorId: 'visitor-of-ann' }));
  const isStored = async () => !(await shop.isUnknown('session-of-ann'));
  const isErased = async () => !(await isStored());

  test('erases again who is on the list and back from an older backup', {
    timeout: SLOW_ENGINE_MS,
  }, async () => {
    await visit();
    await waitFor('the session', isStored, SLOW_ENGINE_MS);
    await run('forget', '--property', 'shop', '--visitor', 'visitor-of-ann');
    await waitFor('the erasure', isErased, SLOW_ENGINE_MS);
    const list = join(directory, 'list.json');
    await run('suppressions', 'export', '--out', list);
    // As after a restore: the list does not have them, and the events are there.
    await run('suppressions', 'lift', '--property', 'shop', '--visitor', 'visitor-of-ann');
    await run('suppressions', 'lift', '--property', 'shop', '--session', 'session-of-ann');
    const isBack = async () => {
      await visit();
      return isStored();
    };
    await waitFor('the session to be back', isBack, SLOW_ENGINE_MS);
    const { stdout } = await run('suppressions', 'import', list);
    expect(stdout).toMatch(/^New entries: 2\. Requested erasures, which a node carries out: [12]\.$/m);
    await waitFor('the second erasure', isErased, SLOW_ENGINE_MS);
    await visit();
    expect(await isErased()).toBe(true);
  });
});

test('suppressions import says what one server needs instead', async () => {
  const refused = await switchyardWith({}, 'suppressions', 'import', 'list.json');
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('restore --suppressions');
});
