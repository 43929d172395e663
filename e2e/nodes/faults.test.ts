import { setTimeout as sleep } from 'node:timers/promises';
import { SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { PostgresServer } from '@switchyard/testing/postgres/postgres-server';
import { type Browser, ownerBrowser } from '@switchyard/testing/server/browser';
import type { TestServer } from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NodeLoad } from '../support/node-load.ts';
import { canRunNodes, metric, TestNodes, until } from '../support/nodes.ts';
import { SeededRandom } from '../support/random.ts';
import { expectStoredOnce, expectTotals } from '../support/stored-events.ts';

/** Seconds, where users would see minutes or hours: what matters is that all retries of the time before have failed. */
const OUTAGE_MS = Number(process.env.OUTAGE_MS ?? 8000);

describe.skipIf(!canRunNodes())('three nodes under load', () => {
  let postgres: PostgresServer;
  let nodes: TestNodes;
  let owner: Browser;
  let load: NodeLoad;
  const random = SeededRandom.forThisRun('nodes');

  beforeAll(async () => {
    postgres = await PostgresServer.start({ settings: ['fsync=off'] });
    nodes = await TestNodes.open({ databaseUrl: postgres.url });
    await nodes.start(3);
    owner = await ownerBrowser(nodes.servers[0]!);
    load = new NodeLoad(random);
  });
  afterAll(async () => {
    await load?.stop();
    await nodes?.close();
    await postgres?.dispose();
  });

  const onEachNode = async (what: string, isTrue: (server: TestServer) => Promise<boolean>) => {
    for (const server of nodes.servers) await waitFor(what, () => isTrue(server));
  };
  const isUnavailable = async (server: TestServer) =>
    (await metric(server, 'switchyard_database_available')) === 0;
  const isBack = async (server: TestServer) => !(await isUnavailable(server));

  /** A change through the management API. */
  const rename = (name: string) =>
    owner.call('PATCH', '/v1/manage/properties/shop/goals/signup', {
      body: { name },
      headers: { 'if-match': '*' },
    });

  /** Nothing that was acknowledged is lost, and nothing is there twice. */
  const expectStored = async (killed?: TestServer) => {
    await load.stop();
    console.log(load.summary());
    load.expectServed(killed);
    expect(load.events.filter(({ outcome }) => outcome === 'rejected')).toEqual([]);
    await nodes.stored();
    const server = random.pick(nodes.servers);
    await expectTotals(server, load.events, await expectStoredOnce(server, load.events));
  };

  /** With a session that the node has to look up. */
  const expectEvaluated = async (server: TestServer) => {
    const body = { propertyId: 'shop', context: { sessionId: `s-${random.next()}` } };
    const response = await server.send('POST', '/v1/flags/evaluate', { key: SECRET_KEY, body });
    expect(response.status, response.text).toBe(200);
  };

  /** What a node says while ClickHouse is unavailable. */
  const expectLate = async (server: TestServer) => {
    await expectEvaluated(server);
    const path = '/v1/goals/progress?propertyId=shop&goalId=signup';
    const refused = await server.send('GET', path, { key: SECRET_KEY });
    expect(refused.body.error.code, refused.text).toBe('event_store_unavailable');
    expect((await server.send('GET', '/readyz')).body).toEqual({ status: 'ready', unavailable: ['events'] });
    await waitFor('late figures', async () => {
      const { dataDelayedSince } = (await owner.get('/v1/manage/me')).body;
      return dataDelayedSince !== null && dataDelayedSince <= Date.now();
    });
  };

  test('go on without PostgreSQL, and refuse changes in time', async () => {
    load.sendTo(nodes.servers);
    await load.acknowledged(10);
    const faults: [string, () => Promise<void> | void, () => Promise<void> | void][] = [
      ['killed', () => postgres.kill(), () => postgres.start()],
      ['black-holed', () => nodes.postgres.hold(), () => nodes.postgres.pass()],
      ['2 s slow', () => nodes.postgres.delay(2000), () => nodes.postgres.pass()],
    ];
    for (const [fault, begin, end] of faults) {
      await begin();
      const startedAt = performance.now();
      const refused = await rename(`while ${fault}`);
      console.log(`${fault}: change answered after ${Math.round(performance.now() - startedAt)} ms`);
      expect(refused.body.error.code, refused.text).toBe('database_unavailable');
      await onEachNode('the outage', isUnavailable);
      await load.acknowledged(10);
      await end();
      await onEachNode('the end of the outage', isBack);
      const renamed = await rename(`after it was ${fault}`);
      expect(renamed.status, renamed.text).toBe(200);
    }
    await expectStored();
  });

  test('store everything once although answers of ClickHouse are lost, wrong or missing', async () => {
    load.sendTo(nodes.servers);
    const seen = new Set<string>();
    // Each insert is committed, and its answer lost, once.
    nodes.clickhouse.loseAnswers((request) => {
      const token = /insert_deduplication_token=([^& ]+)/.exec(request)?.[1];
      if (token === undefined || seen.has(token)) return false;
      seen.add(token);
      return true;
    });
    await load.acknowledged(30);
    await until(() => seen.size > 7);
    nodes.clickhouse.answer(
      'HTTP/1.1 500 Internal Server Error\r\ncontent-length: 5\r\nconnection: close\r\n\r\nwrong',
    );
    await load.acknowledged(30);
    nodes.clickhouse.hold();
    await expectEvaluated(nodes.servers[0]!);
    await load.acknowledged(30);
    nodes.clickhouse.refuse();
    const startedAt = performance.now();
    await expectLate(nodes.servers[0]!);
    await sleep(Math.max(0, OUTAGE_MS - (performance.now() - startedAt)));
    nodes.clickhouse.pass();
    await load.acknowledged(10);
    await expectStored();
  });

  test('lose nothing when one is killed', async () => {
    const [first, second, third] = nodes.servers as [TestServer, TestServer, TestServer];
    load.sendTo(nodes.servers);
    await load.acknowledged(random.between(10, 30));
    await second.stop('SIGKILL');
    load.sendTo([first, third]);
    await load.acknowledged(10);
    await nodes.restart(1);
    load.sendTo(nodes.servers);
    await load.acknowledged(10);
    await expectStored(second);
  });
});
