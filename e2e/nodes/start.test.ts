import { rmSync } from 'node:fs';
import { createPostgresDatabase } from '@switchyard/testing/configuration/databases';
import { PUBLIC_KEY, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { ownerBrowser } from '@switchyard/testing/server/browser';
import { type TestServer, temporaryDirectory } from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ALL_MIGRATIONS } from '../../packages/server/src/configuration/database/migrations/all-migrations.ts';
import type { Migration } from '../../packages/server/src/configuration/database/migrations/migration.ts';
import { openPostgres } from '../../packages/server/src/configuration/database/postgres/open-postgres.ts';
import { NodeLoad } from '../support/node-load.ts';
import { canRunNodes, metric, TestNodes, until } from '../support/nodes.ts';
import { SeededRandom } from '../support/random.ts';
import { expectStoredOnce } from '../support/stored-events.ts';

/** What the next version may do to the schema while nodes of this one go on. */
const NEXT_MIGRATION: Migration = {
  name: '999-next-version',
  async up(schema) {
    await schema.alterTable('goals').addColumn('next_version', 'text').execute();
    await schema.createTable('next_version').addColumn('id', 'text').execute();
  },
};

describe.skipIf(!canRunNodes())('the start of nodes', () => {
  let database: { url: string; remove: () => Promise<void> };
  let nodes: TestNodes;

  beforeEach(async () => {
    database = await createPostgresDatabase({ empty: true });
    nodes = await TestNodes.open({ databaseUrl: database.url });
  });
  afterEach(async () => {
    await nodes?.close();
    await database?.remove();
  });

  const isServing = async (server: TestServer) => {
    const path = '/v1/split-testing/config?propertyId=shop';
    return (await server.send('GET', path, { key: PUBLIC_KEY })).status === 200;
  };

  test('creates the tables; running nodes go on while a newer version migrates them', async () => {
    await nodes.start(2);
    const random = SeededRandom.forThisRun('rolling upgrade');
    const load = new NodeLoad(random);
    load.sendTo(nodes.servers);
    await load.acknowledged(10);

    await (await openPostgres(database.url, { migrations: [...ALL_MIGRATIONS, NEXT_MIGRATION] })).close();
    await load.acknowledged(10);
    // Nodes that lose their connection to the newer database come back to it.
    nodes.postgres.cut();
    const [first, second] = nodes.servers as [TestServer, TestServer];
    for (const server of nodes.servers) {
      await waitFor(
        'the connection',
        async () => (await metric(server, 'switchyard_database_available')) === 1,
      );
    }
    const owner = await ownerBrowser(first);
    const path = '/v1/manage/properties/shop/goals/added';
    // A busy machine can lose a connection again.
    await waitFor('the change', async () => {
      const { status } = await owner.put(path, { name: 'Added', kind: 'count' });
      return status !== 503;
    });
    await waitFor('the change on the other node', async () => {
      // Without a session, which the check below would not expect.
      const body = { propertyId: 'shop', goalId: 'added' };
      const { status } = await second.send('POST', '/v1/goals/increment', {
        body,
        key: SECRET_KEY,
      });
      return status === 200;
    });
    await load.acknowledged(10);
    await load.stop();
    console.log(load.summary());
    load.expectServed();
    await nodes.stored();

    // Only a start of this version refuses the newer schema. Without a snapshot, because a node that cannot connect
    // in time would start from it.
    const empty = temporaryDirectory();
    await expect(nodes.startIn(empty)).rejects.toThrow(
      'newer version of Switchyard (it has 999-next-version)',
    );
    rmSync(empty, { recursive: true });
    expect(await isServing(first)).toBe(true);
    const present = await expectStoredOnce(
      first,
      load.events.filter(() => true),
    );
    expect(present.length).toBeGreaterThan(0);
  });

  test('succeeds while PostgreSQL and ClickHouse are unavailable, from a snapshot', async () => {
    await nodes.start(1);
    const [first] = nodes.servers as [TestServer];
    await nodes.stored();
    expect(await first.stop(), first.log).toBe(0);
    nodes.postgres.refuse();
    nodes.clickhouse.hold();
    const restarted = await nodes.restart(0);
    expect(await isServing(restarted)).toBe(true);
    const body = { propertyId: 'shop', goalId: 'signup', sessionId: 's-unavailable' };
    const accepted = await restarted.send('POST', '/v1/goals/increment', {
      body,
      key: SECRET_KEY,
    });
    expect(accepted.text).toBe('{"success":true}');
    const ready = await restarted.send('GET', '/readyz');
    expect({ status: ready.status, unavailable: ready.body.unavailable.sort() }).toEqual({
      status: 200,
      unavailable: ['database', 'events'],
    });

    // What ClickHouse does not take stays in the journal.
    expect(await restarted.stop(), restarted.log).toBe(0);
    const again = await nodes.restart(0);

    // Without a snapshot it cannot know any key.
    const empty = temporaryDirectory();
    await expect(nodes.startIn(empty)).rejects.toThrow('PostgreSQL is not available');
    rmSync(empty, { recursive: true });

    nodes.postgres.pass();
    nodes.clickhouse.pass();
    await waitFor('PostgreSQL', async () => (await metric(again, 'switchyard_database_available')) === 1);
    await nodes.stored();
    await until(async () => {
      const response = await again.send('GET', '/v1/goals/progress?propertyId=shop&goalId=signup', {
        key: SECRET_KEY,
      });
      return response.status === 200 && response.body.current.total === 1;
    });
  });
});
