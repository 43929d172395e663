import { accepted, closeShop, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { bodyOf, errorOf } from '@switchyard/testing/server/property-manager';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const SEGMENTS = [
  { id: 'readers', conditions: [{ attribute: 'path', operator: 'startsWith', values: ['/blog/'] }] },
];
const VISITORS = 40;

let shop: Shop;

beforeAll(async () => {
  shop = await openShop({ provision: sampleWith({ segments: SEGMENTS }) });
  const visits = Array.from({ length: VISITORS }, (_, index) => {
    const own = { sessionId: `s${index}`, visitorId: `v${index}` };
    const url = index % 4 === 0 ? '/blog/first' : '/';
    return shop.collect({ ...own, attributes: { n: index }, events: [{ type: 'pageview', url }] });
  });
  await accepted(...visits);
  // Of one of the others.
  await accepted(
    shop.collect({ sessionId: 'more', visitorId: 'v1', events: [{ type: 'pageview', url: '/blog/second' }] }),
  );
  const converted = Array.from({ length: 10 }, (_, index) =>
    shop.increment({ goalId: 'signup', sessionId: `s${index}` }),
  );
  await accepted(...converted);
});
afterAll(() => closeShop(shop));

const ask = (query: Record<string, string>) =>
  shop.get('/v1/split-testing/plan', { goalId: 'signup', smallestEffect: '0.5', ...query });
const plan = async (query: Record<string, string> = {}) => bodyOf(await ask(query));
const readers = JSON.stringify({ conditions: [{ operator: 'inSegment', values: ['readers'] }] });

describe('a plan for an audience', () => {
  it('counts only visitors with a session that matches', async () => {
    const all = await plan();
    expect(all).toMatchObject({ audience: null, dailyVisitors: VISITORS / 28 });
    const own = await plan({ audience: readers });
    const share = 11 / VISITORS;
    expect(own.audience).toEqual({ share, visitors: VISITORS, sampled: 1 });
    expect(own.dailyVisitors).toBeCloseTo((VISITORS / 28) * share, 10);
    expect(own.visitors).toBe(all.visitors);
    expect(own.days / all.days).toBeCloseTo(1 / share, 1);
    expect(own.baseline).toEqual(all.baseline);
    expect(own.words).toContain(' 28 % of the visitors belong to the audience. ');
    expect(all.words).not.toContain('audience');
    const half = await plan({ audience: readers, trafficAllocation: '50' });
    expect(half.dailyVisitors).toBeCloseTo(own.dailyVisitors / 2, 10);
  });

  it('looks at the days of the plan, and takes all conditions that tests can have', async () => {
    const nobody = { match: 'all', conditions: [{ attribute: 'n', operator: 'lessThan', values: [0] }] };
    expect(await plan({ audience: JSON.stringify(nobody), days: '2' })).toMatchObject({
      audience: { share: 0, visitors: VISITORS },
      dailyVisitors: 0,
      days: null,
    });
    const few = { conditions: [{ attribute: 'n', operator: 'matches', values: ['^3\\d$'] }] };
    expect((await plan({ audience: JSON.stringify(few) })).audience.share).toBe(10 / VISITORS);
  });

  it.each([
    ['what is no JSON', '{', '/audience'],
    ['no conditions', '{"conditions":[]}', '/audience/conditions'],
    ['another type', '"mobile"', '/audience'],
    ['unknown members', '{"conditions":[{"attribute":"a","operator":"isSet"}],"segment":"x"}', '/audience'],
    [
      'an unknown operator',
      '{"conditions":[{"attribute":"a","operator":"is"}]}',
      '/audience/conditions/0/operator',
    ],
    [
      'an unknown segment',
      '{"conditions":[{"operator":"inSegment","values":["nobody"]}]}',
      '/audience/conditions/0/values/0',
    ],
    [
      'patterns that pages do not have',
      '{"conditions":[{"attribute":"path","operator":"matches","values":["(?i)shop"]}]}',
      '/audience/conditions/0',
    ],
    ['too much text', JSON.stringify({ conditions: [], filler: 'x'.repeat(8200) }), '/audience'],
  ])('refuses %s', async (_what, audience, pointer) => {
    const { errors } = errorOf(await ask({ audience }), 400, 'invalid_request');
    expect(errors[0].pointer).toMatch(new RegExp(`^${pointer}`));
  });
});
