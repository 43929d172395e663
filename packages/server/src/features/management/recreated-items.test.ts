import { expectExactHistory } from '@switchyard/testing/configuration/exact-history';
import { SAMPLE } from '@switchyard/testing/fixtures/sample-property';
import { type Browser, newMember, ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { discard, startServer, type TestServer } from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databasePath, readDatabase } from '../../configuration/database/open-database.ts';

let server: TestServer;
let owner: Browser;
beforeAll(async () => {
  server = await startServer({ provision: SAMPLE, env: WITH_OWNER });
  owner = await ownerBrowser(server);
});
afterAll(() => discard(server));

const P = '/v1/manage/properties/shop';
const call = (method: string, path: string, version: number | undefined, body?: object) =>
  owner.call(method, path, {
    ...(body && { body }),
    headers: version === undefined ? {} : { 'if-match': `"${version}"` },
  });

test('a version of a deleted item does not stand for the one that was created in its place', async () => {
  const url = `${P}/goals/again`;
  expect((await call('PUT', url, undefined, { name: 'First', kind: 'count' })).body.version).toBe(1);
  expect((await call('DELETE', url, 1)).status).toBe(204);
  const created = await call('PUT', url, undefined, { name: 'Second', kind: 'count' });
  expect(created).toMatchObject({ status: 201, body: { version: 3 } });
  expect(created.headers.get('etag')).toBe('"3"');
  const late = await call('PATCH', url, 1, { name: 'Third' });
  expect(late).toMatchObject({ status: 412, body: { current: { name: 'Second' }, conflicts: [''] } });
  expect((await call('DELETE', url, 1)).status).toBe(412);
});

test('a version of a deleted property does not stand for the one that was created in its place', async () => {
  const create = () => owner.post('/v1/manage/properties', { id: 'again', name: 'Again' });
  expect((await create()).body.version).toBe(1);
  expect((await call('DELETE', '/v1/manage/properties/again', 1)).status).toBe(204);
  // Its events are deleted first.
  const created = await waitFor('the id', async () => {
    const response = await create();
    return response.status === 201 && response;
  });
  expect(created.body.version).toBe(3);
  expect(created.headers.get('etag')).toBe('"3"');
  expect((await call('DELETE', '/v1/manage/properties/again', 1)).status).toBe(412);
});

test('restoring the role of a member who was removed and added again keeps the history exact', async () => {
  const { accountId } = await newMember(owner, 'ann@shop.example', 'viewer');
  await newMember(owner, 'ben@shop.example', 'viewer');
  const url = `${P}/members/${accountId}`;
  expect((await owner.delete(url)).status).toBe(200);
  const added = await owner.call('PUT', url, { body: { role: 'admin' } });
  expect(added.status, added.text).toBeLessThan(300);
  const { body } = await owner.get(`${P}/history?entity=member&key=${accountId}`);
  const first = body.history.at(-1);
  const restored = await owner.post(`${P}/history/${first.id}/restore`, { state: 'after' });
  expect(restored.status, restored.text).toBe(200);
  const { members } = (await owner.get(`${P}/members`)).body;
  expect(members.map(({ role }: { role: string }) => role)).not.toContain('admin');
  await readDatabase({ path: databasePath(server.dataDir) }, (database) =>
    expectExactHistory(database, 'shop'),
  );
});
