import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expectExactHistory } from '@switchyard/testing/configuration/exact-history';
import { SAMPLE } from '@switchyard/testing/fixtures/sample-property';
import { ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import {
  discard,
  startServer,
  type TestServer,
  temporaryDirectory,
} from '@switchyard/testing/server/test-server';
import { settled } from '@switchyard/testing/time/wait';
import { afterEach, expect, test } from 'vitest';
import type { Database } from '../../packages/server/src/configuration/database/database.ts';
import {
  databasePath,
  readDatabase,
} from '../../packages/server/src/configuration/database/open-database.ts';
import type { HistoryEntry } from '../../packages/server/src/configuration/history/history-entry.ts';
import { switchyard } from '../support/command-line.ts';
import { ConfigurationLoad } from '../support/configuration-load.ts';
import { SeededRandom } from '../support/random.ts';
import { expectSentChanges } from '../support/sent-changes.ts';

const CYCLES = 3;

let server: TestServer | undefined;
let dataDir: string | undefined;
afterEach(async () => {
  await discard(server);
  if (dataDir !== undefined) rmSync(dataDir, { recursive: true, force: true });
});

/** Nobody listens there, so that every event stays in the queue. */
const WEBHOOK = { id: 'hook', url: 'http://127.0.0.1:9/hook', events: ['configuration.changed'] };
const ENV = { ...WITH_OWNER, WEBHOOK_ALLOW_PRIVATE: 'true' };

test(`saved changes of the configuration survive each of ${CYCLES} kills, and none is half saved`, async () => {
  const random = SeededRandom.forThisRun('kill -9 during changes');
  const load = new ConfigurationLoad(random);
  dataDir = temporaryDirectory();
  const [shop, ...others] = SAMPLE.properties;
  const provision = { properties: [{ ...shop, webhooks: [WEBHOOK] }, ...others] };
  // Provisioned once: the next starts must not change what clients saved.
  await (await startServer({ dataDir, provision, env: ENV })).stop();
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const running = await startServer({ dataDir, env: ENV });
    server = running;
    const { cookieHeader } = await ownerBrowser(running);
    const { done } = load.start(running.url, cookieHeader);
    await settled('the load', load.acknowledged(random.between(5, 60)));
    await sleep(random.between(0, 20));
    await running.stop('SIGKILL');
    await done;
    const history = await readDatabase({ path: databasePath(dataDir) }, async (database) => {
      const entries = await expectExactHistory(database, 'shop');
      await expectQueued(database, entries);
      return entries;
    });
    expectSentChanges(history, load.changes);
  }
  server = await startServer({ dataDir, env: ENV });
  const doctor = await switchyard(['doctor'], { env: { DATA_DIR: dataDir } });
  expect(doctor.code, doctor.output).toBe(0);
  const owner = await ownerBrowser(server);
  const { body } = await owner.get('/v1/manage/properties/shop');
  const last = await readDatabase({ path: databasePath(dataDir) }, (database) =>
    expectExactHistory(database, 'shop'),
  );
  expect(body.version).toBe(last.at(-1)?.propertyVersion);
  const lost = load.changes.filter(({ outcome }) => outcome === 'unknown').length;
  console.log(`kill -9 during changes: ${load.changes.length} sent, ${lost} without a response`);
  expect(load.changes.filter(({ outcome }) => outcome === 'acknowledged').length).toBeGreaterThan(20);
});

/** Each change after the webhook was created has one event in the queue, in the order of the history. */
async function expectQueued(database: Database, history: readonly HistoryEntry[]): Promise<void> {
  const rows = await database
    .selectFrom('webhook_deliveries')
    .select('body')
    .where('webhook_id', '=', WEBHOOK.id)
    .orderBy('position')
    .execute();
  const queued = rows.map(({ body }) => JSON.parse(body).data.version);
  expect(queued).toEqual([...new Set(history.map(({ propertyVersion }) => propertyVersion))]);
}
