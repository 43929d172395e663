import { assign } from '@switchyard/core/evaluation/assignment';
import { accepted, closeShop, nextMillisecond, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

let shop: Shop;
let manager: PropertyManager;

const explain = async (body: object) => bodyOf(await manager.post('/explanations', body));

const assignable = {
  hashSeed: 's1',
  trafficAllocation: 100,
  variations: ['control', 'b'].map((key) => ({ key, weight: 50 })),
};
const test = (fields: object) => ({ type: 'id', status: 'running', ...assignable, ...fields });
const condition = (attribute: string, operator: string, ...values: (string | number)[]) => ({
  attribute,
  operator,
  ...(values.length > 0 && { values }),
});
const unsaved = (audience: object, source: object) =>
  explain({ type: 'split-test', key: 'by-audience', definition: test({ audience }), ...source });

beforeAll(async () => {
  shop = await openShop({ env: WITH_OWNER });
  manager = new PropertyManager(await ownerBrowser(shop.server));
  const visit = (sessionId: string, url: string, referrer: string, more: object = {}) =>
    shop.collect(
      { sessionId, visitorId: 'v1', events: [{ type: 'pageview', url, referrer }], ...more },
      { 'user-agent': CHROME },
    );
  await accepted(visit('s0', 'https://shop.example/first', 'https://shop.example/else?x=1'));
  await nextMillisecond();
  await accepted(
    visit('s1', 'https://shop.example/shoes/red?utm_source=news&ref=mail', 'https://a.example/?q=1', {
      attributes: { plan: 'beta' },
    }),
  );
});
afterAll(() => closeShop(shop));

describe('POST explanations of split tests with an audience', () => {
  it('shows every condition, with the segments that it asks for', async () => {
    const conditions = [
      { operator: 'inSegment', values: ['beta'] },
      condition('country', 'matches', '^(C|D)'),
      condition('plan', 'equals', 'pro'),
    ];
    const outside = await unsaved({ conditions }, { context: { visitorId: 'v2', plan: 'beta' } });
    expect(outside).toMatchObject({
      included: false,
      variation: 'control',
      reason: 'AUDIENCE',
      contextUsed: { attributes: { visitorId: 'v2', plan: 'beta' }, unknown: ['country'] },
      steps: { holdout: null, traffic: { passed: true } },
    });
    expect(outside.steps.audience).toEqual({
      match: 'all',
      passed: false,
      conditions: [
        { operator: 'inSegment', values: ['beta'], matched: true, segments: [{ id: 'beta', matched: true }] },
        { attribute: 'country', operator: 'matches', values: ['^(C|D)'], matched: false, missing: true },
        { attribute: 'plan', operator: 'equals', values: ['pro'], matched: false, actual: 'beta' },
      ],
      segments: [
        {
          id: 'beta',
          matched: true,
          match: 'any',
          conditions: [
            { attribute: 'plan', operator: 'equals', values: ['beta'], matched: true, actual: 'beta' },
          ],
        },
      ],
    });
    const context = { visitorId: 'v2', plan: 'beta', country: 'DE' };
    const inside = await unsaved({ match: 'any', conditions: conditions.slice(1) }, { context });
    const variation = ['control', 'b'][assign(assignable, 'v2').index];
    expect(inside).toMatchObject({
      reason: 'ASSIGNED',
      included: true,
      variation,
      contextUsed: { unknown: [] },
      steps: { audience: { match: 'any', passed: true, conditions: [{ actual: 'DE' }, {}] } },
    });
    const nobody = await unsaved({ conditions }, { context: {} });
    expect(nobody).toMatchObject({
      reason: 'NO_VISITOR',
      contextUsed: { unknown: ['country', 'plan', 'visitorId'] },
    });
  });

  it('knows of a session what pages know by themselves, as far as it is stored', async () => {
    const conditions = [
      condition('path', 'startsWith', '/shoes/'),
      condition('utm.source', 'equals', 'news'),
      condition('query.ref', 'equals', 'mail'),
      condition('query.color', 'isSet'),
      condition('referrer', 'equals', 'https://a.example/'),
      condition('device', 'equals', 'desktop'),
      condition('browser', 'equals', 'Chrome'),
      condition('language', 'startsWith', 'de'),
      condition('returning', 'equals', 'true'),
      condition('hour', 'lessThan', 24),
    ];
    const explained = await unsaved({ conditions }, { sessionId: 's1' });
    const failed = explained.steps.audience.conditions.filter((each: { matched: boolean }) => !each.matched);
    expect(failed).toMatchObject([{ attribute: 'query.color' }, { attribute: 'language' }]);
    expect(explained.contextUsed.unknown).toEqual(['language', 'query.color']);
    const { startedAt } = await shop.session('s1');
    expect(explained.contextUsed.attributes).toMatchObject({
      sessionId: 's1',
      path: '/shoes/red',
      returning: true,
      hour: new Date(startedAt).getUTCHours(),
    });
    const first = await unsaved({ conditions }, { sessionId: 's0' });
    expect(first.contextUsed.attributes).toMatchObject({
      path: '/first',
      // Also a page of the property itself.
      referrer: 'https://shop.example/else',
      returning: false,
    });
    const latest = await unsaved({ conditions }, { visitorId: 'v1' });
    expect(latest.contextUsed.attributes).toMatchObject({ path: '/shoes/red', plan: 'beta' });
    expect(latest.contextUsed.attributes).not.toHaveProperty('sessionId');
    const page = await unsaved({ conditions }, { context: { visitorId: 'v1', userAgent: CHROME } });
    expect(page.contextUsed.attributes).toMatchObject({ device: 'desktop', browser: 'Chrome' });
  });

  it('reads only what the audience uses, and nothing of it for flags', async () => {
    const { contextUsed } = await unsaved({ conditions: [condition('hour', 'isSet')] }, { sessionId: 's1' });
    expect(contextUsed.attributes).toHaveProperty('hour');
    expect(contextUsed.attributes).not.toHaveProperty('path');
    expect(contextUsed.attributes).not.toHaveProperty('returning');
    const rules = [{ id: 'r', conditions: [condition('path', 'isSet')], value: true }];
    const definition = {
      type: 'boolean',
      defaultValue: false,
      environments: { production: { enabled: true, value: false, rules } },
    };
    const flag = await explain({ type: 'flag', key: 'by-path', sessionId: 's1', definition });
    expect(flag).toMatchObject({ value: false, contextUsed: { unknown: ['path'] } });
    const hero = await explain({ type: 'split-test', key: 'hero', sessionId: 's1' });
    expect(hero).toMatchObject({ reason: 'ASSIGNED', steps: { audience: null } });
    expect(hero.contextUsed.attributes).not.toHaveProperty('path');
  });

  it('uses the clocks of the property', async () => {
    const hourOf = async () => {
      const audience = { conditions: [condition('hour', 'isSet')] };
      return (await unsaved(audience, { sessionId: 's1' })).contextUsed.attributes.hour;
    };
    const { startedAt } = await shop.session('s1');
    expect(await hourOf()).toBe(new Date(startedAt).getUTCHours());
    bodyOf(
      await manager.browser.call('PATCH', manager.url, {
        headers: { 'if-match': '*' },
        body: { timeZone: 'Asia/Kolkata' },
      }),
    );
    expect(await hourOf()).toBe(new Date(startedAt + 5.5 * 3_600_000).getUTCHours());
  });

  it('uses the audience and the segments of a past moment', async () => {
    const audience = { conditions: [{ operator: 'inSegment', values: ['payers'] }] };
    const payers = (...plans: string[]) => ({ conditions: [condition('plan', 'in', ...plans)] });
    bodyOf(await manager.put('/segments/payers', payers('beta')), 201);
    bodyOf(await manager.put('/split-tests/for-payers', test({ audience })), 201);
    const then = await nextMillisecond();
    await nextMillisecond();
    bodyOf(await manager.put('/segments/payers', payers('pro'), '*'));
    const asked = { type: 'split-test', key: 'for-payers', context: { visitorId: 'v1', plan: 'beta' } };
    expect(await explain(asked)).toMatchObject({ reason: 'AUDIENCE', steps: { phase: 2 } });
    expect(await explain({ ...asked, at: then })).toMatchObject({
      reason: 'ASSIGNED',
      historical: true,
      steps: { phase: 1, audience: { passed: true, segments: [{ id: 'payers', matched: true }] } },
    });
  });

  it('names the retired variation of a visitor', async () => {
    const variations = ['control', 'b', 'c'].map((key) => ({ key, weight: 1 }));
    bodyOf(await manager.put('/split-tests/shrinking', test({ variations })), 201);
    const context = { visitorId: 'v1' };
    expect(await explain({ type: 'split-test', key: 'shrinking', context })).toMatchObject({
      included: true,
    });
    const retired = 'c';
    const definition = test({
      variations: variations.map((each) => (each.key === retired ? { ...each, retired: true } : each)),
    });
    const visitorId = Array.from({ length: 100 }, (_, index) => `v${index}`).find(
      (id) => variations[assign({ ...assignable, variations }, id).index]!.key === retired,
    );
    const asked = { type: 'split-test', key: 'shrinking', definition, context: { visitorId } };
    const explained = await explain(asked);
    expect(explained).toMatchObject({ included: false, variation: 'control', reason: 'RETIRED' });
    expect(explained.steps.variations.map((each: { retired?: true }) => each.retired ?? false)).toEqual(
      variations.map(({ key }) => key === retired),
    );
  });

  it('cuts long values', async () => {
    const values = Array.from({ length: 50 }, (_, index) => `${'x'.repeat(300)}${index}`);
    const { steps } = await unsaved(
      { conditions: [condition('plan', 'in', ...values)] },
      { context: { visitorId: 'v1', plan: 'y'.repeat(1000) } },
    );
    const [step] = steps.audience.conditions;
    expect(step).toMatchObject({ moreValues: 30, matched: false });
    expect(step.values[0]).toHaveLength(200);
    expect(step.actual).toHaveLength(200);
  });
});
