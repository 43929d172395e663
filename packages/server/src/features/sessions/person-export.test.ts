import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accepted, closeShop, expectProblem, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { newMember, ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { switchyardWith } from '@switchyard/testing/server/command-line';
import { PropertyManager } from '@switchyard/testing/server/property-manager';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, expect, test } from 'vitest';

type Body = TestResponse['body'];

/** More than a page of a timeline. */
const EVENTS = 1201;

let shop: Shop;
let manager: PropertyManager;
let scratch: string;
beforeAll(async () => {
  shop = await openShop({ env: WITH_OWNER });
  manager = new PropertyManager(await ownerBrowser(shop.server));
  scratch = mkdtempSync(join(tmpdir(), 'switchyard-person-'));
  const events = Array.from({ length: 50 }, () => ({ type: 'event', name: 'scroll' }));
  const many = Array.from({ length: (EVENTS - 1) / 50 }, () =>
    shop.collect({ sessionId: 'long', visitorId: 'ann-phone', userId: 'ann', events }),
  );
  await accepted(
    ...many,
    shop.collect({
      sessionId: 'long',
      visitorId: 'ann-phone',
      attributes: { plan: 'pro' },
      events: [{ type: 'pageview', url: 'https://shop.example/', title: 'Home' }],
    }),
    shop.collect({ sessionId: 'before', visitorId: 'ann-phone' }),
    shop.collect({ sessionId: 'other', visitorId: 'bob' }),
    shop.expose({ splitTestKey: 'hero', variationKey: 'b', sessionId: 'before', timestamp: Date.now() }),
    shop.increment({ goalId: 'revenue', sessionId: 'before', amount: 9.9, metadata: { order: '7' } }),
    shop.submit({ feedbackTypeId: 'nps', option: 'good', message: 'thanks', sessionId: 'before' }),
    shop.submit({ feedbackTypeId: 'nps', option: 'bad', message: 'not hers', sessionId: 'other' }),
  );
  const { feedback } = await shop.feedback({ sessionId: 'before' });
  const noted = await manager.patch(`/feedback/${feedback[0].id}`, { status: 'done', notes: 'called back' });
  expect(noted.status, noted.text).toBe(200);
});
afterAll(async () => {
  await closeShop(shop);
  rmSync(scratch, { recursive: true, force: true });
});

function expectAnn(file: Body, person: object): void {
  expect(file).toMatchObject({
    format: 'switchyard-person',
    version: 1,
    propertyId: 'shop',
    person,
    exportedAt: expect.any(Number),
    visitors: ['ann-phone'],
  });
  expect(file.sessions.map(({ sessionId }: Body) => sessionId)).toEqual(['before', 'long']);
  const [before, long] = file.sessions;
  const entries = (type: string) => before.timeline.filter((entry: Body) => entry.type === type);
  expect(entries('exposure')).toMatchObject([{ splitTestKey: 'hero', variationKey: 'b' }]);
  expect(entries('goal')).toMatchObject([{ goalId: 'revenue', amount: 9.9, metadata: { order: '7' } }]);
  expect(entries('feedback')).toMatchObject([{ message: 'thanks' }]);
  expect(before.feedbackStates).toMatchObject([{ status: 'done', notes: 'called back' }]);
  expect(long.timeline).toHaveLength(EVENTS);
  expect(long).toMatchObject({ attributes: { plan: 'pro' }, userId: 'ann', feedbackStates: [] });
  const banner = file.flags.find(
    (flag: Body) => flag.flagKey === 'banner' && flag.environment === 'production',
  );
  expect(banner).toMatchObject({ value: expect.anything(), reason: expect.any(String) });
  expect(JSON.stringify(file)).not.toMatch(/not hers|"bob"/);
}

test('the endpoint streams everything about a user, and their visitors', async () => {
  const response = await manager.get('/person?userId=ann');
  expect(response.status, response.text).toBe(200);
  expect(response.headers.get('content-disposition')).toMatch(/attachment/);
  expectAnn(response.body, { userId: 'ann' });
});

test('of a session only the session, and of nobody nothing', async () => {
  const session = await manager.read('/person?sessionId=before');
  expect(session.visitors).toEqual([]);
  expect(session.sessions.map(({ sessionId }: Body) => sessionId)).toEqual(['before']);
  expect(await manager.read('/person?visitorId=nobody')).toMatchObject({ sessions: [], flags: null });
});

test('it is for admins, and for one person at a time', async () => {
  const { browser } = await newMember(manager.browser, 'eve@shop.example', 'editor');
  expectProblem(await new PropertyManager(browser).get('/person?userId=ann'), {
    status: 403,
    code: 'role_required',
  });
  for (const query of ['', '?userId=ann&visitorId=ann-phone']) {
    expect((await manager.get(`/person${query}`)).status).toBe(400);
  }
});

test('the command line asks a running server, and reads the files of a stopped one', async () => {
  const { body: created } = await manager.browser.post('/v1/manage/me/tokens', {
    name: 'export',
    role: 'admin',
    expiresAt: Date.now() + 3_600_000,
  });
  const { dataDir, url } = shop.server;
  const settings = { DATA_DIR: dataDir, SWITCHYARD_TOKEN: created.token };
  const command = ['person', 'export', '--property', 'shop', '--visitor', 'ann-phone'];
  const locked = await switchyardWith(settings, ...command);
  expect(locked).toMatchObject({ code: 1, stderr: expect.stringMatching(/--url/) });
  const online = await switchyardWith(settings, ...command, '--url', url);
  expect(online.code, online.stderr).toBe(0);
  expectAnn(JSON.parse(online.stdout), { visitorId: 'ann-phone' });
  const refused = await switchyardWith({ DATA_DIR: dataDir }, ...command, '--url', url);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/401/) });
  await shop.server.stop();
  const out = join(scratch, 'person.json');
  const offline = await switchyardWith(settings, ...command, '--out', out);
  expect(offline.code, offline.stderr).toBe(0);
  const strip = ({ exportedAt: _, ...file }: Body) => file;
  expect(strip(JSON.parse(readFileSync(out, 'utf8')))).toEqual(strip(JSON.parse(online.stdout)));
});
