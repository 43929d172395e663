import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, errorOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { storedTraces, uniqueText } from '@switchyard/testing/server/stored-traces';
import {
  discard,
  type StartOptions,
  startServer,
  type TestServer,
} from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterEach, expect, test } from 'vitest';
import { switchyard } from '../support/command-line.ts';

let server: TestServer;
afterEach(() => discard(server));

const keyOf = (kind: 'public' | 'secret', propertyId: string) =>
  `service_${kind === 'public' ? 'pub' : 'sec'}_0123456789abcdef${propertyId}`;

const property = (id: string, goalId: string) => ({
  id,
  apiKeys: (['public', 'secret'] as const).map((kind) => ({ kind, name: kind, key: keyOf(kind, id) })),
  goals: [{ id: goalId, kind: 'count' }],
  feedbackTypes: [{ id: 'nps', textInput: true }],
});

const provisionOf = (...properties: object[]) => ({ properties });

const start = async (options: StartOptions) => {
  server = await startServer({ env: WITH_OWNER, ...options });
  return ownerBrowser(server);
};

/** Sends four events and notes on one of them; returns texts that only these contain. */
async function visit(propertyId: string, goalId: string, owner: Browser): Promise<string[]> {
  const [sessionId, visitorId, message, idempotencyKey, notes] = Array.from({ length: 5 }, uniqueText);
  // Not so long that it is masked as a token.
  const url = uniqueText().slice(0, 20);
  const send = async (kind: 'public' | 'secret', path: string, fields: object, headers = {}) => {
    const key = keyOf(kind, propertyId);
    const response = await server.send('POST', path, { key, body: { propertyId, ...fields }, headers });
    expect(response.status, response.text).toBe(200);
    return response.body;
  };
  await send('public', '/v1/sessions/collect', {
    sessionId,
    visitorId,
    events: [{ type: 'pageview', url: `https://shop.example/${url}` }],
  });
  const once = { 'idempotency-key': idempotencyKey };
  await send('secret', '/v1/goals/increment', { goalId, metadata: { message } }, once);
  await send('secret', '/v1/goals/increment', { goalId, sessionId });
  await send('secret', '/v1/feedback/submit', { feedbackTypeId: 'nps', message });
  // Queries load what is journalled, so that it is in both files.
  const page = await server.send('GET', `/v1/feedback?propertyId=${propertyId}`, {
    key: keyOf('secret', propertyId),
  });
  const [{ id: feedbackId }] = page.body.feedback;
  const noted = await owner.patch(`/v1/manage/properties/${propertyId}/feedback/${feedbackId}`, { notes });
  expect(noted.status, noted.text).toBe(200);
  return [sessionId, visitorId, url, message, notes] as string[];
}

const deletionsOf = async (owner: Browser) =>
  bodyOf(await owner.get('/v1/manage/property-deletions')).deletions;

const finishedDeletion = (owner: Browser, propertyId: string) =>
  waitFor('the deletion of the events', async () => {
    const [deletion] = (await deletionsOf(owner)).filter(
      (it: { propertyId: string }) => it.propertyId === propertyId,
    );
    return deletion?.state === 'done' && deletion;
  });

test('deleting a property deletes its events from all files, and says how many', async () => {
  const [goalId, keptGoal] = [uniqueText(), 'signup'];
  const owner = await start({ provision: provisionOf(property('gone', goalId), property('kept', keptGoal)) });
  const traces = await visit('gone', goalId, owner);
  const kept = await visit('kept', keptGoal, owner);
  // Makes sure that the search works.
  for (const trace of traces) expect(storedTraces(server.dataDir, [trace]), trace).not.toEqual([]);

  const gone = new PropertyManager(owner, 'gone');
  const planned = bodyOf(await gone.delete('?dryRun=true', '*'));
  expect(planned.events).toBe(4);
  expect(planned.warnings[0]).toBe(
    'Deletes the property "gone" with all its items and 4 events; its history stays.',
  );
  expect(await deletionsOf(owner)).toEqual([]);
  // A rewrite starts by deleting the leftover file of an earlier one; a directory in its place makes that fail.
  const obstacle = join(server.dataDir, 'events.duckdb.rewrite');
  mkdirSync(join(obstacle, 'in-the-way'), { recursive: true });
  expect((await gone.delete('', '*')).status).toBe(204);

  const [deletion] = await deletionsOf(owner);
  expect(deletion).toMatchObject({ propertyId: 'gone', state: 'pending', remaining: 4, rows: null });
  const again = errorOf(
    await owner.post('/v1/manage/properties', { id: 'gone' }),
    409,
    'property_being_deleted',
  );
  expect(again.error.message).toMatch(/still being deleted/);
  const refused = await server.send('POST', '/v1/goals/increment', {
    key: keyOf('secret', 'gone'),
    body: { propertyId: 'gone', goalId },
  });
  expect(refused.status).toBe(401);
  const file = join(server.dataDir, 'provision.json');
  const applied = await switchyard(['apply', file], { env: { DATA_DIR: server.dataDir } });
  expect(applied.code).toBe(1);
  expect(applied.output).toMatch(/properties\/0\/id is the id of a deleted property whose events are still/);
  rmSync(obstacle, { recursive: true });

  expect(await finishedDeletion(owner, 'gone')).toMatchObject({ rows: 4, remaining: 0, error: null });
  expect(storedTraces(server.dataDir, traces)).toEqual([]);
  for (const trace of kept) expect(storedTraces(server.dataDir, [trace]), trace).not.toEqual([]);
  // The history names the goal; the event store does not.
  const withGoal = storedTraces(server.dataDir, [goalId]).map((place) => place.split(':')[0]);
  expect(withGoal.filter((file) => !/^config\.db|^provision/.test(file!))).toEqual([]);

  bodyOf(await owner.post('/v1/manage/properties', { id: 'gone' }), 201);
  expect(bodyOf(await gone.delete('?dryRun=true', '*')).events).toBe(0);
  expect(await server.stop()).toBe(0);
  expect(storedTraces(server.dataDir, traces)).toEqual([]);
});

test('the deletion survives kill -9, also of the only property, and its id in the provision file', async () => {
  const provision = provisionOf(property('only', 'signup'));
  const owner = await start({ provision });
  const traces = await visit('only', 'signup', owner);
  expect((await new PropertyManager(owner, 'only').delete('', '*')).status).toBe(204);
  await server.stop('SIGKILL');

  // Started with the file: the property cannot be created yet, but the server has to start to delete its events.
  const { dataDir } = server;
  const second = await start({ dataDir, provision });
  expect(server.log).toMatch(/skipped a property of the provision file/);
  expect(bodyOf(await second.get('/v1/manage/properties')).properties).toEqual([]);
  await server.stop('SIGKILL');

  const third = await start({ dataDir });
  await finishedDeletion(third, 'only');
  expect(storedTraces(dataDir, traces)).toEqual([]);
  await server.stop();
  await start({ dataDir, provision });
  expect(server.log).not.toMatch(/skipped a property/);
});
