import { assign } from '@switchyard/core/evaluation/assignment';
import { accepted, closeShop, nextMillisecond, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, errorOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

let shop: Shop;
let manager: PropertyManager;
/** When the flags were as in the sample. */
let beforeChanges: number;

const explain = async (body: object) => bodyOf(await manager.post('/explanations', body));

beforeAll(async () => {
  shop = await openShop({ env: WITH_OWNER });
  manager = new PropertyManager(await ownerBrowser(shop.server));
  await accepted(
    shop.collect(
      {
        sessionId: 's1',
        visitorId: 'v1',
        userId: 'u1',
        attributes: { plan: 'beta' },
        events: [{ type: 'pageview', url: '/' }],
      },
      { 'user-agent': CHROME },
    ),
    shop.collect({ sessionId: 's2', visitorId: 'v2', events: [{ type: 'pageview', url: '/' }] }),
  );
  beforeChanges = await nextMillisecond();
  await nextMillisecond();
  bodyOf(await manager.patch('/flags/banner', { environments: { production: { value: 'autumn' } } }, '*'));
  bodyOf(await manager.put('/flags/short-lived', { type: 'boolean', defaultValue: true }), 201);
});
afterAll(() => closeShop(shop));

describe('POST explanations of flags', () => {
  it('has the value that an evaluation has, and the steps to it', async () => {
    const context = { email: 'ada@other.example', plan: 'beta', userId: 'u9' };
    const explained = await explain({ type: 'flag', key: 'new-checkout', context });
    const { flags } = bodyOf(await shop.evaluate({ context }));
    expect(explained).toMatchObject(flags['new-checkout'].reason === 'SPLIT' ? { reason: 'SPLIT' } : {});
    expect(explained).toMatchObject({
      type: 'flag',
      key: 'new-checkout',
      environment: 'production',
      historical: false,
      version: 1,
      value: flags['new-checkout'].value,
      ruleId: 'beta',
      ruleIndex: 1,
      contextUsed: { attributes: context, unknown: [] },
      steps: {
        rules: [
          {
            outcome: 'no-match',
            conditions: [{ attribute: 'email', actual: 'ada@other.example', matched: false }],
          },
          { outcome: 'served', rollout: { percentage: 100, attribute: 'userId', included: true } },
        ],
        segments: [{ id: 'beta', matched: true, conditions: [{ attribute: 'plan', actual: 'beta' }] }],
      },
    });
  });

  it('fills in the identity of a session in the context, as evaluations do', async () => {
    const { contextUsed } = await explain({ type: 'flag', key: 'banner', context: { sessionId: 's1' } });
    expect(contextUsed.attributes).toEqual({ sessionId: 's1', visitorId: 'v1', userId: 'u1' });
  });

  it('takes the context of a session, and names what is unknown', async () => {
    const explained = await explain({ type: 'flag', key: 'new-checkout', sessionId: 's1' });
    expect(explained).toMatchObject({ value: true, ruleId: 'beta' });
    expect(explained.contextUsed).toEqual({
      attributes: {
        plan: 'beta',
        sessionId: 's1',
        visitorId: 'v1',
        userId: 'u1',
        device: 'desktop',
        browser: 'Chrome',
        os: 'Windows',
      },
      unknown: ['email'],
    });
    const staging = { type: 'flag', key: 'new-checkout', environment: 'staging', sessionId: 's1' };
    expect(await explain(staging)).toMatchObject({ value: false, reason: 'DISABLED' });
  });

  it('takes the latest session of a visitor, without its id', async () => {
    const { contextUsed, value } = await explain({ type: 'flag', key: 'new-checkout', visitorId: 'v1' });
    expect(value).toBe(true);
    expect(contextUsed.attributes).toMatchObject({ plan: 'beta', userId: 'u1', visitorId: 'v1' });
    expect(contextUsed.attributes).not.toHaveProperty('sessionId');
    const unknown = await explain({ type: 'flag', key: 'new-checkout', visitorId: 'nobody' });
    expect(unknown.contextUsed).toEqual({ attributes: { visitorId: 'nobody' }, unknown: ['email', 'plan'] });
  });

  it('uses the definitions of a past moment', async () => {
    expect(await explain({ type: 'flag', key: 'banner' })).toMatchObject({ value: 'autumn', version: 2 });
    const past = await explain({ type: 'flag', key: 'banner', at: new Date(beforeChanges).toISOString() });
    expect(past).toMatchObject({ value: 'spring', version: 1, historical: true, at: beforeChanges });
  });

  it('explains a flag that has been deleted since, at a time when it existed', async () => {
    const existed = await nextMillisecond();
    await nextMillisecond();
    expect((await manager.delete('/flags/short-lived', '*')).status).toBe(204);
    const asked = { type: 'flag', key: 'short-lived' };
    expect(await explain({ ...asked, at: existed })).toMatchObject({ value: true, version: 1 });
    const missing = errorOf(await manager.post('/explanations', asked), 404, 'not_found');
    expect(missing.detail).toBe('There is no flag "short-lived".');
    const earlier = await manager.post('/explanations', { ...asked, at: beforeChanges });
    expect(errorOf(earlier, 404, 'not_found').detail).toMatch(/was no flag/);
    const ancient = await manager.post('/explanations', { ...asked, at: '2001-01-01' });
    expect(errorOf(ancient, 404, 'not_found').detail).toMatch(/history begins later/);
  });

  it('explains a definition that is not saved, checked like one that is', async () => {
    const definition = {
      type: 'string',
      defaultValue: 'none',
      environments: {
        production: {
          enabled: true,
          value: 'all',
          rules: [{ id: 'r', conditions: [{ operator: 'inSegment', values: ['beta'] }], value: 'for beta' }],
        },
      },
    };
    const asked = { type: 'flag', key: 'banner', sessionId: 's1' };
    expect(await explain({ ...asked, definition })).toMatchObject({ value: 'for beta', version: 2 });
    expect(await explain({ ...asked, key: 'brand-new', definition })).toMatchObject({
      value: 'for beta',
      version: null,
    });
    expect((await manager.read('/flags/banner')).version).toBe(2);
    definition.environments.production.rules[0]!.conditions[0]!.values = ['gone'];
    const refused = errorOf(
      await manager.post('/explanations', { ...asked, definition }),
      400,
      'invalid_request',
    );
    expect(refused.errors).toMatchObject([
      { pointer: '/definition/environments/production/rules/0/conditions/0/values/0' },
    ]);
    const misspelled = await manager.post('/explanations', { ...asked, definition: { nam: 'x' } });
    expect(errorOf(misspelled, 400, 'invalid_request').errors[0].pointer).toMatch(/^\/definition/);
  });

  it.each([
    ['/definition', { at: 0, definition: {} }],
    ['/sessionId', { context: {}, sessionId: 's1' }],
    ['/at', { at: 'soon' }],
    ['/at', { at: '3000-01-01' }],
    ['/environment', { type: 'split-test', key: 'hero', environment: 'production' }],
  ])('refuses an invalid %s', async (pointer, more) => {
    const response = await manager.post('/explanations', { type: 'flag', key: 'banner', ...more });
    expect(errorOf(response, 400, 'invalid_request').errors).toMatchObject([{ pointer }]);
  });

  it('says what does not exist', async () => {
    const asked = { type: 'flag', key: 'banner' };
    const session = await manager.post('/explanations', { ...asked, sessionId: 'nowhere' });
    expect(errorOf(session, 404, 'not_found').detail).toBe('There is no session "nowhere".');
    const environment = await manager.post('/explanations', { ...asked, environment: 'nowhere' });
    errorOf(environment, 404, 'environment_not_found');
  });
});

describe('POST explanations of split tests', () => {
  it('explains the variation of the visitor of a session', async () => {
    const test = {
      hashSeed: 's1',
      trafficAllocation: 100,
      variations: ['control', 'b'].map((key) => ({ key, weight: 50 })),
    };
    const explained = await explain({ type: 'split-test', key: 'hero', sessionId: 's2' });
    const variation = test.variations[assign(test, 'v2').index]!.key;
    expect(explained).toMatchObject({
      type: 'split-test',
      included: true,
      variation,
      reason: 'ASSIGNED',
      version: 1,
      steps: { status: 'running', phase: 1, traffic: { from: 0, to: 100, passed: true } },
    });
    const [control, b] = explained.steps.variations;
    expect([control.from, control.to, b.from, b.to]).toEqual([0, 50, 50, 100]);
  });

  it('explains tests with the unit user by the user id, if the context has one', async () => {
    const definition = {
      type: 'id',
      status: 'running',
      hashSeed: 's1',
      unit: 'user',
      variations: ['control', 'b'].map((key) => ({ key, weight: 50 })),
    };
    const of = (context: object) => explain({ type: 'split-test', key: 'by-user', definition, context });
    // As in the test vectors.
    expect(await of({ visitorId: 'visitor-1', userId: 'user-3' })).toMatchObject({
      variation: 'control',
      steps: { assignedBy: 'userId' },
    });
    expect(await of({ visitorId: 'visitor-1' })).toMatchObject({
      variation: 'b',
      steps: { assignedBy: 'visitorId' },
    });
    expect(await of({ userId: 'user-3' })).toMatchObject({
      reason: 'NO_VISITOR',
      steps: { assignedBy: null },
    });
    const hero = await explain({ type: 'split-test', key: 'hero', sessionId: 's1' });
    expect(hero.steps.assignedBy).toBe('visitorId');
  });

  it('explains tests that are not running, and contexts without a visitor', async () => {
    const finished = await explain({ type: 'split-test', key: 'finished', visitorId: 'v1' });
    expect(finished).toMatchObject({ included: false, variation: null, reason: 'NOT_RUNNING' });
    const nobody = await explain({ type: 'split-test', key: 'hero', context: {} });
    expect(nobody).toMatchObject({ reason: 'NO_VISITOR', contextUsed: { unknown: ['visitorId'] } });
    errorOf(await manager.post('/explanations', { type: 'split-test', key: 'gone' }), 404, 'not_found');
  });
});

describe('GET sessions/{sessionId}/flags', () => {
  it('has the values of all flags at a moment, from the history', async () => {
    const then = await manager.read(`/sessions/s1/flags?at=${beforeChanges}`);
    expect(then).toMatchObject({ computed: true, at: beforeChanges, environment: 'production' });
    expect(then).toMatchObject({ sessionId: 's1', visitorId: 'v1', userId: 'u1' });
    expect(then.flags).toEqual([
      {
        flagKey: 'new-checkout',
        name: 'New checkout',
        value: true,
        reason: 'SPLIT',
        version: 1,
        ruleId: 'beta',
        ruleIndex: 1,
        unknown: ['email'],
      },
      { flagKey: 'banner', name: 'Banner', value: 'spring', reason: 'STATIC', version: 1, unknown: [] },
    ]);
    const now = await manager.read(`/sessions/s1/flags?at=${Date.now()}&environment=staging`);
    expect(now.flags.map((flag: { value: unknown }) => flag.value)).toEqual([false, 'none']);
    expect(now.configurationVersion).toBeGreaterThan(then.configurationVersion);
  });

  it('takes the start of the session by default', async () => {
    const { at, flags } = await manager.read('/sessions/s2/flags');
    expect(at).toBe((await shop.session('s2')).startedAt);
    expect(flags).toMatchObject([{ value: false, unknown: ['email', 'plan'] }, { value: 'spring' }]);
  });

  it('says what does not exist', async () => {
    errorOf(await manager.get('/sessions/nowhere/flags'), 404, 'not_found');
    errorOf(await manager.get('/sessions/s1/flags?environment=nowhere'), 404, 'environment_not_found');
    errorOf(await manager.get('/sessions/s1/flags?at=soon'), 400, 'invalid_request');
  });
});
