import { rmSync } from 'node:fs';
import { storeWebhook } from '@switchyard/testing/configuration/stored-webhook';
import { SAMPLE } from '@switchyard/testing/fixtures/sample-property';
import { Shop } from '@switchyard/testing/fixtures/shop';
import { WebhookReceiver } from '@switchyard/testing/network/webhook-receiver';
import { applyProvision } from '@switchyard/testing/server/command-line';
import { startServer, type TestServer, temporaryDirectory } from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../packages/server/src/configuration/database/open-database.ts';
import { SeededRandom } from '../support/random.ts';

const KILLS = 3;

let receiver: WebhookReceiver;
let dataDir: string;
let server: TestServer | undefined;

beforeEach(async () => {
  receiver = await WebhookReceiver.open();
  dataDir = temporaryDirectory();
});
afterEach(async () => {
  await server?.stop('SIGKILL');
  await receiver.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(env: Record<string, string> = { WEBHOOK_ALLOW_PRIVATE: 'true' }): Promise<Shop> {
  server = await startServer({ dataDir, provision: SAMPLE, env });
  return new Shop(server);
}

/** Stores a webhook from another process, as the command line does. */
async function subscribe(...events: string[]): Promise<string> {
  const handle = await openDatabase(dataDir);
  try {
    const fields = events.length > 0 ? { events } : {};
    return (await storeWebhook(handle.database, { url: receiver.url, ...fields })).secret;
  } finally {
    await handle.close();
  }
}

const messages = () => receiver.received.map(({ body }) => JSON.parse(body).data.feedback.message as string);

test(`feedback reaches the webhook through ${KILLS} kills, always with the same id per entry`, async () => {
  const random = SeededRandom.forThisRun('webhooks');
  let shop = await start();
  const secret = await subscribe();
  const acknowledged: string[] = [];
  // Some requests are not answered, so that kills meet deliveries in every state.
  receiver.answer = (response) => {
    if (random.between(0, 2) > 0) response.writeHead(200).end();
  };
  for (let kill = 0; kill < KILLS; kill++) {
    const before = receiver.received.length;
    for (let n = 0; n < 5; n++) {
      const message = `entry ${kill}-${n}`;
      const { status } = await shop.submit({ feedbackTypeId: 'nps', message });
      if (status === 200) acknowledged.push(message);
    }
    await waitFor('a request to the webhook', () => receiver.received.length > before);
    await server!.stop('SIGKILL');
    if (kill === KILLS - 1) receiver.acceptAll();
    shop = await start();
  }
  await waitFor('every entry', () => acknowledged.every((message) => messages().includes(message)));
  await waitFor('the end of all deliveries', async () => {
    const handle = await openDatabase(dataDir);
    const pending = await handle.database
      .selectFrom('webhook_deliveries')
      .select('id')
      .where('state', '!=', 'delivered')
      .execute();
    await handle.close();
    return pending.length === 0;
  });
  expect(acknowledged).toHaveLength(KILLS * 5);
  const idOf = new Map<string, string>();
  for (const { headers, body } of receiver.received) {
    const { data } = new Verifier(secret).verify(body, headers as Record<string, string>) as {
      data: { feedback: { id: string } };
    };
    const id = headers['webhook-id'] as string;
    expect(idOf.get(data.feedback.id) ?? id).toBe(id);
    idOf.set(data.feedback.id, id);
  }
  expect(idOf.size).toBe(acknowledged.length);
  expect(await server!.stop()).toBe(0);
});

test('a server stops at once while a receiver does not respond, and refuses private addresses by default', async () => {
  const shop = await start();
  await subscribe();
  receiver.answer = () => {};
  await shop.submit({ feedbackTypeId: 'nps', message: 'hello' });
  await waitFor('the request', () => receiver.received.length === 1);
  expect(await server!.stop()).toBe(0);
  receiver.acceptAll();
  await start({});
  const handle = await openDatabase(dataDir);
  await waitFor('the refusal', async () => {
    const delivery = await handle.database
      .selectFrom('webhook_deliveries')
      .select(['last_error', 'state'])
      .executeTakeFirst();
    return delivery?.last_error === 'refused_address' && delivery.state === 'pending';
  });
  await handle.close();
  expect(receiver.received).toHaveLength(1);
});

test('running tests are evaluated for webhooks, and a stopped one once more', async () => {
  await start();
  await subscribe('verdict.changed');
  const handle = await openDatabase(dataDir);
  const evaluated = (status: string) =>
    waitFor(`the look at the ${status} test`, () =>
      handle.database
        .selectFrom('webhook_test_states')
        .innerJoin('split_tests', 'split_tests.id', 'webhook_test_states.split_test_id')
        .select(['key', 'phase', 'webhook_test_states.status', 'webhook_test_states.decision', 'healthy'])
        .where('webhook_test_states.status', '=', status)
        .executeTakeFirst(),
    );
  expect(await evaluated('running')).toMatchObject({
    key: 'hero',
    phase: 1,
    decision: 'collecting',
    healthy: 1,
  });
  const stopped = { properties: [{ id: 'shop', splitTests: [{ key: 'hero', status: 'stopped' }] }] };
  await applyProvision(server!, stopped);
  expect(await evaluated('stopped')).toMatchObject({ key: 'hero', phase: 1 });
  await handle.close();
});
