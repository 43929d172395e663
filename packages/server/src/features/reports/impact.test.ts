import { assign } from '@switchyard/core/evaluation/assignment';
import { SAMPLE } from '@switchyard/testing/fixtures/sample-property';
import { accepted, closeShop, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, errorOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let shop: Shop;
let manager: PropertyManager;

/** Depends on the flag of the sample in production. */
const DEPENDENT = {
  key: 'dependent',
  type: 'string',
  defaultValue: 'off',
  environments: {
    production: { enabled: true, value: 'on', prerequisites: [{ flag: 'new-checkout', value: true }] },
  },
};

const impact = async (body: object) => bodyOf(await manager.post('/impact', body));

const session = (
  sessionId: string,
  visitorId: string,
  attributes?: object,
  headers?: Record<string, string>,
) => shop.collect({ sessionId, visitorId, ...(attributes && { attributes }) }, headers);

beforeAll(async () => {
  // The rule on email needs the addresses.
  const provision = sampleWith({ flags: [DEPENDENT], privacy: { maskValues: false } });
  shop = await openShop({ env: WITH_OWNER, provision });
  manager = new PropertyManager(await ownerBrowser(shop.server));
  await accepted(
    session('a1', 'ada', { plan: 'beta', email: 'ada@shop.example' }),
    session('a2', 'ada', { plan: 'beta', email: 'ada@shop.example' }),
    session('b1', 'bob', { plan: 'beta' }),
    session('c1', 'cyd', { plan: 'pro' }),
    session('d1', 'dan'),
    // The user is only known in one of the sessions.
    shop.collect({
      sessionId: 'd2',
      visitorId: 'dan',
      userId: 'u-dan',
      events: [{ type: 'pageview', url: '/shoes?x=1' }],
    }),
    session('crawler', 'bot', { plan: 'beta' }, { 'user-agent': 'Googlebot/2.1' }),
    shop.increment({ goalId: 'signup', sessionId: 'without-visitor' }),
  );
});
afterAll(() => closeShop(shop));

const flagOf = (key: string) => SAMPLE.properties[0]!.flags!.find((flag) => flag.key === key)!;

describe('POST impact of a flag', () => {
  it('counts the visitors who get another value, with examples and unknown attributes', async () => {
    const { key, ...definition } = structuredClone(flagOf('new-checkout'));
    definition.environments.production.rules.splice(1, 1);
    const found = await impact({ type: 'flag', key, definition });
    expect(found).toMatchObject({ sessions: 6, visitors: 4, sampled: 1, changed: 1, days: 7 });
    const [own, dependent] = found.flags;
    expect(own).toEqual({
      flagKey: 'new-checkout',
      environments: [
        {
          environment: 'production',
          changed: 1,
          transitions: [{ from: true, to: false, visitors: 1, examples: ['b1'] }],
          unknown: [
            { attribute: 'email', visitors: 3 },
            { attribute: 'plan', visitors: 1 },
          ],
        },
        { environment: 'staging', changed: 0, transitions: [], unknown: [] },
      ],
    });
    expect(dependent).toMatchObject({
      flagKey: 'dependent',
      environments: [{ transitions: [{ from: 'on', to: 'off', visitors: 1 }] }, { changed: 0 }],
    });
    expect(await impact({ type: 'flag', key, definition: flagOf('new-checkout'), days: 1 })).toMatchObject({
      changed: 0,
      days: 1,
    });
  });

  it('counts a flag that is created or deleted', async () => {
    const definition = { type: 'string', defaultValue: 'a' };
    const [created] = (await impact({ type: 'flag', key: 'fresh', definition })).flags;
    expect(created.environments[0].transitions).toMatchObject([{ from: null, to: 'a', visitors: 4 }]);
    const [deleted] = (await impact({ type: 'flag', key: 'banner', definition: null })).flags;
    expect(deleted.environments.map((it: { transitions: unknown }) => it.transitions)).toMatchObject([
      [{ from: 'spring', to: null, visitors: 4 }],
      [{ from: 'none', to: null, visitors: 4 }],
    ]);
    const used = await manager.post('/impact', { type: 'flag', key: 'new-checkout', definition: null });
    errorOf(used, 409, 'in_use');
    errorOf(await manager.post('/impact', { type: 'flag', key: 'gone', definition: null }), 404, 'not_found');
  });

  it('divides visitors by percentage as an evaluation does', async () => {
    const rules = [{ id: 'half', rollout: { percentage: 50, by: 'visitorId' }, value: 'new' }];
    const definition = {
      ...flagOf('banner'),
      environments: { production: { enabled: true, value: 'spring', rules } },
    };
    const { flags } = await impact({ type: 'flag', key: 'banner', definition });
    const values = await Promise.all(
      ['a1', 'b1', 'c1', 'd1'].map(async (sessionId) => {
        const asked = { type: 'flag', key: 'banner', definition, sessionId };
        return bodyOf(await manager.post('/explanations', asked)).value;
      }),
    );
    expect(flags[0].environments[0].changed).toBe(values.filter((value) => value === 'new').length);
  });

  it('checks the new definition like one that is saved', async () => {
    const definition = { environments: { production: { enabled: true, value: 'text' } } };
    const refused = await manager.post('/impact', { type: 'flag', key: 'new-checkout', definition });
    const { errors } = errorOf(refused, 400, 'invalid_request');
    expect(errors.map(({ pointer }: { pointer: string }) => pointer)).toContain(
      '/definition/environments/production/value',
    );
  });
});

describe('POST impact of a segment', () => {
  it('counts who matches before and after, and the flags that use it', async () => {
    const conditions = [{ attribute: 'plan', operator: 'equals', values: ['pro'] }];
    const found = await impact({ type: 'segment', key: 'beta', definition: { conditions } });
    expect(found.segment).toEqual({
      before: 2,
      after: 1,
      entering: 1,
      leaving: 2,
      examples: { matching: ['c1'], entering: ['c1'], leaving: expect.arrayContaining(['b1']) },
      unknown: [{ attribute: 'plan', visitors: 1 }],
    });
    // Ada has the flag by another rule.
    expect(found.flags[0]).toMatchObject({
      flagKey: 'new-checkout',
      environments: [{ changed: 2 }, { changed: 0 }],
    });
    expect(found.flags[1].flagKey).toBe('dependent');
    // Three visitors enter or leave, but two of them get another value.
    expect(found.changed).toBe(2);
    const unused = await impact({ type: 'segment', key: 'unused', definition: { conditions } });
    expect(unused).toMatchObject({ changed: 0, flags: [], segment: { after: 1, entering: 1 } });
    const current = await manager.read('/segments/beta');
    const same = await impact({ type: 'segment', key: 'beta', definition: current });
    expect(same).toMatchObject({ changed: 0, segment: { before: 2, after: 2, entering: 0 } });
  });
});

describe('POST impact of a split test', () => {
  it('counts the visitors who are moved', async () => {
    const current = await manager.read('/split-tests/hero');
    const variations = [{ ...current.variations[0], weight: 0 }, current.variations[1]];
    const found = await impact({ type: 'split-test', key: 'hero', definition: { ...current, variations } });
    const before = { hashSeed: 's1', trafficAllocation: 100, variations: current.variations };
    const moved = ['ada', 'bob', 'cyd', 'dan'].filter((id) => assign(before, id).index === 0);
    expect(found.splitTest).toMatchObject({
      changed: moved.length,
      transitions: [{ from: 'control', to: 'b', visitors: moved.length }],
      ifRunning: [
        { variation: 'control', visitors: 0 },
        { variation: 'b', visitors: 4 },
      ],
    });
    const byUser = await impact({
      type: 'split-test',
      key: 'hero',
      definition: { ...current, unit: 'user' },
    });
    const isMoved = assign(before, 'dan').index !== assign(before, 'u-dan').index;
    expect(isMoved).toBe(true);
    expect(byUser.splitTest).toMatchObject({ changed: 1, transitions: [{ visitors: 1 }] });
    const draft = { type: 'id', variations: [{ key: 'x', weight: 1 }] };
    const created = await impact({ type: 'split-test', key: 'later', definition: draft });
    expect(created.splitTest).toEqual({
      changed: 0,
      transitions: [],
      ifRunning: [{ variation: 'x', visitors: 4 }],
      unknown: [],
    });
  });

  it('counts only visitors with a session that matches the audience', async () => {
    const current = await manager.read('/split-tests/hero');
    const audience = {
      match: 'any',
      conditions: [
        { operator: 'inSegment', values: ['beta'] },
        { attribute: 'path', operator: 'startsWith', values: ['/shoes'] },
      ],
    };
    const found = await impact({ type: 'split-test', key: 'hero', definition: { ...current, audience } });
    const test = { hashSeed: 's1', trafficAllocation: 100, variations: current.variations };
    const keyOf = (visitorId: string) => current.variations[assign(test, visitorId).index].key as string;
    const outside = ['cyd'];
    expect(found).toMatchObject({ visitors: 4, changed: outside.length });
    expect(found.splitTest).toEqual({
      changed: 1,
      transitions: [{ from: keyOf('cyd'), to: null, visitors: 1, examples: ['c1'] }],
      ifRunning: current.variations.map(({ key }: { key: string }) => ({
        variation: key,
        visitors: ['ada', 'bob', 'dan'].filter((id) => keyOf(id) === key).length,
      })),
      unknown: [
        { attribute: 'path', visitors: 4 },
        { attribute: 'plan', visitors: 1 },
      ],
    });
  });

  it('replays the tests whose audience uses a changed segment', async () => {
    const within = { conditions: [{ operator: 'inSegment', values: ['beta'] }] };
    const test = (fields: object) => ({
      type: 'id',
      status: 'running',
      hashSeed: 's1',
      variations: ['control', 'b'].map((key) => ({ key, weight: 50 })),
      ...fields,
    });
    bodyOf(await manager.put('/segments/around', within), 201);
    const audience = { conditions: [{ operator: 'inSegment', values: ['around'] }] };
    bodyOf(await manager.put('/split-tests/for-around', test({ audience })), 201);
    bodyOf(await manager.put('/split-tests/for-beta', test({ status: 'draft', audience: within })), 201);
    const conditions = [{ attribute: 'plan', operator: 'equals', values: ['pro'] }];
    const found = await impact({ type: 'segment', key: 'beta', definition: { conditions } });
    const [around, beta] = found.splitTests;
    expect(around).toMatchObject({ splitTestKey: 'for-around', changed: 3 });
    expect(around.unknown).toEqual([{ attribute: 'plan', visitors: 1 }]);
    const entering = around.transitions.filter(({ from }: { from: unknown }) => from === null);
    expect(entering).toMatchObject([{ visitors: 1, examples: ['c1'] }]);
    expect(around.ifRunning.map(({ visitors }: { visitors: number }) => visitors).sort()).toEqual([0, 1]);
    expect(beta).toMatchObject({ splitTestKey: 'for-beta', changed: 0, transitions: [] });
    // Two of the three also get another value of a flag.
    expect(found.changed).toBe(3);
    const unused = await impact({ type: 'segment', key: 'unused', definition: { conditions } });
    expect(unused.splitTests).toEqual([]);
    expect(unused).not.toHaveProperty('moreSplitTests');
  });
});
