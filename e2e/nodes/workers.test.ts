import { PUBLIC_KEY, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { sampleWith } from '@switchyard/testing/fixtures/shop';
import { EventStream } from '@switchyard/testing/network/event-stream';
import { OWNER, WITH_OWNER } from '@switchyard/testing/server/browser';
import { discard, startServer, type TestServer } from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectToBoth, type WorkerConnection } from '../support/worker-connections.ts';

const PER_ADDRESS = 20;
const BURST = 5 * PER_ADDRESS;

const forUser = (userId: string) => ({
  key: 'for-user',
  name: 'For one user',
  type: 'boolean',
  defaultValue: false,
  environments: {
    production: {
      enabled: true,
      value: false,
      rules: [
        {
          id: 'user',
          conditions: [{ attribute: 'userId', operator: 'equals', values: [userId] }],
          value: true,
        },
      ],
    },
  },
});

let server: TestServer;
let one: WorkerConnection;
let two: WorkerConnection;
beforeAll(async () => {
  server = await startServer({
    provision: sampleWith({ flags: [forUser('ada')] }),
    env: {
      WORKERS: '2',
      RATE_LIMIT_PER_SECOND: '1000000',
      RATE_LIMIT_PER_ADDRESS: String(PER_ADDRESS),
      TRUST_PROXY: '1',
      ...WITH_OWNER,
    },
  });
  [one, two] = await connectToBoth(server.url);
});
afterAll(async () => {
  one?.close();
  two?.close();
  await discard(server);
});

/** The limit per address is low, so each test has its own. */
const from = (address: string) => ({ 'x-forwarded-for': address });

/** A request with the secret key that must succeed. */
async function call(worker: WorkerConnection, path: string, body: object, headers = {}) {
  const response = await worker.send('POST', path, {
    key: SECRET_KEY,
    body: { propertyId: 'shop', ...body },
    headers,
  });
  expect(response.status, response.text).toBe(200);
  return response.body;
}

async function get(worker: WorkerConnection, path: string) {
  const response = await worker.send('GET', path, { key: SECRET_KEY });
  expect(response.status, response.text).toBe(200);
  return response.body;
}

const signups = async (worker: WorkerConnection) =>
  (await get(worker, '/v1/goals/progress?propertyId=shop&goalId=signup')).current.total;

describe('what one worker has acknowledged, the other one knows', () => {
  test('goals, also in reports that it has computed before', async () => {
    const exposures = async (worker: WorkerConnection) => {
      const path = '/v1/split-testing/results?propertyId=shop&splitTestKey=hero';
      const { variations } = await get(worker, path);
      return variations.reduce((sum: number, it: { exposures: number }) => sum + it.exposures, 0);
    };
    for (let i = 0; i < 10; i++) {
      const [writer, reader] = i % 2 === 0 ? [one, two] : [two, one];
      expect(await exposures(reader)).toBe(i);
      const exposed = await writer.send('POST', '/v1/split-testing/expose', {
        key: PUBLIC_KEY,
        body: {
          propertyId: 'shop',
          exposures: [{ splitTestKey: 'hero', variationKey: 'b', sessionId: `exposed-${i}` }],
        },
        headers: from('192.0.2.1'),
      });
      expect(exposed.status, exposed.text).toBe(200);
      expect(await exposures(reader)).toBe(i + 1);
      await call(writer, '/v1/goals/increment', { goalId: 'signup', sessionId: `exposed-${i}` });
      expect(await signups(reader)).toBe(i + 1);
    }
  });

  test('the user of a session that it remembers', async () => {
    const isAda = async (worker: WorkerConnection) => {
      const body = { context: { sessionId: 'shared' }, flagKeys: ['for-user'] };
      return (await call(worker, '/v1/flags/evaluate', body)).flags['for-user'].value;
    };
    const users = ['bob', 'ada', 'eve', 'ada', 'bob', 'ada'];
    for (const [i, userId] of users.entries()) {
      const [writer, reader] = i % 2 === 0 ? [one, two] : [two, one];
      const collected = await writer.send('POST', '/v1/sessions/collect', {
        key: PUBLIC_KEY,
        body: { propertyId: 'shop', sessionId: 'shared', visitorId: 'visitor', userId },
        headers: from('192.0.2.2'),
      });
      expect(collected.status, collected.text).toBe(200);
      expect(await isAda(reader), `request ${i}`).toBe(userId === 'ada');
      expect(await isAda(writer), `request ${i}`).toBe(userId === 'ada');
    }
  });

  test('an idempotency key', async () => {
    const before = await signups(one);
    const body = { goalId: 'signup', sessionId: 'retried' };
    for (const worker of [one, two, one]) {
      await call(worker, '/v1/goals/increment', body, { 'idempotency-key': 'retried' });
    }
    expect(await signups(two)).toBe(before + 1);
    const reused = await two.send('POST', '/v1/goals/increment', {
      key: SECRET_KEY,
      body: { propertyId: 'shop', ...body, sessionId: 'other' },
      headers: { 'idempotency-key': 'retried' },
    });
    expect(reused.status).toBe(422);
  });

  test('an account and its changes, which reach the streams of both', async () => {
    const signedIn = await one.send('POST', '/v1/manage/sign-in', { body: OWNER });
    expect(signedIn.status, signedIn.text).toBe(200);
    const headers = { cookie: signedIn.headers['set-cookie']![0]!.split(';')[0]!, origin: server.url };
    const path = '/v1/manage/properties/shop/flags/banner';
    const stream = `${server.url}/v1/flags/stream?propertyId=shop`;
    // Connections are distributed in turn.
    const streams = await Promise.all(
      [1, 2].map(() => EventStream.open(stream, { 'x-api-key': SECRET_KEY })),
    );
    const banner = async (worker: WorkerConnection) =>
      (await call(worker, '/v1/flags/evaluate', { context: {}, flagKeys: ['banner'] })).flags.banner.value;
    for (const [i, value] of ['summer', 'autumn', 'winter', 'spring'].entries()) {
      const [writer, reader] = i % 2 === 0 ? [one, two] : [two, one];
      const body = { environments: { production: { enabled: true, value, rules: [] } } };
      const changed = await writer.send('PATCH', path, { body, headers: { ...headers, 'if-match': '*' } });
      expect(changed.status, changed.text).toBe(200);
      expect(await banner(reader)).toBe(value);
      expect((await reader.send('GET', path, { headers })).body.environments.production.value).toBe(value);
    }
    for (const { events } of streams) {
      await waitFor('the changes', () => events.filter(({ event }) => event === 'change').length >= 4);
    }
    for (const opened of streams) opened.close();
    const { cookie } = headers;
    const managed = await Promise.all(
      [1, 2].map(() => EventStream.open(`${server.url}/v1/manage/properties/shop/stream`, { cookie })),
    );
    expect((await two.send('POST', '/v1/manage/sign-out', { headers })).status).toBe(200);
    // What was sent before that response arrives before a few others.
    for (let i = 0; i < 20; i++) await one.send('GET', '/healthz');
    expect(managed.map(({ ended }) => ended)).toEqual([true, true]);
    expect((await one.send('GET', path, { headers })).status).toBe(401);
  });
});

describe('limits count the requests of all workers', () => {
  test('per address', async () => {
    const startedAt = performance.now();
    const config = (worker: WorkerConnection) =>
      worker.send('GET', '/v1/split-testing/config?propertyId=shop', {
        key: PUBLIC_KEY,
        headers: from('192.0.2.3'),
      });
    const statuses: number[] = [];
    const client = async (worker: WorkerConnection) => {
      for (let i = 0; i < 2 * BURST; i++) statuses.push((await config(worker)).status);
    };
    await Promise.all([client(one), client(two)]);
    const refilled = (PER_ADDRESS * (performance.now() - startedAt)) / 1000;
    const allowed = statuses.filter((status) => status === 200).length;
    // Workers may keep tokens for a tenth of a second.
    expect(allowed).toBeLessThanOrEqual(BURST + refilled + PER_ADDRESS / 10 + 1);
    expect(allowed).toBeGreaterThanOrEqual(0.75 * BURST);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
  });

  test('of failed attempts to sign in', async () => {
    const body = { email: 'nobody@shop.example', password: 'wrong password' };
    const statuses: number[] = [];
    const headers = from('192.0.2.100');
    // Ten are free, then each has to wait twice as long as the one before. Workers that count alone allow twenty.
    for (let i = 0; i < 16; i++) {
      const { status } = await (i % 2 === 0 ? one : two).send('POST', '/v1/manage/sign-in', {
        body,
        headers,
      });
      statuses.push(status);
    }
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(401));
    expect(statuses).toContain(429);
  });
});

test('metrics of both workers are added up, whoever is asked', async () => {
  const read = async (worker: WorkerConnection) => {
    const { text } = await worker.send('GET', '/metrics');
    const value = (name: string) =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${name} `))
          ?.split(' ')
          .at(-1),
      );
    return {
      conversions: value('switchyard_events_total{kind="conversion"}'),
      increments: value(
        'switchyard_http_request_duration_seconds_count{method="POST",route="/v1/goals/increment",status="200"}',
      ),
      workers: value('switchyard_workers'),
      damaged: value('switchyard_storage_damaged'),
    };
  };
  const before = await read(one);
  for (let i = 0; i < 6; i++) {
    await call(i % 2 === 0 ? one : two, '/v1/goals/increment', { goalId: 'signup' });
  }
  const expected = {
    conversions: before.conversions + 6,
    increments: before.increments + 6,
    workers: 2,
    damaged: 0,
  };
  expect(await read(one)).toEqual(expected);
  expect(await read(two)).toEqual(expected);
  expect((await two.send('GET', '/readyz')).body).toMatchObject({ status: 'ready' });
});
