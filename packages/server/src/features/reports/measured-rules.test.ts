import { PUBLIC_KEY } from '@switchyard/testing/fixtures/sample-property';
import {
  accepted,
  closeShop,
  expectProblem,
  openShop,
  type Shop,
  sampleWith,
} from '@switchyard/testing/fixtures/shop';
import { mulberry32 } from '@switchyard/testing/random/mulberry32';
import { ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, errorOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { differencesIn } from './report-bundle.ts';

const GERMANS = [{ attribute: 'country', operator: 'equals', values: ['DE'] }];
const measure = { goals: ['signup', 'revenue'], smallestEffect: 0.1 };
const flag = (key: string, ...rules: object[]) => ({
  key,
  type: 'string',
  defaultValue: 'none',
  environments: { production: { enabled: true, value: 'rest', rules } },
});
const half = (more: object = {}) => ({
  id: 'half',
  rollout: { percentage: 50 },
  value: 'new',
  measure,
  ...more,
});
const SPLIT = [
  { key: 'plain', value: 'p', weight: 1 },
  { key: 'bold', value: 'b', weight: 1 },
];

let shop: Shop;
beforeAll(async () => {
  const flags = [
    flag('rollout', half({ conditions: GERMANS })),
    flag('split', { id: 'parts', split: SPLIT, measure }),
    flag('nested', half({ id: 'first', rollout: { percentage: 50, by: 'visitorId' } }), {
      id: 'second',
      rollout: { percentage: 50, by: 'visitorId' },
      value: 'later',
      measure,
    }),
    flag('sessions', { id: 'parts', split: SPLIT, measure }),
    flag('long-ids', { id: 'parts', split: SPLIT, measure }),
    flag('people', { id: 'parts', split: SPLIT, measure }),
    flag('mail', { id: 'parts', rollout: { percentage: 100, by: 'email' }, split: SPLIT, measure }),
    flag('reported', { id: 'parts', split: SPLIT, measure }),
    flag('effect', half({ measure: { goals: ['signup'] } })),
    flag('metric', half({ measure: { goals: [{ metric: 'orders' }] } })),
    flag('erased', { id: 'parts', split: SPLIT, measure }),
    flag('setting', { id: 'parts', split: SPLIT, measure }),
    flag('ofrep', { id: 'parts', split: SPLIT, measure }),
    flag('returned', { id: 'parts', split: SPLIT, measure }),
    flag('ended', { id: 'parts', split: SPLIT, measure: { goals: ['rating', { metric: 'ratings' }] } }),
  ];
  const metrics = [
    { id: 'orders', kind: 'count', goalId: 'signup' },
    { id: 'ratings', kind: 'count', goalId: 'signup' },
  ];
  shop = await openShop({
    provision: sampleWith({ flags, metrics, goals: [{ id: 'rating', kind: 'count' }] }),
    env: WITH_OWNER,
  });
});
afterAll(() => closeShop(shop));

const results = async (flagKey: string, ruleId: string, query: Record<string, string> = {}) => {
  const response = await shop.get('/v1/flags/results', { flagKey, ruleId, ...query });
  expect(response.status, response.text).toBe(200);
  return response.body;
};
const visitorsOf = async (flagKey: string, ruleId: string): Promise<Record<string, number>> => {
  const { variations, mixedVisitors } = await results(flagKey, ruleId);
  return {
    ...Object.fromEntries(variations.map((it: { key: string; visitors: number }) => [it.key, it.visitors])),
    mixed: mixedVisitors,
  };
};
const evaluate = async (flagKey: string, context: object, more: object = { record: true }) => {
  const response = await shop.evaluate({ context, flagKeys: [flagKey], ...more });
  expect(response.status, response.text).toBe(200);
  return response.body.flags[flagKey];
};

describe('the results of a measured rule', () => {
  it('compare those inside of a rollout with those outside', async () => {
    const served = { on: 0, off: 0 };
    for (let i = 0; i < 40; i++) {
      const { ruleId } = await evaluate('rollout', { visitorId: `v${i}`, country: 'DE' });
      served[ruleId === 'half' ? 'on' : 'off']++;
    }
    await evaluate('rollout', { visitorId: 'abroad', country: 'FR' });
    await evaluate('rollout', { country: 'DE' });
    expect(served.on).toBeGreaterThan(5);
    expect(served.off).toBeGreaterThan(5);
    expect(await visitorsOf('rollout', 'half')).toEqual({ ...served, mixed: 0 });
    const { status, measuredRule, variations, splitTestKey, phase } = await results('rollout', 'half');
    expect({ status, measuredRule, phase: phase.number }).toEqual({
      status: 'running',
      measuredRule: { flagKey: 'rollout', environment: 'production', ruleId: 'half' },
      phase: 1,
    });
    expect(variations.map(({ key, weight }: { key: string; weight: number }) => [key, weight])).toEqual([
      ['off', 50],
      ['on', 50],
    ]);
    const exposure = { splitTestKey, variationKey: 'on', sessionId: 's' };
    expectProblem(await shop.expose(exposure), { status: 404, code: 'split_test_not_found' });
  });

  it('can be of metrics, and bundles say what these compute', async () => {
    const served = { on: 0, off: 0 };
    for (let i = 0; i < 20; i++) {
      const { ruleId } = await evaluate('metric', { visitorId: `m${i}`, sessionId: `sm${i}` });
      served[ruleId === 'half' ? 'on' : 'off']++;
      await accepted(shop.collect({ sessionId: `sm${i}`, visitorId: `m${i}` }));
      await accepted(shop.increment({ goalId: 'signup', sessionId: `sm${i}` }));
    }
    const { goals } = await results('metric', 'half', { fresh: 'true' });
    expect(goals[0]).toMatchObject({ goalId: 'metric:orders', kind: 'metric', role: 'primary' });
    expect(goals[0].measured).toMatchObject([
      { key: 'off', visitors: served.off, reached: served.off },
      { key: 'on', visitors: served.on, reached: served.on },
    ]);
    const query = { flagKey: 'metric', ruleId: 'half', format: 'bundle' };
    const { body: bundle } = await shop.get('/v1/flags/results/export', query);
    expect(bundle.definition.metrics).toMatchObject([{ id: 'orders', kind: 'count' }]);
    expect(differencesIn(bundle)).toEqual([]);
  });

  it('count nothing unless the request or the property says so', async () => {
    await evaluate('split', { visitorId: 'quiet' }, {});
    expect(await visitorsOf('split', 'parts')).toEqual({ plain: 0, bold: 0, mixed: 0 });
  });

  it('find an effect that is there, and the bundle recomputes to the same', async () => {
    const random = mulberry32(20_261_119);
    const expected = { off: { visitors: 0, converted: 0 }, on: { visitors: 0, converted: 0 } };
    const players = Array.from({ length: 500 }, (_, i) => ({ userId: `e${i}`, luck: random() }));
    for (let start = 0; start < players.length; start += 100) {
      const batch = players.slice(start, start + 100).map(async ({ userId, luck }) => {
        const { ruleId } = await evaluate('effect', { userId });
        const own = expected[ruleId === 'half' ? 'on' : 'off'];
        own.visitors++;
        // 10 % without, 30 % with the new value.
        if (luck >= (ruleId === 'half' ? 0.3 : 0.1)) return;
        own.converted++;
        await accepted(shop.collect({ sessionId: `s-${userId}`, visitorId: `v-${userId}`, userId }));
        await accepted(shop.increment({ goalId: 'signup', sessionId: `s-${userId}` }));
      });
      await Promise.all(batch);
    }
    const { goals, variations, health } = await results('effect', 'half', { fresh: 'true' });
    expect(variations).toMatchObject([{ key: 'off' }, { key: 'on' }]);
    expect(health.healthy).toBe(true);
    expect(goals[0].counts).toMatchObject([
      { key: 'off', ...expected.off },
      { key: 'on', ...expected.on },
    ]);
    const [, on] = goals[0].metrics.find(
      ({ metric }: { metric: string }) => metric === 'conversion-rate',
    ).variations;
    const rate = ({ visitors, converted }: { visitors: number; converted: number }) => converted / visitors;
    expect(on.absolute.estimate).toBeCloseTo(rate(expected.on) - rate(expected.off), 9);
    expect(on.absolute.low).toBeGreaterThan(0);
    expect([on.absolute.low < 0.2, 0.2 < on.absolute.high]).toEqual([true, true]);
    const bundle = await shop.get('/v1/flags/results/export', { flagKey: 'effect', ruleId: 'half' });
    expect(bundle.headers.get('content-disposition')).toBe('attachment; filename="effect-half.json"');
    expect(differencesIn(bundle.body)).toEqual([]);
    const tampered = structuredClone(bundle.body);
    tampered.definition.goals = ['revenue'];
    expect(differencesIn(tampered)).not.toEqual([]);
    const csv = await shop.get('/v1/flags/results/export', {
      flagKey: 'effect',
      ruleId: 'half',
      format: 'csv',
    });
    expect(csv.text).toContain(`flag:effect/production/half,1,on,50,${expected.on.visitors},`);
  });

  it('join the goals of all sessions of a visitor or user who was evaluated without a session', async () => {
    const { variant } = await evaluate('people', { userId: 'ada' });
    await accepted(
      shop.collect({ sessionId: 'ada-1', visitorId: 'ada-phone', userId: 'ada' }),
      shop.collect({ sessionId: 'ada-2', visitorId: 'ada-laptop', userId: 'ada' }),
    );
    await accepted(
      shop.increment({ goalId: 'signup', sessionId: 'ada-1' }),
      shop.increment({ goalId: 'signup', sessionId: 'ada-2' }),
      shop.increment({ goalId: 'revenue', sessionId: 'ada-2', amount: 12 }),
    );
    const { goals } = await results('people', 'parts', { fresh: 'true' });
    const own = (index: number) => goals[index].counts.find(({ key }: { key: string }) => key === variant);
    expect(own(0)).toMatchObject({ visitors: 1, converted: 1, conversions: { sum: 2 } });
    expect(own(1)).toMatchObject({ visitors: 1, converted: 1, amount: { sum: 12 } });
  });

  it('are no visits', async () => {
    const before = (await shop.sessions({ limit: '500' })).sessions.length;
    await evaluate('people', { visitorId: 'nobody', userId: 'nobody' });
    expect((await shop.sessions({ limit: '500' })).sessions).toHaveLength(before);
    const traffic = await shop.get('/v1/traffic/summary');
    expect(traffic.status, traffic.text).toBe(200);
    expect(traffic.body.visitors?.current ?? traffic.body).toBeDefined();
    expect((await shop.sessions({ visitorId: 'nobody' })).sessions).toEqual([]);
  });

  it('record every measured rule on the way, and an outside visitor may reach the next', async () => {
    for (let i = 0; i < 30; i++) await evaluate('nested', { visitorId: `n${i}` });
    const [first, second] = [await visitorsOf('nested', 'first'), await visitorsOf('nested', 'second')];
    expect(first.on! + first.off!).toBe(30);
    expect(second.on! + second.off!).toBe(first.off);
  });

  it('belong to the session if the context has one', async () => {
    await evaluate('sessions', { sessionId: 'late-session', userId: 'somebody' });
    await accepted(shop.collect({ sessionId: 'late-session', visitorId: 'late-visitor' }));
    const { exposures, visitorId } = await shop.session('late-session');
    expect(visitorId).toBe('late-visitor');
    const [{ splitTestKey, variationKey }] = exposures;
    expect(splitTestKey).toBe('flag:sessions/production/parts');
    const listed = async (variation: string) =>
      (await shop.sessions({ splitTestKey, variationKey: variation })).sessions.map(
        (session: { sessionId: string }) => session.sessionId,
      );
    expect(await listed(variationKey)).toEqual(['late-session']);
    expect(await listed(variationKey === 'bold' ? 'plain' : 'bold')).toEqual([]);
  });

  it('take ids as long as those of exposures and collects', async () => {
    const sessionId = 's'.repeat(500);
    const [visitorId, userId] = ['v'.repeat(256), 'u'.repeat(256)];
    await accepted(shop.collect({ sessionId, visitorId, userId }));
    await evaluate('long-ids', { sessionId, userId });
    const exposures = [
      { flagKey: 'long-ids', ruleId: 'parts', variant: 'bold', sessionId: sessionId.slice(1) },
    ];
    await accepted(shop.post('/v1/flags/usage', { propertyId: 'shop', exposures }));
    expect((await shop.session(sessionId)).exposures).toMatchObject([
      { splitTestKey: 'flag:long-ids/production/parts' },
    ]);
    expect((await shop.session(sessionId.slice(1))).exposures).toHaveLength(1);
    const tooLong = [{ ...exposures[0], sessionId: `${sessionId}s` }];
    expectProblem(await shop.post('/v1/flags/usage', { propertyId: 'shop', exposures: tooLong }), {
      status: 400,
      code: 'invalid_request',
      pointers: ['/exposures/0/sessionId'],
    });
  });

  it('store no e-mail address', async () => {
    await evaluate('mail', { email: 'ada@shop.example' });
    await evaluate('mail', { email: 'ada@shop.example' });
    const counted = await visitorsOf('mail', 'parts');
    expect(counted.plain! + counted.bold!).toBe(1);
    const { text } = await shop.get('/v1/sessions');
    expect(text).not.toContain('ada@shop.example');
  });

  it('take what programs report, once', async () => {
    const body = {
      propertyId: 'shop',
      reportId: 'report-1',
      counts: [{ flagKey: 'reported', value: 'p', count: 3 }],
      exposures: [
        { flagKey: 'reported', ruleId: 'parts', variant: 'plain', visitorId: 'r1' },
        { flagKey: 'reported', ruleId: 'parts', variant: 'bold', sessionId: 'r-session' },
        { flagKey: 'reported', ruleId: 'parts', variant: 'bold', userId: 'r2', bot: true },
        { flagKey: 'reported', ruleId: 'parts', variant: 'unknown', visitorId: 'r1' },
        { flagKey: 'reported', ruleId: 'unknown', variant: 'bold', visitorId: 'r1' },
        { flagKey: 'reported', ruleId: 'parts', variant: 'bold' },
      ],
    };
    await accepted(shop.post('/v1/flags/usage', body), shop.post('/v1/flags/usage', body));
    const { variations } = await results('reported', 'parts');
    expect(variations).toMatchObject([
      { key: 'plain', exposures: 1, visitors: 1, bots: 0 },
      { key: 'bold', exposures: 1, visitors: 1, bots: 1 },
    ]);
  });

  it('are erased, suppressed and exported with their visitor or user', async () => {
    const body = (userId: string) => ({ userId });
    for (const userId of ['eve', 'ada']) await evaluate('erased', { userId });
    const before = await visitorsOf('erased', 'parts');
    expect(before.plain! + before.bold!).toBe(2);
    const owner = new PropertyManager(await ownerBrowser(shop.server));
    const person = await owner.read('/person?userId=eve');
    expect(person.sessions).toMatchObject([
      { userId: 'eve', exposures: [{ splitTestKey: 'flag:erased/production/parts' }] },
    ]);
    const { id } = bodyOf(await owner.post('/erasures', body('eve')), 202);
    await expect
      .poll(async () => (await owner.read(`/erasures/${id}`)).state, { timeout: 60_000 })
      .toBe('done');
    const counted = async () => {
      const { variations } = await results('erased', 'parts', { fresh: 'true' });
      return variations.reduce((sum: number, { visitors }: { visitors: number }) => sum + visitors, 0);
    };
    expect(await counted()).toBe(1);
    // Evaluated again, by a server that has not recorded it today.
    const exposures = [{ flagKey: 'erased', ruleId: 'parts', variant: 'bold', userId: 'eve' }];
    await accepted(shop.post('/v1/flags/usage', { propertyId: 'shop', exposures }));
    expect(await counted()).toBe(1);
    // Nor is somebody who was never evaluated before the erasure.
    const { id: other } = bodyOf(await owner.post('/erasures', body('mallory')), 202);
    await expect
      .poll(async () => (await owner.read(`/erasures/${other}`)).state, { timeout: 60_000 })
      .toBe('done');
    await evaluate('erased', { userId: 'mallory' });
    expect(await counted()).toBe(1);
  });

  it('cannot be taken away by sessions that somebody else makes up', async () => {
    const refused = (pointer: string) => ({ status: 400, code: 'invalid_request', pointers: [pointer] });
    const sessionId = 'unit~0000';
    expectProblem(await shop.collect({ sessionId, visitorId: 'v' }), refused('/sessionId'));
    expectProblem(await shop.collect({ sessionId: 's', visitorId: sessionId }), refused('/visitorId'));
    const exposure = { splitTestKey: 'hero', variationKey: 'b', sessionId };
    expectProblem(await shop.expose(exposure), refused('/exposures/0/sessionId'));
    expectProblem(
      await shop.submit({ feedbackTypeId: 'nps', option: 'bad', sessionId }),
      refused('/sessionId'),
    );
  });

  it('record every evaluation if the property says so, unless the request does not want it', async () => {
    const owner = new PropertyManager(await ownerBrowser(shop.server));
    const { version } = await owner.read('');
    const changed = bodyOf(await owner.patch('', { recordEvaluations: true }, version));
    expect(changed.recordEvaluations).toBe(true);
    await evaluate('setting', { visitorId: 'w1' }, {});
    await evaluate('setting', { visitorId: 'w2' }, { record: false });
    await shop.post('/ofrep/v1/evaluate/flags/setting', { context: { targetingKey: 'w3' } });
    const counted = await visitorsOf('setting', 'parts');
    expect(counted.plain! + counted.bold!).toBe(2);
    const off = bodyOf(await owner.patch('', { recordEvaluations: false }, changed.version));
    expect(off).not.toHaveProperty('recordEvaluations');
  });

  it('take evaluations by OFREP with the header', async () => {
    const call = (targetingKey: string, headers: Record<string, string>) =>
      shop.post('/ofrep/v1/evaluate/flags/ofrep', { context: { targetingKey } }, headers);
    await call('unrecorded', { 'x-record': 'false' });
    await call('o1', { 'x-record': 'true' });
    await shop.post('/ofrep/v1/evaluate/flags', { context: { targetingKey: 'o2' } }, { 'x-record': 'true' });
    const counted = await visitorsOf('ofrep', 'parts');
    expect(counted.plain! + counted.bold!).toBe(2);
  });

  it('have everybody again after the rule was removed and added on the same day', async () => {
    await evaluate('returned', { visitorId: 'early' });
    const owner = new PropertyManager(await ownerBrowser(shop.server));
    const save = (...rules: object[]) =>
      owner.patch('/flags/returned', { environments: { production: { rules } } }, '*');
    bodyOf(await save());
    bodyOf(await save({ id: 'parts', split: SPLIT, measure }));
    for (const visitorId of ['early', 'early', 'late']) await evaluate('returned', { visitorId });
    const { variations, phase } = await results('returned', 'parts', { fresh: 'true' });
    const total = (name: 'visitors' | 'exposures') =>
      variations.reduce((sum: number, variation: Record<string, number>) => sum + variation[name]!, 0);
    expect([phase.number, total('visitors'), total('exposures')]).toEqual([1, 2, 2]);
  });

  it('keep their goals and metrics after the measurement has ended', async () => {
    const owner = new PropertyManager(await ownerBrowser(shop.server));
    bodyOf(await owner.post('/flags/ended/promote', { ruleId: 'parts', variant: 'bold' }));
    for (const path of ['/goals/rating', '/metrics/ratings']) {
      const { references } = errorOf(await owner.delete(path, '*'), 409, 'in_use');
      expect(references).toEqual([{ type: 'flag', key: 'ended' }]);
    }
    const query = { flagKey: 'ended', ruleId: 'parts' };
    expect(differencesIn((await shop.get('/v1/flags/results/export', query)).body)).toEqual([]);
    // They go with the rule.
    const environments = { production: { rules: [] } };
    bodyOf(await owner.patch('/flags/ended', { environments }, '*'));
    expect((await owner.delete('/metrics/ratings', '*')).status).toBe(204);
  });

  it('need a rule that is measured', async () => {
    const find = (query: Record<string, string>) => shop.get('/v1/flags/results', query);
    expectProblem(await find({ flagKey: 'no', ruleId: 'half' }), { status: 404, code: 'not_found' });
    expectProblem(await find({ flagKey: 'rollout', ruleId: 'no' }), { status: 404, code: 'not_found' });
    expectProblem(await find({ flagKey: 'new-checkout', ruleId: 'staff' }), {
      status: 404,
      code: 'not_found',
    });
    expectProblem(await find({ flagKey: 'rollout', ruleId: 'half', environment: 'mars' }), {
      status: 404,
      code: 'environment_not_found',
    });
    expectProblem(await shop.get('/v1/flags/results', { flagKey: 'rollout', ruleId: 'half' }, PUBLIC_KEY), {
      status: 403,
      code: 'wrong_key_kind',
    });
  });
});
