import { DAY_MS, HOUR_MS, MINUTE_MS } from '@switchyard/core/time';
import { accepted, closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, errorOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ZONE = 'Asia/Kathmandu';
/** Always 5 hours and 45 minutes ahead of UTC. */
const OFFSET = 5 * HOUR_MS + 45 * MINUTE_MS;
/** Yesterday's midnight there. */
const MIDNIGHT = Math.floor((Date.now() + OFFSET) / DAY_MS) * DAY_MS - OFFSET - DAY_MS;

let shop: Shop;
let owner: PropertyManager;
beforeAll(async () => {
  shop = await openShop({ env: WITH_OWNER });
  owner = new PropertyManager(await ownerBrowser(shop.server));
  bodyOf(await owner.patch('', { timeZone: ZONE }, '*'), 200);
  const visit = (sessionId: string, timestamp: number) =>
    shop.collect({ sessionId, visitorId: sessionId, events: [{ type: 'pageview', url: '/', timestamp }] });
  await accepted(
    visit('before', MIDNIGHT - 1),
    visit('first', MIDNIGHT),
    visit('noon', MIDNIGHT + 12 * HOUR_MS),
    visit('day-before', MIDNIGHT - DAY_MS + 2 * HOUR_MS),
  );
});
afterAll(() => closeShop(shop));

describe('the setting', () => {
  it('is stored, described in the history, and checked', async () => {
    expect(await owner.read('')).toMatchObject({ timeZone: ZONE });
    const [change] = await owner.history('?limit=1');
    expect(JSON.stringify(change)).toContain(ZONE);
    errorOf(await owner.patch('', { timeZone: 'Mars/Olympus' }, '*'), 400, 'invalid_request');
    errorOf(await owner.patch('', { timeZone: '+01:00' }, '*'), 400, 'invalid_request');
  });

  it('can be chosen when a property is created; the default is UTC', async () => {
    const create = (body: object) => owner.browser.call('POST', '/v1/manage/properties', { body });
    expect(bodyOf(await create({ id: 'a', timeZone: 'Europe/Berlin' }), 201).timeZone).toBe('Europe/Berlin');
    expect(bodyOf(await create({ id: 'b' }), 201).timeZone).toBe('UTC');
    const { errors } = errorOf(await create({ id: 'c', timeZone: 'Berlin' }), 400, 'invalid_request');
    expect(errors).toMatchObject([{ pointer: '/timeZone' }]);
  });
});

describe('reports', () => {
  const get = async (path: string, query: Record<string, number | string>) => {
    const text = Object.entries(query).map(([name, value]) => [name, String(value)]);
    return bodyOf(await shop.get(path, Object.fromEntries(text)), 200);
  };
  const days = { from: MIDNIGHT - DAY_MS, to: MIDNIGHT + DAY_MS };

  it('have its days, and say so', async () => {
    const series = await get('/v1/traffic/series', { ...days, interval: 'day' });
    expect(series.timeZone).toBe(ZONE);
    expect(series.buckets.map((it: { at: number; sessions: number }) => [it.at, it.sessions])).toEqual([
      [MIDNIGHT - DAY_MS, 2],
      [MIDNIGHT, 2],
    ]);
    const goal = await get('/v1/goals/progress', { ...days, goalId: 'signup' });
    const feedback = await get('/v1/feedback/summary', { ...days, interval: 'day' });
    for (const { timeZone, series: buckets } of [goal, feedback]) {
      expect(timeZone).toBe(ZONE);
      expect(buckets.map(({ at }: { at: number }) => at)).toEqual([MIDNIGHT - DAY_MS, MIDNIGHT]);
    }
  });

  it('compare a day so far with the same part of the day before', async () => {
    const query = { from: MIDNIGHT, to: MIDNIGHT + 10 * HOUR_MS };
    const expected = { from: MIDNIGHT - DAY_MS, to: MIDNIGHT - 14 * HOUR_MS };
    const summary = await get('/v1/traffic/summary', query);
    expect(summary.previousPeriod).toEqual(expected);
    expect([summary.current.sessions, summary.previous.sessions]).toEqual([1, 1]);
    const goal = await get('/v1/goals/progress', { ...query, goalId: 'signup' });
    const feedback = await get('/v1/feedback/summary', query);
    expect([goal.previousPeriod, feedback.previousPeriod]).toEqual([expected, expected]);
  });

  it('compare a week with the one before if asked', async () => {
    const query = { from: MIDNIGHT, to: MIDNIGHT + 10 * HOUR_MS, compare: 'week' };
    const expected = { from: MIDNIGHT - 7 * DAY_MS, to: MIDNIGHT - 7 * DAY_MS + 10 * HOUR_MS };
    for (const path of ['/v1/traffic/summary', '/v1/feedback/summary', '/v1/goals/progress']) {
      const goal: Record<string, string> = path.includes('goals') ? { goalId: 'signup' } : {};
      expect((await get(path, { ...query, ...goal })).previousPeriod).toEqual(expected);
    }
  });

  it('of split tests over time have its days', async () => {
    await accepted(
      shop.expose({ splitTestKey: 'hero', variationKey: 'b', sessionId: 'first', timestamp: Date.now() }),
    );
    const { timeZone, series } = await shop.results('hero', { include: 'series' });
    expect(timeZone).toBe(ZONE);
    const local = series.map(({ at }: { at: number }) => (at + OFFSET) % DAY_MS);
    expect(local).toEqual([0]);
  });
});
