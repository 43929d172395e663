import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createPostgresDatabase, hasPostgres } from '@switchyard/testing/configuration/databases';
import { accepted, Shop } from '@switchyard/testing/fixtures/shop';
import { FaultProxy } from '@switchyard/testing/network/fault-proxy';
import {
  BIN,
  discard,
  startServer,
  type TestServer,
  temporaryDirectory,
} from '@switchyard/testing/server/test-server';
import { settled, waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { assertUsable } from '../../packages/server/src/cluster/move/moved-directory.ts';
import { countNodeConnections } from '../../packages/server/src/cluster/move/target-checks.ts';
import { connectPostgres } from '../../packages/server/src/configuration/database/postgres/open-postgres.ts';
import { openClickHouseEventStore } from '../../packages/server/src/events/clickhouse/clickhouse-event-store.ts';
import { ClickHouse } from '../../packages/server/src/events/clickhouse/connection/clickhouse-client.ts';
import { switchyard } from '../support/command-line.ts';
import { EventLoad } from '../support/event-load.ts';
import { LOAD_PROVISION } from '../support/event-requests.ts';
import { SeededRandom } from '../support/random.ts';
import { expectStoredOnce, expectTotals, getWhenAvailable } from '../support/stored-events.ts';

const engine = inject('clickhouseUrl');
/** The engine is slow where it is emulated. */
const MOVE_TIMEOUT_MS = 300_000;
const STEP_TIMEOUT_MS = 3 * MOVE_TIMEOUT_MS;

/** The steps of a life: a server moves to PostgreSQL and ClickHouse, loses a node, and moves back. */
describe.skipIf(engine === undefined || !hasPostgres())(
  'an installation that moves',
  { timeout: STEP_TIMEOUT_MS },
  () => {
    const load = new EventLoad(SeededRandom.forThisRun('move'), { clients: 4 });
    const clickhouseName = `move_${randomBytes(6).toString('hex')}`;
    const clickhouseUrl = `${engine}/${clickhouseName}`;
    const embeddedDir = temporaryDirectory();
    const returnedDir = join(temporaryDirectory(), 'data');
    let postgres: Awaited<ReturnType<typeof createPostgresDatabase>>;
    let clickhouse: ClickHouse;
    let proxy: FaultProxy | undefined;
    const servers: TestServer[] = [];
    let answers: unknown;

    beforeAll(async () => {
      postgres = await createPostgresDatabase({ empty: true });
      clickhouse = new ClickHouse({ url: clickhouseUrl });
      // The engine takes long to start and to create tables: later steps do not wait for it.
      await fetch(`${engine}/?query=SELECT+1`);
      const store = openClickHouseEventStore({ url: clickhouseUrl });
      await store.positions();
      await store.close();
      const { hostname: host, port } = new URL(engine as string);
      proxy = await FaultProxy.start({ host, port: Number(port) });
    });
    afterAll(async () => {
      for (const server of servers) await discard(server);
      await clickhouse.command(`DROP DATABASE IF EXISTS ${clickhouseName}`);
      await clickhouse.close();
      await proxy?.close();
      await postgres.remove();
      rmSync(embeddedDir, { recursive: true, force: true });
      rmSync(join(returnedDir, '..'), { recursive: true, force: true });
    });

    const start = async (dataDir: string, env: Record<string, string> = {}, provision?: object) => {
      const server = await startServer({ dataDir, env, ...(provision && { provision }) });
      servers.push(server);
      return server;
    };
    const send = async (server: TestServer, count: number) => {
      const acknowledged = load.acknowledged(count);
      const { stop } = load.start(server.url);
      await settled('acknowledgements', acknowledged);
      await stop();
    };
    const outArgs = () => ['move', '--to-database', postgres.url, '--to-clickhouse', clickhouseUrl];
    const run = (args: readonly string[], env: Record<string, string> = {}) =>
      switchyard(args, { env: { DATA_DIR: embeddedDir, ...env }, timeoutMs: MOVE_TIMEOUT_MS });
    const moveOut = () => run(outArgs());
    const moveBack = () =>
      run(['move', '--to-directory', returnedDir], {
        DATABASE_URL: postgres.url,
        CLICKHOUSE_URL: clickhouseUrl,
      });
    const ship = (url: string) => run(['ship', embeddedDir], { CLICKHOUSE_URL: url });

    test('is interrupted in the middle of a batch, and continues under load', async () => {
      const server = await start(embeddedDir, {}, LOAD_PROVISION);
      await send(server, 600);
      const child = spawn(process.execPath, [BIN, ...outArgs()], {
        env: { PATH: process.env.PATH ?? '', DATA_DIR: embeddedDir },
        stdio: 'ignore',
      });
      const exited = once(child, 'exit');
      onTestFinished(() => void child.kill('SIGKILL'));
      await waitFor('a batch', () => {
        const file = join(embeddedDir, 'move.json');
        return existsSync(file) && readFileSync(file, 'utf8').includes('planned');
      });
      child.kill('SIGKILL');
      await exited;

      const moving = moveOut();
      await waitFor('the copy', () => existsSync(join(embeddedDir, 'move.partial')));
      await send(server, 150);
      const { code, output } = await moving;
      expect(code, output).toBe(0);
      expect(output).toContain('Stop the server.');
      expect(existsSync(join(embeddedDir, 'moved.json'))).toBe(false);
      await send(server, 20);
      answers = await answersOf(server);
      // What is in the journal only belongs to the move too.
      await accepted(new Shop(server).increment({ goalId: 'signup' }));
      await server.stop('SIGKILL');
    });

    test('notices a difference', async () => {
      await clickhouse.command(
        `INSERT INTO ${clickhouseName}.conversions SELECT * REPLACE ('tampered' AS goal)
       FROM ${clickhouseName}.conversions LIMIT 1`,
      );
      const { code, output } = await moveOut();
      expect(code, output).toBe(1);
      expect(output).toMatch(/The two sides differ:[\s\S]*goals of shop on \d{4}-\d\d-\d\d +(\d+) +\d+/);
      await clickhouse.command(
        `ALTER TABLE ${clickhouseName}.conversions DELETE WHERE goal = 'tampered'`,
        {},
        { mutations_sync: '2' },
      );
    });

    test('is complete after the server has stopped, and gives the same answers', async () => {
      expect(() => assertUsable(embeddedDir, true)).toThrow('Move it with "switchyard move"');
      const { code, output } = await moveOut();
      expect(code, output).toBe(0);
      expect(output).toContain('the move is complete');
      expect(() => assertUsable(embeddedDir, false)).toThrow(/was moved to .* delete .*moved\.json/);
      expect(await moveOut()).toMatchObject({ code: 1, stderr: expect.stringContaining('was moved to') });

      const node = await start(embeddedDir, {
        DATABASE_URL: postgres.url,
        CLICKHOUSE_URL: proxy!.urlOf(clickhouseUrl),
      });
      expect(await answersOf(node)).toEqual(answers);
      const signups = await getWhenAvailable(node, '/v1/goals/progress?goalId=signup&propertyId=shop');
      expect(signups.current).toMatchObject({ total: 1 });
    });

    test('copies the data of a node that runs into a directory', async () => {
      const { code, output } = await moveBack();
      expect(code, output).toBe(0);
      expect(output).toContain('Nodes are still connected to PostgreSQL');
      expect(() => assertUsable(returnedDir, false)).toThrow('is not complete');
    });

    test('ships what is left in the journal of a dead node', async () => {
      const node = servers.at(-1)!;
      expect(await ship(clickhouseUrl)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('is running'),
      });
      proxy!.refuse();
      await send(node, 60);
      await node.stop('SIGKILL');
      expect((await ship(proxy!.urlOf(clickhouseUrl))).code).toBe(1);
      const shipped = await ship(clickhouseUrl);
      expect(shipped.output).toMatch(/Stored \d+ requests of node/);
      expect((await ship(clickhouseUrl)).output).toContain('Nothing is left');
    });

    test('is back in a directory, with everything once, and goes on', async () => {
      const database = connectPostgres(postgres.url, { connections: 1 });
      await waitFor(
        'the connections of the node to end',
        async () => (await countNodeConnections(database)) === 0,
      );
      await database.destroy();
      const { code, output } = await moveBack();
      expect(code, output).toBe(0);
      expect(output).toContain('the move is complete');
      const server = await start(returnedDir);
      await send(server, 60);
      const present = await expectStoredOnce(server, load.events);
      await expectTotals(server, load.events, present);
      await server.stop();
      const doctor = await run(['doctor', '--json'], { DATA_DIR: returnedDir });
      const { checks } = JSON.parse(doctor.stdout) as { checks: { status: string; name: string }[] };
      expect(checks.filter(({ status, name }) => status !== 'ok' && name !== 'Disk space')).toEqual([]);
    });
  },
);

/** Of all kinds of questions, without what depends on the time. */
async function answersOf(server: TestServer): Promise<unknown> {
  const paths = [
    '/v1/split-testing/results?splitTestKey=hero&',
    '/v1/goals/progress?goalId=revenue&',
    '/v1/sessions?limit=100&',
    '/v1/feedback?limit=100&',
  ];
  const bodies = [];
  for (const path of paths) {
    const {
      nextCursor: _cursor,
      asOf: _asOf,
      // Until the same time of day as now.
      previous: _previous,
      previousPeriod: _previousPeriod,
      previousSeries: _previousSeries,
      ...rest
    } = await getWhenAvailable(server, `${path}propertyId=shop`);
    bodies.push(rest);
  }
  return bodies;
}
