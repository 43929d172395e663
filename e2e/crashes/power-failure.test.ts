import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { SAMPLE, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import {
  discard,
  startServer,
  type TestServer,
  temporaryDirectory,
} from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canTrace, syncsOf, tracingSyncs } from '../support/strace.ts';

// A killed server loses nothing that the operating system still has, so only the calls show what a power failure would.

const REQUESTS = 8;

if (!canTrace()) console.warn('Skipping the tests of power failures: strace not found, or not allowed.');

describe.skipIf(!canTrace())('what was acknowledged is on the disk', () => {
  let server: TestServer;
  let trace: string;
  const directory = temporaryDirectory();
  beforeAll(async () => {
    trace = join(directory, 'syncs.txt');
    server = await startServer({
      provision: SAMPLE,
      env: WITH_OWNER,
      wrap: (command) => tracingSyncs(trace, command),
    });
  });
  afterAll(async () => {
    await discard(server);
    rmSync(directory, { recursive: true, force: true });
  });

  /** Sends requests one after the other; each needs a write of its own. */
  async function expectSyncs(name: string, send: (request: number) => Promise<{ status: number }>) {
    const file = join(server.dataDir, name);
    const before = syncsOf(trace, file);
    for (let request = 1; request <= REQUESTS; request++) {
      expect((await send(request)).status).toBe(200);
      await waitFor(`a write of ${name} to the disk`, () => syncsOf(trace, file) >= before + request);
    }
  }

  test('of events', () =>
    expectSyncs('journal.db-wal', () =>
      server.send('POST', '/v1/goals/increment', {
        key: SECRET_KEY,
        body: { propertyId: 'shop', goalId: 'signup' },
      }),
    ));

  test('of the configuration', async () => {
    const owner = await ownerBrowser(server);
    await expectSyncs('config.db-wal', (request) =>
      owner.call('PATCH', '/v1/manage/properties/shop', {
        body: { name: `Shop ${request}` },
        headers: { 'if-match': '*' },
      }),
    );
  });
});
