import { OTHER_SECRET_KEY, PUBLIC_KEY } from '@switchyard/testing/fixtures/sample-property';
import {
  accepted,
  closeShop,
  expectProblem,
  nextMillisecond,
  openShop,
  type Shop,
  sampleWith,
} from '@switchyard/testing/fixtures/shop';
import { newMember, ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

type Body = TestResponse['body'];

const SPLIT = [
  { key: 'plain', value: 'p', weight: 1 },
  { key: 'bold', value: 'b', weight: 1 },
];
const flag = (key: string, environments: Record<string, object[]>) => ({
  key,
  name: `The ${key}`,
  type: 'string',
  defaultValue: 'none',
  environments: Object.fromEntries(
    Object.entries(environments).map(([id, rules]) => [id, { enabled: true, value: 'rest', rules }]),
  ),
});
const rule = (id: string, more: object = {}) => ({
  id,
  split: SPLIT,
  measure: { goals: ['signup'] },
  ...more,
});
const looks = { flagKey: 'looks', environment: 'production', ruleId: 'half' };

let shop: Shop;
beforeAll(async () => {
  const flags = [
    flag('looks', { production: [rule('half', { name: 'Half of all' })] }),
    flag('people', { production: [rule('parts')], staging: [rule('parts')] }),
    flag('ended', { production: [rule('parts')] }),
    flag('plain', { production: [{ id: 'parts', split: SPLIT }] }),
  ];
  shop = await openShop({ provision: sampleWith({ flags }), env: WITH_OWNER });
});
afterAll(() => closeShop(shop));

const overlap = async (): Promise<Body> =>
  bodyOf(await shop.get('/v1/split-testing/overlap', { splitTestKey: 'hero', fresh: 'true' }));
const flagOverlap = async (flagKey: string, ruleId: string, query = {}): Promise<Body> =>
  bodyOf(await shop.get('/v1/flags/overlap', { flagKey, ruleId, fresh: 'true', ...query }));
const report = (exposures: object[]) =>
  accepted(shop.post('/v1/flags/usage', { propertyId: 'shop', exposures }));

/** 150 sessions that saw both, of which some sign up. */
async function visit(hero: string, variant: string, converted: number): Promise<void> {
  const sessions = Array.from({ length: 150 }, (_, index) => `${hero}-${variant}-${index}`);
  await accepted(
    shop.expose(...sessions.map((sessionId) => ({ splitTestKey: 'hero', variationKey: hero, sessionId }))),
  );
  await report(sessions.map((sessionId) => ({ flagKey: 'looks', ruleId: 'half', variant, sessionId })));
  await accepted(
    ...sessions.slice(0, converted).map((sessionId) => shop.increment({ goalId: 'signup', sessionId })),
  );
}

/** A user with two devices, who saw the same variation of the split test on both. */
async function meet(userId: string, variationKey: string, variant: string): Promise<void> {
  const devices = ['phone', 'laptop'].map((device) => `${userId}-${device}`);
  await accepted(
    ...devices.map((id) => shop.collect({ sessionId: id, visitorId: `v-${id}`, userId })),
    shop.expose(...devices.map((sessionId) => ({ splitTestKey: 'hero', variationKey, sessionId }))),
  );
  await report([{ flagKey: 'people', ruleId: 'parts', variant, userId }]);
}

describe('the overlap of split tests and measured rules', () => {
  it('is the same question from both sides', async () => {
    await visit('control', 'plain', 30);
    await visit('b', 'plain', 75);
    await visit('control', 'bold', 75);
    await visit('b', 'bold', 30);
    const { tests, summary, ...own } = await overlap();
    expect(own).not.toHaveProperty('measuredRule');
    const [first] = tests;
    expect(first).toMatchObject({
      splitTestKey: 'flag:looks/production/half',
      measuredRule: looks,
      name: 'The looks (Production, Half of all)',
      status: 'running',
      phase: 1,
      to: null,
      visitors: 600,
      share: 1,
      finding: 'interaction',
      cells: [
        { variation: 'control', otherVariation: 'plain', visitors: 150, mean: 0.2 },
        { variation: 'b', otherVariation: 'plain', visitors: 150, mean: 0.5 },
        { variation: 'control', otherVariation: 'bold', visitors: 150, mean: 0.5 },
        { variation: 'b', otherVariation: 'bold', visitors: 150, mean: 0.2 },
      ],
    });
    expect(first.differences[0].effects).toEqual([
      { otherVariation: 'plain', estimate: expect.closeTo(1.5, 9) },
      { otherVariation: 'bold', estimate: expect.closeTo(-0.6, 9) },
    ]);
    expect(summary).toBe(
      'The effect differs between the variations of "The looks (Production, Half of all)". 1 other test shares visitors with this one.',
    );
    // Rules that are not measured are compared with nothing.
    expect(tests.map((it: Body) => it.splitTestKey).sort()).toEqual([
      'flag:ended/production/parts',
      'flag:looks/production/half',
      'flag:people/production/parts',
      'flag:people/staging/parts',
    ]);

    const mirrored = await flagOverlap('looks', 'half');
    expect(mirrored).toMatchObject({
      splitTestKey: 'flag:looks/production/half',
      measuredRule: looks,
      phase: 1,
      leftOut: 0,
      summary:
        'The effect differs between the variations of "hero". 1 other test shares visitors with this one.',
    });
    const [hero, ...rules] = mirrored.tests;
    expect(hero).toMatchObject({ splitTestKey: 'hero', name: 'hero', visitors: 600, finding: 'interaction' });
    expect(hero).not.toHaveProperty('measuredRule');
    expect(hero.pValue).toBeCloseTo(first.pValue, 12);
    expect(hero.cells.map(({ visitors, mean }: Body) => [visitors, mean])).toEqual([
      [150, 0.2],
      [150, 0.5],
      [150, 0.5],
      [150, 0.2],
    ]);
    expect(rules.map(({ measuredRule, finding }: Body) => [measuredRule.flagKey, finding])).toEqual([
      ['ended', 'nobody'],
      ['people', 'nobody'],
      ['people', 'nobody'],
    ]);
  });

  it('knows users whom a server evaluates by their id alone, once', async () => {
    for (let index = 0; index < 6; index++) {
      await meet(`u${index}`, index % 2 === 0 ? 'control' : 'b', index < 3 ? 'plain' : 'bold');
    }
    const rowOf = ({ tests }: Body, key: string) => tests.find((it: Body) => it.splitTestKey === key);
    const people = rowOf(await overlap(), 'flag:people/production/parts');
    expect(people).toMatchObject({ visitors: 6, finding: 'collecting' });
    // Users among users: 600 sessions without one, and six with two visitors each.
    expect(people.share).toBeCloseTo(6 / 606, 9);
    expect(people.cells.map(({ visitors }: Body) => visitors)).toEqual([2, 1, 1, 2]);
    const own = await flagOverlap('people', 'parts', { environment: 'production' });
    expect(rowOf(own, 'hero')).toMatchObject({ visitors: 6, share: 1, finding: 'collecting' });
    expect(rowOf(own, 'flag:people/staging/parts').visitors).toBe(0);
    const staging = await flagOverlap('people', 'parts', { environment: 'staging' });
    expect(staging.measuredRule.environment).toBe('staging');
    expect(rowOf(staging, 'hero')).toMatchObject({ visitors: 0, finding: 'nobody' });
  });

  it('ends with the measurement', async () => {
    const owner = new PropertyManager(await ownerBrowser(shop.server));
    await nextMillisecond();
    bodyOf(await owner.post('/flags/ended/promote', { ruleId: 'parts', variant: 'bold' }));
    const { tests } = await overlap();
    const ended = tests.find((it: Body) => it.splitTestKey === 'flag:ended/production/parts');
    expect(ended.status).toBe('stopped');
    expect(ended.to).toBeGreaterThan(ended.from);
    await nextMillisecond();
    const { version } = await owner.read('/flags/plain');
    const environments = { production: { rules: [rule('parts')] } };
    bodyOf(await owner.patch('/flags/plain', { environments }, version));
    const late = await flagOverlap('plain', 'parts');
    expect(late.tests.map((it: Body) => it.splitTestKey)).not.toContain('flag:ended/production/parts');
    expect(late.tests.map((it: Body) => it.splitTestKey)).toContain('hero');
  });

  it('is for the secret key of the property and for its members, and needs a measured rule', async () => {
    const { browser } = await newMember(await ownerBrowser(shop.server), 'viewer@shop.example', 'viewer');
    const url = '/v1/flags/overlap?propertyId=shop&flagKey=looks&ruleId=half';
    expect(bodyOf(await browser.get(url)).measuredRule).toEqual(looks);
    const query = { flagKey: 'looks', ruleId: 'half' };
    const find = (changes: object, key?: string) =>
      shop.get('/v1/flags/overlap', { ...query, ...changes }, key);
    expectProblem(await find({}, OTHER_SECRET_KEY), { status: 403, code: 'wrong_property' });
    expect((await find({}, PUBLIC_KEY)).status).toBe(403);
    expectProblem(await find({ ruleId: 'no' }), { status: 404, code: 'not_found' });
    expectProblem(await find({ environment: 'mars' }), { status: 404, code: 'environment_not_found' });
  });
});
