import { createHash } from 'node:crypto';
import { assign } from '@switchyard/core/evaluation/assignment';
import { isInAudience } from '@switchyard/core/evaluation/audience';
import * as audienceValues from '@switchyard/core/evaluation/audience-values';
import { USER_AGENT_NAMES } from '@switchyard/core/evaluation/user-agent-names';
import { PUBLIC_KEY } from '@switchyard/testing/fixtures/sample-property';
import { accepted, closeShop, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, errorOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseUserAgent } from '../sessions/user-agent.ts';

const variations = [
  { key: 'control', weight: 50, value: 'a' },
  { key: 'b', weight: 30, value: 'b' },
  { key: 'c', weight: 20, value: 'c' },
];
const test = (key: string, fields: object = {}) => ({
  key,
  type: 'text',
  status: 'running',
  hashSeed: `seed-${key}`,
  variations,
  ...fields,
});
const plan = (...values: string[]) => ({ attribute: 'plan', operator: 'in', values });
const staff = { attribute: 'email', operator: 'endsWith', values: ['@Shop.example'], caseInsensitive: true };

const SEGMENTS = [
  { id: 'staff', conditions: [staff] },
  {
    id: 'paying',
    match: 'any',
    conditions: [plan('pro', 'team'), { operator: 'inSegment', values: ['staff'] }],
  },
];
const TESTS = [
  test('everybody'),
  test('nested'),
  test('by-plan', { audience: { conditions: [plan('pro')] } }),
  test('by-segment', {
    audience: {
      match: 'any',
      conditions: [
        { operator: 'inSegment', values: ['paying'], negate: true },
        { attribute: 'userId', operator: 'notIn', values: ['ann', 'bob'] },
      ],
    },
  }),
];

let shop: Shop;
let manager: PropertyManager;
beforeAll(async () => {
  const provision = sampleWith({ splitTests: TESTS, segments: SEGMENTS });
  shop = await openShop({ provision, env: WITH_OWNER });
  manager = new PropertyManager(await ownerBrowser(shop.server));
});
afterAll(() => closeShop(shop));

const patch = (url: string, fields: object) => manager.patch(url, fields, '*');
const latestWords = async () => (await manager.history('?limit=1'))[0].summary.join();

const configText = async () => (await shop.get('/v1/split-testing/config', {}, PUBLIC_KEY)).text;
const published = async (key: string) =>
  JSON.parse(await configText()).tests.find((each: { key: string }) => each.key === key);
const reader = (context: Record<string, unknown>) => (name: string) => context[name];
const tools = { regex: () => () => false, values: audienceValues };

describe('the audience of a split test', () => {
  it('is published with its segments resolved, and omitted if everybody takes part', async () => {
    expect(await published('everybody')).not.toHaveProperty('audience');
    expect((await published('by-plan')).audience).toEqual({
      match: 'all',
      conditions: [{ attribute: 'plan', operator: 'in', values: ['pro'] }],
    });
    const { audience } = await published('by-segment');
    expect(audience.match).toBe('any');
    expect(audience.conditions[0].negate).toBe(true);
    const isMember = (context: Record<string, unknown>) => isInAudience(audience, reader(context), tools);
    expect(isMember({ plan: 'pro', userId: 'ann' })).toBe(false);
    expect(isMember({ plan: 'free', userId: 'ann' })).toBe(true);
    expect(isMember({ plan: 'pro', userId: 'eve' })).toBe(true);
    expect(isMember({ email: 'JO@SHOP.example', userId: 'bob' })).toBe(false);
    expect(isMember({ email: 'jo@else.example', userId: 'bob' })).toBe(true);
  });

  it('contains users and addresses as salted hashes only', async () => {
    const text = (await configText()).toLowerCase();
    for (const secret of ['@shop.example', '"ann"', '"bob"']) expect(text).not.toContain(secret);
    const hash = createHash('sha256').update('seed-by-segmentann').digest('hex').slice(0, 32);
    expect((await published('by-segment')).audience.conditions[1]).toEqual({
      attribute: 'userId',
      operator: 'in',
      negate: true,
      salt: 'seed-by-segment',
      values: [hash, expect.stringMatching(/^[\da-f]{32}$/)],
    });
  });

  it('opens a phase when it changes, also by its segments, but not when its members are in another order', async () => {
    const url = '/split-tests/by-plan';
    const phases = async () => bodyOf(await manager.get(url)).phases;
    expect(await phases()).toHaveLength(1);
    const { values, ...rest } = plan('pro');
    const reordered = { conditions: [{ values, ...rest }], match: 'all' };
    bodyOf(await patch(url, { audience: reordered }));
    expect(await phases()).toHaveLength(1);
    bodyOf(await patch(url, { audience: { conditions: [plan('team')] } }));
    expect((await phases()).at(-1)).toMatchObject({ number: 2, reasons: ['audience'] });
    expect(await latestWords()).toContain('Audience, condition 1: plan is pro → plan is team');
    bodyOf(await patch(url, { audience: null }));
    expect(bodyOf(await manager.get(url))).not.toHaveProperty('audience');
    expect(await phases()).toHaveLength(3);

    bodyOf(await patch('/segments/staff', { name: 'Our people' }));
    expect(bodyOf(await manager.get('/split-tests/by-segment')).phases).toHaveLength(1);
    const conditions = [staff, { attribute: 'plan', operator: 'equals', values: ['staff'] }];
    bodyOf(await patch('/segments/staff', { conditions }));
    const { phases: reopened } = bodyOf(await manager.get('/split-tests/by-segment'));
    expect(reopened.at(-1)).toMatchObject({ number: 2, reasons: ['audience'] });
  });

  it.each([
    ['no conditions', { conditions: [] }, '/audience/conditions'],
    [
      'an unknown segment',
      { conditions: [{ operator: 'inSegment', values: ['nobody'] }] },
      '/audience/conditions/0/values/0',
    ],
    [
      'a wrong number',
      { conditions: [{ attribute: 'hour', operator: 'lessThan', values: ['x'] }] },
      '/audience/conditions/0/values/0',
    ],
    [
      'a pattern that browsers do not have',
      { conditions: [{ attribute: 'path', operator: 'matches', values: ['(?i)shop'] }] },
      '/audience/conditions/0',
    ],
    [
      'a pattern for addresses',
      { conditions: [{ attribute: 'email', operator: 'matches', values: ['.*'] }] },
      '/audience/conditions/0',
    ],
    [
      'too many values',
      { conditions: [plan(...Array.from({ length: 1000 }, String)), plan('pro')] },
      '/audience/conditions',
    ],
  ])('is refused with %s', async (_what, audience, pointer) => {
    const response = await patch('/split-tests/everybody', { audience });
    expect(response.status).toBe(400);
    expect(response.body.errors.map((each: { pointer: string }) => each.pointer)).toEqual([pointer]);
  });

  it('is refused if its segments contain each other so often that pages would have to load too much', async () => {
    const ids = Array.from({ length: 40 }, (_, level) => `level-${level}`);
    for (const [level, id] of ids.entries()) {
      const contained = { operator: 'inSegment', values: [ids[level - 1], ids[level - 1]] };
      const conditions = level === 0 ? [plan('pro')] : [contained];
      bodyOf(await manager.put(`/segments/${id}`, { conditions }), 201);
    }
    const within = (id: string) => ({ audience: { conditions: [{ operator: 'inSegment', values: [id] }] } });
    const response = await patch('/split-tests/nested', within('level-39'));
    expect(response.status).toBe(400);
    expect(response.text).toContain('has more than 1000 values');
    bodyOf(await patch('/split-tests/nested', within('level-3')));
  });

  it('keeps its segments: they cannot be deleted, nor get conditions that pages cannot evaluate', async () => {
    const { version } = bodyOf(await manager.get('/segments/paying'));
    const headers = { 'if-match': `"${version}"` };
    const deleted = await manager.browser.call('DELETE', `${manager.url}/segments/paying`, { headers });
    errorOf(deleted, 409, 'in_use');
    const response = await patch('/segments/staff', {
      conditions: [{ attribute: 'email', operator: 'matches', values: ['@shop'] }],
    });
    expect(response.status).toBe(400);
    expect(response.text).toContain('would break the audience of the split test');
  });
});

describe('a retired variation', () => {
  it('keeps its place: its visitors see the control without being counted, and nobody else moves', async () => {
    const before = await published('everybody');
    const url = '/split-tests/everybody';
    const retired = variations.map((each) => (each.key === 'b' ? { ...each, retired: true } : each));
    const saved = bodyOf(await patch(url, { variations: retired }));
    expect(saved.variations).toEqual(retired);
    expect(saved.phases).toHaveLength(1);
    expect(saved.phases[0].definition.variations[1].retired).toBe(true);
    const after = await published('everybody');
    expect(after.variations).toEqual([
      variations[0],
      { key: 'control', weight: 30, value: 'a', retired: true },
      variations[2],
    ]);
    let moved = 0;
    for (let index = 0; index < 2000; index++) {
      const visitor = `visitor-${index}`;
      const old = assign(before, visitor);
      const isRetired = variations[old.index]!.key === 'b';
      expect(assign(after, visitor)).toEqual(isRetired ? { included: false, index: 0 } : old);
      // A client that does not know the member.
      const { variations: known, ...test } = after;
      const unaware = assign(
        { ...test, variations: known.map(({ key, weight }: never) => ({ key, weight })) },
        visitor,
      );
      expect(known[unaware.index].key).toBe(isRetired ? 'control' : variations[old.index]!.key);
      if (isRetired) moved++;
    }
    expect(moved).toBeGreaterThan(500);
    expect(await latestWords()).toBe('Split test everybody – Variation 2 retired');
  });

  it('is accepted in exposures of pages that have the old definitions', async () => {
    await accepted(shop.expose({ splitTestKey: 'everybody', variationKey: 'b', sessionId: 's-1', phase: 1 }));
  });

  it('opens a phase when it comes back', async () => {
    const { phases } = bodyOf(await patch('/split-tests/everybody', { variations }));
    expect(phases.at(-1)).toMatchObject({ number: 2, reasons: ['variations'] });
  });

  const retire = (...keys: string[]) =>
    variations.map((each) => ({ ...each, retired: keys.includes(each.key) }));
  it.each([
    ['the control', 'running', retire('control'), 0],
    ['every variation', 'running', retire('b', 'c'), 1],
    ['in a draft', 'draft', retire('b'), 1],
  ])('is refused for %s', async (_what, status, list, index) => {
    const response = await manager.put('/split-tests/new', { type: 'text', status, variations: list });
    expect(response.status).toBe(400);
    expect(response.body.errors.map((each: { pointer: string }) => each.pointer)).toEqual([
      `/variations/${index}/retired`,
    ]);
  });
});

/** From the lists of the browsers' makers. */
const USER_AGENTS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 OPR/125.0.0.0',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0',
  'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0.7444.77 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/145.0 Mobile/15E148 Safari/605.1.15',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) EdgiOS/142.0.3595.66 Version/18.0 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (iPad; CPU OS 17_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 10; HD1913) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.7444.102 Mobile Safari/537.36 EdgA/142.0.0.0',
  'Mozilla/5.0 (Android 16; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0',
  'Mozilla/5.0 (Linux; Android 10; VOG-L29) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.7444.102 Mobile Safari/537.36 OPR/76.2.4027.73374',
];

describe('devices and browsers', () => {
  it.each(USER_AGENTS)('of %s have the names that the service gives them', (userAgent) => {
    const software = parseUserAgent(userAgent);
    for (const attribute of ['device', 'browser'] as const) {
      const names = Object.entries(USER_AGENT_NAMES[attribute]!)
        .filter(([, audience]) => isInAudience(audience, reader({ userAgent }), tools))
        .map(([name]) => name);
      expect(names).toEqual([software[attribute]]);
    }
  });
});
