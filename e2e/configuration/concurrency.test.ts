import { setTimeout as sleep } from 'node:timers/promises';
import { expectExactHistory } from '@switchyard/testing/configuration/exact-history';
import { SAMPLE } from '@switchyard/testing/fixtures/sample-property';
import { ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { applyProvision } from '@switchyard/testing/server/command-line';
import { discard, startServer, type TestServer } from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterEach, expect, test } from 'vitest';
import {
  databasePath,
  readDatabase,
} from '../../packages/server/src/configuration/database/open-database.ts';
import { switchyard } from '../support/command-line.ts';
import { ConfigurationLoad } from '../support/configuration-load.ts';
import { SeededRandom } from '../support/random.ts';
import { expectSentChanges } from '../support/sent-changes.ts';

const PROCESSES = 2;
const FILES_PER_PROCESS = 2;

let server: TestServer | undefined;
afterEach(() => discard(server));

/** Steps that become due while the clients run. */
function scheduled(now: number) {
  const steps = Array.from({ length: 8 }, (_, index) => ({
    at: now + 500 * (index + 1),
    percentage: 10 * (index + 1),
  }));
  return {
    properties: [
      {
        id: 'shop',
        splitTests: ['scheduled-1', 'scheduled-2'].map((key, index) => ({
          key,
          type: 'id',
          startAt: now + 1000 + 300 * index,
          stopAt: now + 2500 + 300 * index,
          variations: [
            { key: 'a', weight: 1, value: 'a' },
            { key: 'b', weight: 1, value: 'b' },
          ],
        })),
        flags: [
          {
            key: 'rollout',
            name: 'Rollout',
            type: 'boolean',
            defaultValue: false,
            environments: {
              production: {
                enabled: true,
                value: false,
                rules: [{ id: 'r', rollout: { percentage: 1, schedule: steps }, value: true }],
              },
            },
          },
        ],
      },
    ],
  };
}

test('clients, files and schedules change a property at the same time, and its history is exact', async () => {
  const random = SeededRandom.forThisRun('concurrent changes');
  const running = await startServer({ provision: SAMPLE, env: WITH_OWNER });
  server = running;
  const { cookieHeader } = await ownerBrowser(running);
  const load = new ConfigurationLoad(random);
  const { stop } = load.start(running.url, cookieHeader);
  await applyProvision(running, scheduled(Date.now()));
  const applied: string[] = [];
  const process = async (_: unknown, index: number) => {
    for (let count = 0; count < FILES_PER_PROCESS; count++) {
      const name = `file ${index}-${count}`;
      const entry = { id: 'signup', name };
      const flag = { key: 'banner', description: name };
      await applyProvision(running, { properties: [{ id: 'shop', goals: [entry], flags: [flag] }] });
      applied.push(name);
    }
  };
  await Promise.all(Array.from({ length: PROCESSES }, process));
  const source = { path: databasePath(running.dataDir) };
  await waitFor('the schedules', () =>
    readDatabase(source, async (database) => {
      const tests = await database.selectFrom('split_tests').select(['key', 'status']).execute();
      const due = tests.filter(({ key }) => key.startsWith('scheduled-'));
      return due.every(({ status }) => status === 'stopped');
    }),
  );
  await sleep(random.between(0, 50));
  await stop();
  const doctor = await switchyard(['doctor'], { env: { DATA_DIR: running.dataDir } });
  expect(doctor.code, doctor.output).toBe(0);
  await running.stop();

  const history = await readDatabase(source, (database) => expectExactHistory(database, 'shop'));
  expectSentChanges(history, load.changes);
  for (const name of applied) {
    const entries = history.filter(
      ({ via, changes }) => via === 'file' && changes.some((it) => it.after === name),
    );
    expect(entries.map(({ entity }) => entity.type)).toEqual(['goal', 'flag']);
  }
  const steps = history.filter(({ via, entity }) => via === 'schedule' && entity.type === 'split-test');
  expect(steps.length).toBe(4);
  expect(history.some(({ via, entity }) => via === 'schedule' && entity.key === 'rollout')).toBe(true);
  const count = (outcome: string) => load.changes.filter((change) => change.outcome === outcome).length;
  console.log(`concurrent changes: ${count('acknowledged')} saved, ${count('rejected')} rejected`);
  expect(count('acknowledged')).toBeGreaterThan(20);
  expect(count('unknown')).toBe(0);
  // Both happened: changes of other fields were merged, and changes of the same field were refused.
  expect(load.changes.some(({ status }) => status === 412)).toBe(true);
});
