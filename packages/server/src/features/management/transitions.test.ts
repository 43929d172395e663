import { closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, errorOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { afterAll, beforeAll, expect, it } from 'vitest';

let shop: Shop;
let manager: PropertyManager;
beforeAll(async () => {
  shop = await openShop({ env: WITH_OWNER });
  manager = new PropertyManager(await ownerBrowser(shop.server));
});
afterAll(() => closeShop(shop));

const VARIATIONS = [
  { key: 'a', weight: 1 },
  { key: 'b', weight: 1 },
];

async function newTest(key: string, fields: object = {}) {
  return bodyOf(
    await manager.put(`/split-tests/${key}`, { type: 'id', variations: VARIATIONS, ...fields }),
    201,
  );
}

const act = (key: string, action: string, body?: object) =>
  manager.post(`/split-tests/${key}/${action}`, body);

it('leads a split test through its life', async () => {
  expect((await newTest('life')).status).toBe('draft');
  const started = await act('life', 'start');
  expect(bodyOf(started)).toMatchObject({ status: 'running', version: 2, phases: [{}] });
  expect(started.headers.get('etag')).toBe('"2"');
  expect(bodyOf(await act('life', 'pause')).status).toBe('paused');
  expect(bodyOf(await act('life', 'resume')).status).toBe('running');
  const decision = { outcome: 'ship', reason: 'Better' };
  const stopped = bodyOf(await act('life', 'stop', { winner: 'b', decision }));
  expect(stopped).toMatchObject({ status: 'stopped', winner: 'b', decision });
  expect(stopped.decision.decidedAt).toEqual(expect.any(Number));
  expect(bodyOf(await act('life', 'archive')).status).toBe('archived');
  const entries = await manager.history('?entity=split-test&key=life');
  expect(entries).toHaveLength(6);
  expect(entries[1].summary.join()).toMatch(/stopped/);
});

it.each<[string, string[], string[], string[]]>([
  ['draft', [], ['pause', 'resume', 'stop'], ['start', 'archive']],
  ['running', ['start'], ['start', 'resume', 'archive'], ['pause', 'stop']],
  ['paused', ['start', 'pause'], ['start', 'pause', 'archive'], ['resume', 'stop']],
  ['stopped', ['start', 'stop'], ['start', 'pause', 'resume', 'stop'], ['archive']],
  ['archived', ['archive'], ['start', 'pause', 'resume', 'stop', 'archive'], []],
])('%s: says what is possible instead', async (status, actions, refused, allowed) => {
  await newTest(`from-${status}`);
  for (const action of actions) bodyOf(await act(`from-${status}`, action));
  for (const action of refused) {
    const error = errorOf(await act(`from-${status}`, action), 409, 'transition_not_allowed');
    expect(error.allowed).toEqual(allowed);
    expect(error.detail).toContain(status);
  }
  expect((await manager.read(`/split-tests/from-${status}`)).status).toBe(status);
});

it('refuses a wrong winner, a wrong version and an unknown test', async () => {
  await newTest('wrong', { status: 'running' });
  const winner = errorOf(await act('wrong', 'stop', { winner: 'z' }), 400, 'invalid_request');
  expect(winner.errors).toEqual([expect.objectContaining({ pointer: '/winner' })]);
  errorOf(await act('wrong', 'stop', { winners: 'a' }), 400, 'invalid_request');
  const headers = { 'if-match': '"7"' };
  const stale = await manager.post('/split-tests/wrong/stop', {}, headers);
  expect(errorOf(stale, 412, 'version_conflict').current.key).toBe('wrong');
  errorOf(await act('missing', 'start'), 404, 'split_test_not_found');
});

it('a status in a body follows the same rules', async () => {
  await newTest('by-body');
  bodyOf(await manager.patch('/split-tests/by-body', { status: 'running' }, 1));
  bodyOf(await manager.patch('/split-tests/by-body', { status: 'stopped' }, 2));
  const refused = await manager.patch('/split-tests/by-body', { status: 'running' }, 3);
  expect([400, 409], refused.text).toContain(refused.status);
});
