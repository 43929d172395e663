import { createPostgresDatabase, hasPostgres } from '@switchyard/testing/configuration/databases';
import { SAMPLE, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { FaultProxy } from '@switchyard/testing/network/fault-proxy';
import { freePort } from '@switchyard/testing/network/free-port';
import { Browser, OWNER, WITH_OWNER } from '@switchyard/testing/server/browser';
import { discard, startServer, type TestServer } from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

// Without ClickHouse, so that they run on every machine with PostgreSQL.

describe.skipIf(!hasPostgres())('a node', () => {
  let node: TestServer;
  let database: { url: string; remove: () => Promise<void> };
  let postgres: FaultProxy;

  beforeEach(async () => {
    database = await createPostgresDatabase({ empty: true });
    const { hostname: host, port } = new URL(database.url);
    postgres = await FaultProxy.start({ host, port: Number(port) });
    node = await startServer({
      provision: SAMPLE,
      env: {
        ...WITH_OWNER,
        DATABASE_URL: postgres.urlOf(database.url),
        CLICKHOUSE_URL: `http://127.0.0.1:${await freePort()}/events`,
        JOURNAL_MAX_BYTES: '65536',
      },
    });
  });
  afterEach(async () => {
    await discard(node);
    await postgres?.close();
    await database?.remove();
  });

  test('is not ready while its journal is full, because ClickHouse is unavailable', async () => {
    const readiness = async () => {
      const { status, body } = await node.send('GET', '/readyz');
      return { status, body };
    };
    expect(await readiness()).toEqual({ status: 200, body: { status: 'ready', unavailable: ['events'] } });
    const increment = () =>
      node.send('POST', '/v1/goals/increment', {
        key: SECRET_KEY,
        body: { propertyId: 'shop', goalId: 'signup', sessionId: 's-1' },
      });
    await waitFor('a full journal', async () => (await increment()).status === 503);
    expect(await readiness()).toEqual({
      status: 503,
      body: { status: 'not ready', unavailable: ['events', 'journal'] },
    });
  });

  test('does not count sign-ins as failed while PostgreSQL is unavailable', async () => {
    const browser = new Browser(node);
    const signIn = async () => (await browser.signIn(OWNER.email, OWNER.password)).status;
    expect(await signIn()).toBe(200);
    postgres.refuse();
    postgres.cut();
    const statuses: number[] = [];
    for (let i = 0; i < 15; i++) statuses.push(await signIn());
    expect(new Set(statuses)).toEqual(new Set([503]));
    postgres.pass();
    await waitFor('PostgreSQL', async () => (await signIn()) !== 503);
    expect(await signIn()).toBe(200);
  });
});
