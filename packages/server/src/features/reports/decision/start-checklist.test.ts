import { accepted, closeShop, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, errorOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, expect, it } from 'vitest';

type Body = TestResponse['body'];

const GOALS = [{ id: 'silent', name: 'Silent', kind: 'count' }];
const METRICS = [
  { id: 'joined', name: 'Joined', kind: 'count', goalId: 'signup' },
  { id: 'nobody', name: 'Nobody', kind: 'event', event: 'never' },
  { id: 'in-a-week', name: 'In a week', kind: 'count', goalId: 'signup', withinDays: 7 },
];
const VARIATIONS = [
  { key: 'control', weight: 1 },
  { key: 'b', weight: 1 },
];
const VISITORS = 40;

let shop: Shop;
let manager: PropertyManager;
beforeAll(async () => {
  shop = await openShop({ env: WITH_OWNER, provision: sampleWith({ goals: GOALS, metrics: METRICS }) });
  manager = new PropertyManager(await ownerBrowser(shop.server));
  const visits = Array.from({ length: VISITORS }, (_, index) =>
    shop.collect({
      sessionId: `s${index}`,
      visitorId: `v${index}`,
      attributes: { plan: index % 4 === 0 ? 'pro' : 'free' },
      events: [{ type: 'pageview', url: '/' }],
    }),
  );
  const converted = ['s1', 's2', 's3'].map((sessionId) => shop.increment({ goalId: 'signup', sessionId }));
  await accepted(...visits, ...converted);
  await accepted(shop.submit({ feedbackTypeId: 'nps', option: 'bad', sessionId: 's1' }));
});
afterAll(() => closeShop(shop));

let next = 0;

/** State and words by item, for a draft with these fields. */
async function checked(fields: object): Promise<Record<string, [state: string, words: string]>> {
  const key = `draft-${next++}`;
  const body = { type: 'id', variations: VARIATIONS, hashSeed: key, ...fields };
  bodyOf(await manager.put(`/split-tests/${key}`, body), 201);
  const { items } = await manager.read(`/split-tests/${key}/start-checklist`);
  return Object.fromEntries(items.map(({ id, state, words }: Body) => [id, [state, words]]));
}

it('has the rule that would be fixed, and a finding for each item', async () => {
  bodyOf(
    await manager.put('/split-tests/all', { type: 'id', variations: VARIATIONS, goals: ['signup'] }),
    201,
  );
  const checklist = await manager.read('/split-tests/all/start-checklist');
  expect(checklist).toMatchObject({ splitTestKey: 'all', days: 14, decisionRule: { state: 'not-started' } });
  expect(checklist.items.map(({ id, title }: Body) => [id, title])).toEqual([
    ['goal', 'The goals have events'],
    ['split', 'The split works'],
    ['audience', 'The audience has traffic'],
    ['plan', 'The traffic suffices'],
    ['aa-test', 'The A/A test is calm'],
    ['overlap', 'Nobody else tests the same'],
  ]);
  expect(checklist.items.map(({ link }: Body) => link)).toEqual([
    '/p/shop/goals/signup',
    '/p/shop/split-tests/all',
    '/p/shop/traffic',
    '/p/shop/split-tests/all?tab=edit',
    '/p/shop/settings',
    '/p/shop/split-tests?status=running',
  ]);
  errorOf(await manager.get('/split-tests/none/start-checklist'), 404, 'split_test_not_found');
});

it('looks at the events of the goals', async () => {
  expect((await checked({ goals: ['signup'] })).goal).toEqual([
    'ok',
    'In the last 14 days, 3 visitors reached "Sign-ups".',
  ]);
  const [state, words] = (await checked({ goals: ['silent'] })).goal!;
  expect([state, words]).toEqual(['problem', expect.stringMatching(/nobody reached "Silent"\. Check that/)]);
  expect((await checked({ goals: ['signup'], guardrails: ['silent'] })).goal).toMatchObject([
    'warning',
    'In the last 14 days, 3 visitors reached "Sign-ups". Without any event: "Silent".',
  ]);
  const feedback = { feedbackType: 'nps', option: 'bad' };
  expect((await checked({ goals: [feedback] })).goal).toMatchObject([
    'ok',
    expect.stringMatching(/1 answer to ".*: bad" arrived\.$/),
  ]);
  expect((await checked({})).goal).toMatchObject(['problem', expect.stringMatching(/no primary goal/)]);
});

it('looks at the visitors of metrics', async () => {
  const { goal, plan } = await checked({ goals: [{ metric: 'joined' }], guardrails: [{ metric: 'nobody' }] });
  expect(goal).toEqual(['warning', expect.stringContaining('"Nobody"')]);
  expect(goal![1]).toContain('3 visitors reached "Joined"');
  expect(plan![0]).not.toBe('unknown');
  const { items } = await manager.read(`/split-tests/draft-${next - 1}/start-checklist`);
  expect(items[0].link).toBe('/p/shop/metrics/joined');
});

it('gives visitors the time of the window', async () => {
  const { plan } = await checked({ goals: [{ metric: 'in-a-week' }], plannedVisitors: 2000 });
  // 40 visitors in the 28 days and those of the window, then the window of the last one.
  expect(plan![1]).toMatch(/^The planned 2,000 visitors take about 1,757 days at this traffic\./);
});

it('looks at the variations', async () => {
  expect((await checked({})).split).toMatchObject(['unknown', expect.stringMatching(/preview links/)]);
  const one = [VARIATIONS[0], { key: 'b', weight: 0 }];
  expect((await checked({ variations: one })).split).toMatchObject(['problem', expect.any(String)]);
  const same = VARIATIONS.map((each) => ({ ...each, value: 'Buy' }));
  expect((await checked({ type: 'text', variations: same })).split).toMatchObject([
    'warning',
    'The variation "b" has the same value as another one: a page cannot tell them apart by it.',
  ]);
});

it('looks at the visitors of the audience, and how long they take', async () => {
  const inPlan = (plan: string) => ({
    audience: { conditions: [{ attribute: 'plan', operator: 'equals', values: [plan] }] },
  });
  expect((await checked({})).audience).toMatchObject([
    'ok',
    'All visitors take part: 40 visitors in 14 days.',
  ]);
  expect((await checked(inPlan('pro'))).audience).toMatchObject([
    'ok',
    'In the last 14 days, 25 % of the visitors belonged to the audience: about 10 visitors.',
  ]);
  const nobody = await checked({ ...inPlan('none'), goals: ['signup'] });
  expect(nobody.audience).toMatchObject(['problem', expect.stringMatching(/no visitor with a session/)]);
  expect(nobody.plan).toMatchObject(['problem', expect.stringMatching(/nobody would enter/)]);

  expect((await checked({ trafficAllocation: 0 })).plan).toEqual([
    'warning',
    'The traffic of the test is 0 %: nobody takes part until it is raised, only previews show it.',
  ]);
  const planned = { goals: ['signup'], smallestEffect: 2, plannedVisitors: 2000 };
  expect((await checked(planned)).plan).toMatchObject([
    'warning',
    // 40 visitors in 28 days.
    'The planned 2,000 visitors take about 1,400 days at this traffic.',
  ]);
  expect((await checked({ ...planned, ...inPlan('pro'), trafficAllocation: 50 })).plan![1]).toContain(
    'about 11,200 days',
  );
  expect((await checked({ ...planned, plannedVisitors: 30 })).plan).toMatchObject([
    'warning',
    expect.stringMatching(
      /^The planned 30 visitors take about 21 days at this traffic\. To find a change of 200 %, \d+ visitors would be needed\.$/,
    ),
  ]);
});

it('looks at the other running tests', async () => {
  const apart = { exclusion: { group: 'top', share: 10 } };
  bodyOf(
    await manager.put('/split-tests/runs', {
      ...apart,
      type: 'id',
      variations: VARIATIONS,
      goals: ['silent'],
      tags: ['checkout', 'q4'],
      hashSeed: 'seed',
      status: 'running',
    }),
    201,
  );
  const others = await checked({ goals: ['revenue'] });
  expect(others.overlap).toMatchObject([
    'ok',
    '2 other tests run with the same visitors, split independently; none has the same primary goal or a tag of this one.',
  ]);
  expect((await checked({ goals: ['silent'], tags: ['checkout', 'new'] })).overlap).toEqual([
    'warning',
    'Running tests that may change the same: "runs" (the same primary goal and the tag "checkout"). Their visitors are split independently; an exclusion group keeps them apart.',
  ]);
  expect((await checked({ ...apart, goals: ['silent'] })).overlap).toMatchObject([
    'ok',
    '1 other test runs with the same visitors, split independently; none has the same primary goal or a tag of this one.',
  ]);
  expect((await checked({ hashSeed: 'seed' })).overlap).toMatchObject([
    'problem',
    expect.stringMatching(/^"runs" runs with the same seed: the same visitors get the same variations/),
  ]);
});

it('knows the A/A test', async () => {
  expect((await checked({}))['aa-test']).toMatchObject(['unknown', expect.stringMatching(/no result yet/)]);
  bodyOf(await manager.patch('', { aaTest: 'off' }, '*'));
  expect((await checked({}))['aa-test']).toMatchObject(['unknown', expect.stringMatching(/switched off/)]);
});

it('knows which variations were opened by their preview links in this phase', async () => {
  const key = 'previewed';
  const body = { type: 'id', variations: VARIATIONS, trafficAllocation: 0 };
  const split = async () => {
    const { items } = await manager.read(`/split-tests/${key}/start-checklist`);
    return items.find(({ id }: Body) => id === 'split');
  };
  const open = (query: string, event: object = {}) =>
    accepted(
      shop.collect({
        sessionId: 's0',
        visitorId: 'v0',
        events: [{ type: 'pageview', url: `https://shop.example/?q=1&${query}`, ...event }],
      }),
    );
  bodyOf(await manager.put(`/split-tests/${key}`, body), 201);
  // Before the start, pages do not have the test.
  await open('sy_previewed=control', { timestamp: Date.now() - 60_000 });
  await open('sy_previewed=b', { timestamp: Date.now() - 60_000 });
  expect(await split()).toMatchObject({ state: 'unknown', words: expect.stringContaining('get a draft') });
  bodyOf(await manager.post(`/split-tests/${key}/start`));
  const missing = (keys: string) => ({
    state: 'unknown',
    words: `Not opened by a preview link in this phase: ${keys}. Look at each variation before more visitors do.`,
  });
  expect(await split()).toMatchObject(missing('"control" and "b"'));
  await open('sy_previewed=control');
  await open('sy_other=b');
  await open('sy_previewed=c');
  expect(await split()).toMatchObject(missing('"b"'));
  await open('sy_previewed=b');
  expect(await split()).toMatchObject({
    state: 'ok',
    words: 'Each of the 2 variations was opened by its preview link in this phase.',
  });
  // More traffic changes nothing that was looked at, another value does.
  bodyOf(await manager.patch(`/split-tests/${key}`, { trafficAllocation: 50 }, '*'));
  expect(await split()).toMatchObject({ state: 'ok' });
  const changed = [VARIATIONS[0], { ...VARIATIONS[1], value: 'new' }];
  bodyOf(await manager.patch(`/split-tests/${key}`, { variations: changed }, '*'));
  expect(await split()).toMatchObject(missing('"control" and "b"'));
  // Previews are in no result.
  const { variations } = await shop.results(key);
  expect(variations.map(({ exposures }: Body) => exposures)).toEqual([0, 0]);
});
