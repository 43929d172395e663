import { createPostgresDatabase, hasPostgres } from '@switchyard/testing/configuration/databases';
import { SAMPLE } from '@switchyard/testing/fixtures/sample-property';
import { EventStream } from '@switchyard/testing/network/event-stream';
import { freePort } from '@switchyard/testing/network/free-port';
import { type Browser, newMember, ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { switchyardWith } from '@switchyard/testing/server/command-line';
import { bodyOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { discard, startServer, type TestServer } from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** ClickHouse is unavailable, which streams do not need. */
describe.skipIf(!hasPostgres())('a stream on one node ends when its access ends on another', () => {
  let database: { url: string; remove: () => Promise<void> };
  let one: TestServer;
  let two: TestServer;
  let owner: PropertyManager;

  beforeAll(async () => {
    database = await createPostgresDatabase();
    const env = {
      DATABASE_URL: database.url,
      CLICKHOUSE_URL: `http://127.0.0.1:${await freePort()}/events`,
      ...WITH_OWNER,
    };
    one = await startServer({ provision: SAMPLE, env });
    two = await startServer({ env });
    owner = new PropertyManager(await ownerBrowser(one));
  });
  afterAll(async () => {
    await discard(one);
    await discard(two);
    await database?.remove();
  });

  /** Tries again until the other node knows the key or member. */
  async function open(path: string, headers: Record<string, string>): Promise<EventStream> {
    return waitFor('the stream', async () => {
      const stream = await EventStream.open(two.url + path, headers);
      if (stream.response.statusCode === 200) return stream;
      stream.close();
      return undefined;
    });
  }

  const openManaged = ({ cookieHeader }: Browser) => open(`${owner.url}/stream`, { cookie: cookieHeader });

  async function expectEnd(name: string, stream: EventStream): Promise<void> {
    const startedAt = performance.now();
    await waitFor(name, () => stream.ended);
    console.info(`${name}: ${Math.round(performance.now() - startedAt)} ms`);
  }

  test('a session, a member, a key, and an account that is disabled by a command', async () => {
    const { browser, accountId } = await newMember(owner.browser, 'ada@shop.example', 'viewer');
    const ofMember = await openManaged(browser);
    const { id, key } = bodyOf(await owner.post('/keys', { kind: 'secret', name: 'brief' }), 201);
    const ofKey = await open('/v1/flags/stream?propertyId=shop', { 'x-api-key': key });
    const other = await openManaged(owner.browser);

    expect((await owner.delete(`/keys/${id}`)).status).toBe(204);
    await expectEnd('a deleted key', ofKey);
    bodyOf(await owner.delete(`/members/${accountId}`));
    await expectEnd('a removed member', ofMember);

    const bob = await newMember(owner.browser, 'bob@shop.example', 'viewer');
    const signedOut = await openManaged(bob.browser);
    bodyOf(await bob.browser.post('/v1/manage/sign-out'));
    await expectEnd('an ended session', signedOut);
    bodyOf(await bob.browser.signIn('bob@shop.example', bob.password));
    const disabled = await openManaged(bob.browser);
    const settings = { DATA_DIR: one.dataDir, DATABASE_URL: database.url };
    const result = await switchyardWith(settings, 'users', 'disable', '--email', 'bob@shop.example');
    expect(result.code, result.stderr).toBe(0);
    await expectEnd('a disabled account', disabled);
    expect(other.ended).toBe(false);
    other.close();
  });

  test('without waiting for the checks of its own, which each take up to 10 seconds', async () => {
    const { browser, password } = await newMember(owner.browser, 'cid@shop.example', 'viewer');
    const other = await openManaged(owner.browser);
    for (let i = 0; i < 5; i++) {
      const stream = await openManaged(browser);
      bodyOf(await browser.post('/v1/manage/sign-out'));
      await waitFor('an ended session', () => stream.ended);
      bodyOf(await browser.signIn('cid@shop.example', password));
    }
    // One every 15 seconds: with those checks alone, there would be several by now.
    expect(other.heartbeats).toBeLessThanOrEqual(1);
    other.close();
  });
});
