import { createPostgresDatabase, hasPostgres } from '@switchyard/testing/configuration/databases';
import { provisionDatabase } from '@switchyard/testing/configuration/provision-database';
import { FaultProxy } from '@switchyard/testing/network/fault-proxy';
import { PostgresServer } from '@switchyard/testing/postgres/postgres-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deleteToken } from '../../../features/accounts/access-token-store.ts';
import { deleteSessions } from '../../../features/accounts/account-session-store.ts';
import { createAccount, updateAccount } from '../../../features/accounts/account-store.ts';
import { configurationModel } from '../../../start/definitions.ts';
import { OPERATOR } from '../../property/actor.ts';
import { type Configuration, openConfiguration } from '../../snapshot/configuration.ts';
import { ConfigurationWriter } from '../../writer/configuration-writer.ts';
import type { Database, DatabaseHandle } from '../database.ts';
import type { NodeMessage } from '../nodes.ts';
import { type OpenPostgresOptions, openPostgres } from './open-postgres.ts';

let database: { url: string; remove: () => Promise<void> };
/** Directly, and through the proxy. */
let url: string;
let proxiedUrl: string;
let proxy: FaultProxy;
const closing: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  database = await createPostgresDatabase();
  url = database.url;
  const { hostname, port } = new URL(url);
  proxy = await FaultProxy.start({ host: hostname, port: Number(port) });
  proxiedUrl = proxy.urlOf(url);
});

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await proxy.close();
  await database.remove();
});

interface TestNode {
  handle: DatabaseHandle;
  configuration: Configuration;
  messages: NodeMessage[];
  /** `unavailable` and `back`, in order. */
  outages: string[];
  close(): Promise<void>;
}

/** A node as the server opens it. */
async function startNode(at = url, options: OpenPostgresOptions = {}): Promise<TestNode> {
  const outages: string[] = [];
  const handle = await openPostgres(at, {
    maxWaitMs: 3000,
    outages: { onUnavailable: () => outages.push('unavailable'), onBack: () => outages.push('back') },
    ...options,
  });
  const initial = handle.nodes.isAvailable ? undefined : [];
  const configuration = await openConfiguration(handle, configurationModel, { initial });
  const messages: NodeMessage[] = [];
  handle.nodes.onMessage((message) => messages.push(message));
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= configuration.close().then(() => handle.close());
    return closed;
  };
  closing.push(close);
  return { handle, configuration, messages, outages, close };
}

const addGoal = ({ handle }: TestNode, id: string) =>
  provisionDatabase(handle.database, { id: 'shop', goals: [{ id, kind: 'count' }] });

const hasGoal = ({ configuration }: TestNode, id: string) =>
  configuration.property('shop')?.goals.some((goal) => goal.id === id) === true;

/** Milliseconds until something is true; the limits of a second are measured in `bench`. */
async function timeUntil(what: string, isTrue: () => boolean): Promise<number> {
  const startedAt = performance.now();
  await waitFor(what, isTrue);
  const ms = Math.round(performance.now() - startedAt);
  console.info(`${what}: ${ms} ms`);
  return ms;
}

const errorOf = (promise: Promise<unknown>): Promise<{ code?: string } | undefined> =>
  promise.then(
    () => undefined,
    (error) => error,
  );

const readProperties = ({ handle }: TestNode) =>
  handle.database.selectFrom('properties').select('id').execute();

const describeNodes = describe.skipIf(!hasPostgres());

describeNodes('a change on one node', () => {
  test('is seen by another, and so is a deleted key', async () => {
    const [a, b] = [await startNode(), await startNode()];
    await provisionDatabase(a.handle.database, { id: 'shop' });
    await timeUntil('new property on another node', () => b.configuration.property('shop') !== undefined);
    const { generatedKeys } = await provisionDatabase(b.handle.database, {
      id: 'shop',
      apiKeys: [{ kind: 'public', name: 'web' }],
    });
    const { text } = generatedKeys[0]!;
    await timeUntil('new key on another node', () => a.configuration.keyByText(text) !== undefined);
    const writer = new ConfigurationWriter(b.handle.database, configurationModel);
    await writer.changeProperty('shop', { actor: OPERATOR, via: 'cli' }, ({ current }) => {
      return current && { ...current, apiKeys: [] };
    });
    await timeUntil('deleted key on another node', () => a.configuration.keyByText(text) === undefined);
  });

  test('is seen although its notification was lost', async () => {
    const [a, b] = [await startNode(), await startNode()];
    await sql`alter table properties disable trigger configuration_changed`.execute(a.handle.database);
    await addGoal(a, 'lead');
    await timeUntil('change without notification', () => hasGoal(b, 'lead'));
  });

  test('is seen although the connection for notifications was ended by the server', async () => {
    const [a, b] = [await startNode(), await startNode(proxiedUrl)];
    await addGoal(a, 'first');
    await waitFor('the first change', () => hasGoal(b, 'first'));
    proxy.cut();
    await addGoal(a, 'second');
    await timeUntil('change after a cut', () => hasGoal(b, 'second'));
  });
});

describeNodes('access that ends on one node', () => {
  const ends: [string, (database: Database, accountId: string) => Promise<unknown>][] = [
    ['a session', (database, id) => deleteSessions(database, id)],
    ['a token', (database, id) => deleteToken(database, id, 'tok_1')],
    ['a disabled account', (database, id) => updateAccount(database, id, { disabledAt: 1 })],
    ['an owner no longer', (database, id) => updateAccount(database, id, { isOwner: false })],
  ];

  test('is told to another', async () => {
    const [a, b] = [await startNode(), await startNode()];
    const { id } = await createAccount(a.handle.database, {
      email: 'ada@shop.example',
      passwordHash: null,
      isOwner: true,
    });
    const told = () => b.messages.filter(({ type }) => type === 'access-changed').length;
    for (const [name, end] of ends) {
      const before = told();
      await end(a.handle.database, id);
      await timeUntil(name, () => told() > before);
    }
    const before = told();
    await updateAccount(a.handle.database, id, { name: 'Ada' });
    await a.handle.database.deleteFrom('account_sessions').execute();
    await waitFor('a message', () => told() > before);
    expect(told()).toBe(before + 1);
  });
});

describeNodes('the leader', () => {
  /** Records which nodes work. */
  function candidate({ handle }: TestNode, name: string, working: string[]) {
    return handle.nodes.lead(() => {
      working.push(name);
      return async () => {
        working.splice(working.indexOf(name), 1);
      };
    });
  }

  test('is one node; another takes over when it stops', async () => {
    const working: string[] = [];
    const [a, b] = [await startNode(), await startNode()];
    const stopA = candidate(a, 'a', working);
    await waitFor('a leader', () => working.length > 0);
    candidate(b, 'b', working);
    expect(a.handle.nodes.isLeader).toBe(true);
    // The other had several chances.
    await addGoal(a, 'lead');
    await waitFor('the poll of the other', () => hasGoal(b, 'lead'));
    expect({ working, isLeader: b.handle.nodes.isLeader }).toEqual({ working: ['a'], isLeader: false });
    await stopA();
    expect(working).toEqual([]);
    await timeUntil('take-over after a stop', () => working.includes('b'));
    expect(a.handle.nodes.isLeader).toBe(false);
    await b.close();
    expect(working).toEqual([]);
  });

  test('stops its work when its connection breaks, and may lead again', async () => {
    const working: string[] = [];
    const [a, b] = [await startNode(proxiedUrl), await startNode()];
    candidate(a, 'a', working);
    await waitFor('a leader', () => working.length > 0);
    candidate(b, 'b', working);
    proxy.refuse();
    await timeUntil('take-over after a broken connection', () => working.join() === 'b');
    expect(a.handle.nodes.isLeader).toBe(false);
    proxy.pass();
    await waitFor('the connection', () => a.handle.nodes.isAvailable);
    await b.close();
    await timeUntil('take-over by the first', () => working.join() === 'a');
  });
});

describeNodes('all nodes', () => {
  test('get messages', async () => {
    const [a, b] = [await startNode(), await startNode()];
    await addGoal(a, 'lead');
    await waitFor('the connection', () => hasGoal(b, 'lead'));
    const message = { type: 'send-webhooks', webhook: { propertyId: 'shop', webhookId: 'hook' } } as const;
    // By someone else who uses the database: ignored.
    await sql`select pg_notify('switchyard', 'hello'), pg_notify('switchyard', 'null')`.execute(
      a.handle.database,
    );
    a.handle.nodes.send(message);
    expect(a.messages).toContainEqual(message);
    await waitFor('the message', () => b.messages.some(({ type }) => type === 'send-webhooks'));
    expect(b.messages).toContainEqual(message);
  });

  test('run exclusive work one after another', async () => {
    const nodes = await Promise.all([startNode(), startNode(), startNode()]);
    let running = 0;
    let most = 0;
    await Promise.all(
      nodes.map(({ handle }) =>
        handle.nodes.exclusively(async () => {
          most = Math.max(most, ++running);
          await readProperties(nodes[0]!);
          running--;
        }),
      ),
    );
    expect(most).toBe(1);
  });
});

describeNodes('while PostgreSQL is unavailable', () => {
  test.each(['refuse', 'hold'] as const)('statements fail soon, and later at once (%s)', async (fault) => {
    const node = await startNode(proxiedUrl);
    await addGoal(node, 'lead');
    await waitFor('the configuration', () => hasGoal(node, 'lead'));
    proxy[fault]();
    const startedAt = performance.now();
    expect(await errorOf(readProperties(node))).toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    console.info(`first failed statement (${fault}): ${Math.round(performance.now() - startedAt)} ms`);
    await waitFor('the outage', () => !node.handle.nodes.isAvailable);
    for (let i = 0; i < 100; i++) {
      expect(await errorOf(readProperties(node))).toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    }
    expect(hasGoal(node, 'lead')).toBe(true);
    const other = await startNode();
    await addGoal(other, 'meanwhile');
    // Connections that were held back stay broken.
    proxy.pass();
    await timeUntil(`change during an outage (${fault})`, () => hasGoal(node, 'meanwhile'));
    expect(await readProperties(node)).toHaveLength(1);
    expect(node.outages.slice(0, 2)).toEqual(['unavailable', 'back']);
  });

  test('a server that is 2 s slow counts as unavailable', async () => {
    const node = await startNode(proxiedUrl);
    await addGoal(node, 'lead');
    proxy.delay(2000);
    const change = errorOf(addGoal(node, 'slow'));
    await waitFor('the outage', () => !node.handle.nodes.isAvailable);
    expect(await change).toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    proxy.pass();
    await waitFor('the end of the outage', () => node.handle.nodes.isAvailable);
    await addGoal(node, 'fast');
    expect(node.outages.slice(0, 2)).toEqual(['unavailable', 'back']);
  });

  test('a killed server ends nothing but the statements; nodes reconnect', async () => {
    const working: string[] = [];
    const server = await PostgresServer.start({ settings: ['fsync=off'] });
    closing.push(() => server.dispose());
    const node = await startNode(server.url);
    node.handle.nodes.lead(() => {
      working.push('started');
      return async () => {
        working.push('stopped');
      };
    });
    await addGoal(node, 'lead');
    await waitFor('the leader', () => node.handle.nodes.isLeader);
    await server.kill();
    await waitFor('the outage', () => !node.handle.nodes.isAvailable);
    expect(working).toEqual(['started', 'stopped']);
    await server.start();
    await waitFor('the new leader', () => node.handle.nodes.isLeader);
    await addGoal(node, 'after');
    expect(working).toEqual(['started', 'stopped', 'started']);
    expect(node.outages.slice(0, 2)).toEqual(['unavailable', 'back']);
  });

  test('a node that starts meanwhile migrates and loads when it is back', async () => {
    await expect(startNode(proxiedUrl.replace(/:\d+\//, ':1/'))).rejects.toThrow(
      'PostgreSQL is not available: connect ECONNREFUSED 127.0.0.1:1',
    );
    const empty = await createPostgresDatabase({ empty: true });
    closing.push(empty.remove);
    proxy.refuse();
    const node = await startNode(proxy.urlOf(empty.url), { allowUnavailable: true });
    expect(node.handle.nodes.isAvailable).toBe(false);
    expect(await errorOf(readProperties(node))).toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    proxy.pass();
    await node.handle.nodes.whenAvailable();
    await addGoal(node, 'lead');
    await waitFor('the configuration', () => hasGoal(node, 'lead'));
    expect(node.outages.slice(0, 2)).toEqual(['unavailable', 'back']);
  });

  test('a connection that is lost while it is being set up is an outage too', async () => {
    proxy.answer('', (request) => request.includes('set statement_timeout'));
    expect(await errorOf(startNode(proxiedUrl))).toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    const node = await startNode(proxiedUrl, { allowUnavailable: true });
    proxy.pass();
    await node.handle.nodes.whenAvailable();
    await addGoal(node, 'lead');
  });

  test('a wrong password or database is an error at the start', async () => {
    const wrong = new URL(url);
    wrong.password = 'wrong';
    await expect(startNode(wrong.href, { allowUnavailable: true })).rejects.toThrow(
      'password authentication failed',
    );
    await expect(startNode(`${url}x`, { allowUnavailable: true })).rejects.toThrow('does not exist');
  });
});
