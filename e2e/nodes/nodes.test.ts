import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPostgresDatabase } from '@switchyard/testing/configuration/databases';
import { PUBLIC_KEY } from '@switchyard/testing/fixtures/sample-property';
import { Shop } from '@switchyard/testing/fixtures/shop';
import { WebhookReceiver } from '@switchyard/testing/network/webhook-receiver';
import { ownerBrowser } from '@switchyard/testing/server/browser';
import { switchyard } from '@switchyard/testing/server/command-line';
import { bodyOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { discard, type TestServer } from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canRunNodes, metric, TestNodes, until } from '../support/nodes.ts';

describe.skipIf(!canRunNodes())('nodes', () => {
  let database: { url: string; remove: () => Promise<void> };
  let receiver: WebhookReceiver;
  let nodes: TestNodes;
  let servers: TestServer[];
  let shops: [Shop, Shop, Shop];
  let manager: PropertyManager;

  beforeAll(async () => {
    database = await createPostgresDatabase({ empty: true });
    receiver = await WebhookReceiver.open();
    nodes = await TestNodes.open({ databaseUrl: database.url });
    await nodes.start(10);
    servers = nodes.servers;
    manager = new PropertyManager(await ownerBrowser(servers[0]!));
  });
  afterAll(async () => {
    await nodes?.close();
    await receiver?.close();
    await database?.remove();
  });

  const config = (server: TestServer, key: string) =>
    server.send('GET', '/v1/split-testing/config?propertyId=shop', { key });

  test('set up an empty database once, although ten of them start at once', async () => {
    for (const server of servers) expect((await config(server, PUBLIC_KEY)).status).toBe(200);
    const leaders = await waitFor('a leader', async () => {
      const all = await Promise.all(servers.map((server) => metric(server, 'switchyard_leader')));
      return all.includes(1) && all;
    });
    expect(leaders.filter((leads) => leads === 1)).toHaveLength(1);
    const { history } = await manager.read('/history?limit=100');
    const created = history.filter((entry: { action: string }) => entry.action === 'create');
    const entities = created.map(({ entity }: { entity: object }) => JSON.stringify(entity));
    expect(new Set(entities).size).toBe(entities.length);
    expect(await manager.read('/keys')).toMatchObject({ keys: { length: 2 } });
    // Three are enough for the other tests.
    await Promise.all(servers.splice(3).map(discard));
    shops = servers.map((server) => new Shop(server)) as typeof shops;
  });

  test('all see a change of one, and a deleted key', async () => {
    const { key } = bodyOf(await manager.post('/keys', { kind: 'public', name: 'spare' }), 201);
    const all = async (status: number) =>
      (await Promise.all(servers.map((server) => config(server, key.key ?? key)))).every(
        (response) => response.status === status,
      );
    await waitFor('the new key on all nodes', () => all(200));
    const { keys } = await manager.read('/keys');
    const { id } = keys.find(({ name }: { name: string }) => name === 'spare');
    const deleted = await manager.delete(`/keys/${id}`);
    expect(deleted.status, deleted.text).toBeLessThan(300);
    await waitFor('the end of the key on all nodes', () => all(401));
    bodyOf(
      await manager.patch(
        '/flags/banner',
        { defaultValue: 'changed', environments: { production: null } },
        '*',
      ),
    );
    await waitFor('the change on all nodes', async () => {
      const values = await Promise.all(
        shops.map(
          async (shop) => (await shop.evaluate({ context: { userId: 'u' } })).body.flags.banner.value,
        ),
      );
      return values.every((value) => value === 'changed');
    });
  });

  test('count an Idempotency-Key once, and notice what the others have stored', async () => {
    const [first, second, third] = shops;
    // Cached on the second node.
    const before = await second.results('hero');
    expect(before.variations.map(({ exposures }: { exposures: number }) => exposures)).toEqual([0, 0]);
    const flags = () => second.evaluate({ context: { sessionId: 's-1' }, flagKeys: ['new-checkout'] });
    expect((await flags()).status).toBe(200);

    const key = { 'idempotency-key': 'order-1' };
    const conversion = { goalId: 'signup', sessionId: 's-1' };
    for (const shop of shops) expect((await shop.increment(conversion, key)).status).toBe(200);
    const feedback = { feedbackTypeId: 'nps', sessionId: 's-1', option: 'good', message: 'once' };
    for (const shop of shops)
      expect((await shop.submit(feedback, { 'idempotency-key': 'answer-1' })).status).toBe(200);
    await first.expose({ splitTestKey: 'hero', variationKey: 'b', sessionId: 's-1' });
    await third.collect({ sessionId: 's-1', visitorId: 'v-1', userId: 'u-1' });
    await nodes.stored();
    await until(async () => {
      const { body } = await second.get('/v1/split-testing/results', { splitTestKey: 'hero' });
      return body.variations?.[1].exposures === 1;
    });
    await until(async () => {
      const { sessions = [] } = (await second.get('/v1/sessions')).body;
      return sessions[0]?.visitorId === 'v-1' && sessions[0].userId === 'u-1';
    });
    expect((await second.sessions()).sessions[0]).toMatchObject({
      goals: [{ goalId: 'signup', count: 1 }],
      feedback: 1,
    });
    for (const shop of shops) {
      expect((await shop.progress('signup')).current).toMatchObject({ total: 1, count: 1 });
    }
  });

  test('send each webhook once, also after the leader is gone', async () => {
    const hook = { url: receiver.url, events: ['feedback.submitted'], enabled: true };
    const saved = await manager.put('/webhooks/hook', hook);
    expect(saved.status, saved.text).toBeLessThan(300);
    const messages = () =>
      receiver.received.map(({ body }) => JSON.parse(body).data.feedback.message as string);
    for (const [i, shop] of shops.entries())
      await shop.submit({ feedbackTypeId: 'nps', message: `before ${i}` });
    await until(() => messages().length >= 3);
    const leading = await Promise.all(servers.map((server) => metric(server, 'switchyard_leader')));
    const leader = leading.indexOf(1);
    await servers[leader]!.stop('SIGKILL');
    const others = shops.filter((_shop, index) => index !== leader);
    for (const [i, shop] of others.entries())
      await shop.submit({ feedbackTypeId: 'nps', message: `after ${i}` });
    await until(() => messages().length >= 5);
    shops[leader] = new Shop(await nodes.restart(leader));
    await shops[leader].submit({ feedbackTypeId: 'nps', message: 'restarted' });
    await until(() => messages().includes('restarted'));
    expect(messages().sort()).toEqual([
      'after 0',
      'after 1',
      'before 0',
      'before 1',
      'before 2',
      'restarted',
    ]);
  });

  test('give the results of a test whose rule was changed without PostgreSQL, but not who did it', async () => {
    const [shop] = shops;
    const owner = new PropertyManager(await ownerBrowser(shop.server));
    const variations = ['control', 'b'].map((key) => ({ key, weight: 1 }));
    const ruled = { type: 'id', variations, goals: ['signup'], smallestEffect: 0.02 };
    bodyOf(await owner.put('/split-tests/ruled', ruled), 201);
    bodyOf(await owner.post('/split-tests/ruled/start'));
    bodyOf(await owner.patch('/split-tests/ruled', { smallestEffect: 0.1 }, '*'));
    const ruleNow = async () => (await shop.results('ruled')).decisionRule;
    const known = await ruleNow();
    const { at, by, ...change } = known.changes[0];
    expect([at, by]).toEqual([expect.any(Number), expect.any(String)]);
    nodes.postgres.refuse();
    expect(await ruleNow()).toEqual({
      ...known,
      changes: [{ ...change, at: null }],
      incomplete: 'When this was changed, and by whom, is in the history, which cannot be read at present.',
    });
    const { body: bundle } = await shop.get('/v1/split-testing/results/export', { splitTestKey: 'ruled' });
    expect(bundle.decisionRule.incomplete).toMatch(/cannot be read/);
    const file = join(shop.server.dataDir, 'bundle.json');
    writeFileSync(file, JSON.stringify(bundle));
    expect(await switchyard(shop.server, 'verify', file)).toMatchObject({ code: 0 });
    nodes.postgres.pass();
    await waitFor('the history', async () => !('incomplete' in (await ruleNow())));
    expect(await ruleNow()).toEqual(known);
  });

  test('stop without losing what they have', async () => {
    for (const server of servers) expect(await server.stop(), server.log).toBe(0);
  });
});
