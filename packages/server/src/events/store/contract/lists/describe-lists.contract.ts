import { DAY_MS } from '@switchyard/core/time';
import { expect, test } from 'vitest';
import type { AcceptedRequest } from '../../accepted-request.ts';
import type { EventStore } from '../../event-store.ts';
import { type FeedbackFilter, MAX_COUNTED } from '../../feedback-queries.ts';
import type { SessionConditions } from '../../session-conditions.ts';
import type { SplitTestPhase, SplitTestUnit } from '../../split-test-queries.ts';
import { T0 } from '../random-requests.contract.ts';
import { collect, entry, exposure, exposures, goal } from '../sample-requests.contract.ts';

interface Suite {
  store: () => EventStore;
  add: (...requests: AcceptedRequest[]) => Promise<void>;
  nextProperty: () => string;
}

/** The contract for the filters of sessions and feedback, beyond what random data shows. */
export function describeLists({ store, add, nextProperty }: Suite): void {
  const sessionsOf = async (propertyId: string, conditions: SessionConditions) =>
    (await store().sessionPage({ propertyId, limit: 50, ...conditions })).rows
      .map(({ sessionId }) => sessionId)
      .sort();
  const feedbackOf = async (filter: FeedbackFilter) =>
    (await store().feedbackPage({ ...filter, limit: 50 })).rows.map(({ id }) => id).sort();

  test('the page of a view is the path of its URL', async () => {
    const propertyId = nextProperty();
    const long = `/${'x'.repeat(600)}`;
    const urls = {
      absolute: 'https://shop.example:8080/buy?x=1#top',
      relative: '/buy#top',
      root: 'https://shop.example?x=/buy',
      deeper: 'https://shop.example/buy/now',
      long: `https://shop.example${long}`,
      missing: undefined,
    };
    await add(
      ...Object.entries(urls).map(([sessionId, url]) =>
        collect({ propertyId, sessionId, receivedAt: T0 }, [
          { type: 'pageview', at: T0, ...(url && { url }) },
          { type: 'event', at: T0, url: '/event' },
        ]),
      ),
    );
    expect(await sessionsOf(propertyId, { page: '/buy' })).toEqual(['absolute', 'relative']);
    expect(await sessionsOf(propertyId, { page: '/' })).toEqual(['root']);
    expect(await sessionsOf(propertyId, { page: long.slice(0, 500) })).toEqual(['long']);
    expect(await sessionsOf(propertyId, { page: null })).toEqual(['missing']);
    for (const page of ['/event', 'buy', '.*', '/bu.'])
      expect(await sessionsOf(propertyId, { page })).toEqual([]);
  });

  test('a session of a page that stores nothing on the device is not listed', async () => {
    const propertyId = nextProperty();
    const visit = (sessionId: string, visitorId: string) =>
      collect({ propertyId, sessionId, visitorId, receivedAt: T0 }, [
        { type: 'pageview', at: T0, url: '/buy' },
      ]);
    await add(
      visit('plain', 'ann'),
      visit('cookieless-1', 'cookieless-1'),
      exposures(propertyId, T0, [exposure('cookieless-2', T0)]),
      goal({ propertyId, sessionId: 'cookieless-3', receivedAt: T0 }),
    );
    expect(await sessionsOf(propertyId, {})).toEqual(['plain']);
    expect(await sessionsOf(propertyId, { page: '/buy' })).toEqual(['plain']);
    expect(await sessionsOf(propertyId, { visitorId: 'cookieless-1' })).toEqual([]);
    expect(await sessionsOf(propertyId, { goalId: 'signup' })).toEqual([]);
  });

  test('a visitor is converted or mixed across sessions, and only within the phase', async () => {
    const propertyId = nextProperty();
    const visit = (sessionId: string, visitorId: string, at: number) =>
      collect({ propertyId, sessionId, visitorId, receivedAt: T0 + at });
    const see = (sessionId: string, at: number, variationKey: string, phase: number) =>
      exposures(propertyId, T0 + at, [{ ...exposure(sessionId, T0 + at), variationKey, phase }]);
    await add(
      see('ann-1', 10, 'a', 1),
      visit('ann-1', 'ann', 11),
      visit('ann-2', 'ann', 12),
      goal({ propertyId, sessionId: 'ann-2', receivedAt: T0 + 20 }),
      visit('bob-1', 'bob', 13),
      see('bob-1', 14, 'a', 1),
      visit('bob-2', 'bob', 15),
      see('bob-2', 16, 'b', 1),
      goal({ propertyId, sessionId: 'bob-1', receivedAt: T0 + 5 }),
      visit('cid-1', 'cid', 17),
      see('cid-1', 18, 'a', 1),
      see('cid-1', 19, 'b', 2),
      goal({ propertyId, sessionId: 'cid-1', receivedAt: T0 + 30 }),
    );
    const phase: SplitTestPhase = {
      splitTestKey: 'hero',
      variationKeys: ['a', 'b'],
      phase: 1,
      from: 0,
      to: T0 + DAY_MS,
      endsAt: T0 + DAY_MS,
      until: T0 + 99,
      hasEarlierPhases: false,
      hasLaterPhases: true,
    };
    const converted = (value: boolean) => ({ converted: { goalId: 'signup', isRevenue: false, value } });
    const of = (exposed: object) => sessionsOf(propertyId, { exposed: { ...phase, ...exposed } });
    expect(await of({ multipleVariations: true })).toEqual(['bob-1', 'bob-2']);
    expect(await of({ multipleVariations: false })).toEqual(['ann-1', 'cid-1']);
    // Cid converted after seeing the next phase.
    expect(await of(converted(true))).toEqual(['ann-1']);
    expect(await of({ ...converted(true), phase: 2, hasEarlierPhases: true })).toEqual(['cid-1']);
    expect(await of({ ...converted(true), hasLaterPhases: false })).toEqual(['ann-1', 'cid-1']);
    expect(await of({ ...converted(true), hasLaterPhases: false, until: T0 + 25 })).toEqual(['ann-1']);
    expect(await of(converted(false))).toEqual(['bob-1', 'bob-2', 'cid-1']);
    expect(await of({ variationKey: 'b' })).toEqual(['bob-2']);
    expect(await of({ phase: 2 })).toEqual(['cid-1']);
    expect(await of({ splitTestKey: 'unknown' })).toEqual([]);
    expect(await of({ endsAt: T0 + 14 })).toEqual(['ann-1']);
  });

  test('the sessions of a user belong together in a test that counts users', async () => {
    const propertyId = nextProperty();
    const visit = (sessionId: string, visitorId: string, at: number) =>
      collect({ propertyId, sessionId, visitorId, userId: 'ann', receivedAt: T0 + at });
    await add(
      visit('phone', 'v1', 1),
      visit('laptop', 'v2', 2),
      exposures(propertyId, T0 + 3, [exposure('phone', T0 + 3)]),
      goal({ propertyId, sessionId: 'laptop', receivedAt: T0 + 4 }),
    );
    const of = (unit: SplitTestUnit) =>
      sessionsOf(propertyId, {
        exposed: {
          splitTestKey: 'hero',
          variationKeys: ['a', 'b'],
          phase: 1,
          from: 0,
          to: T0 + DAY_MS,
          endsAt: T0 + DAY_MS,
          until: T0 + DAY_MS,
          hasEarlierPhases: false,
          hasLaterPhases: false,
          unit,
          converted: { goalId: 'signup', isRevenue: false, value: true },
        },
      });
    expect(await of('user')).toEqual(['phone']);
    expect(await of('visitor')).toEqual([]);
  });

  test('feedback of a variation is what its visitors submitted after the exposure, in any session', async () => {
    const propertyId = nextProperty();
    const own = (id: string, sessionId: string, at: number) =>
      entry({ propertyId, id, sessionId, receivedAt: T0 + at });
    await add(
      collect({ propertyId, sessionId: 's1', visitorId: 'ann', receivedAt: T0 }),
      own('before', 's1', 1),
      exposures(propertyId, T0 + 2, [exposure('s1', T0 + 2)]),
      own('same session', 's1', 3),
      own('other session', 's2', 4),
      own('stranger', 's3', 5),
      collect({ propertyId, sessionId: 's2', visitorId: 'ann', receivedAt: T0 + 6 }),
      entry({ propertyId, id: 'no session', receivedAt: T0 + 7 }),
    );
    const after = ['other session', 'same session'];
    expect(await feedbackOf({ propertyId, splitTestKey: 'hero' })).toEqual(after);
    expect(await feedbackOf({ propertyId, splitTestKey: 'hero', variationKey: 'a' })).toEqual(after);
    expect(await feedbackOf({ propertyId, splitTestKey: 'hero', variationKey: 'b' })).toEqual([]);
  });

  test('text is searched literally', async () => {
    const propertyId = nextProperty();
    const texts = { percent: '100% sure', plain: '1000 sure', quote: `it's "odd"\\`, zero: 'a\0b' };
    await add(
      ...Object.entries(texts).map(([id, message]) => entry({ propertyId, id, message, receivedAt: T0 })),
    );
    expect(await feedbackOf({ propertyId, search: '0% S' })).toEqual(['percent']);
    expect(await feedbackOf({ propertyId, search: `IT'S "odd"\\` })).toEqual(['quote']);
    expect(await feedbackOf({ propertyId, search: 'a\0B' })).toEqual(['zero']);
    expect(await feedbackOf({ propertyId, search: '_' })).toEqual([]);
  });

  test('a summary counts the options chosen most', async () => {
    const propertyId = nextProperty();
    const answers = Array.from({ length: MAX_COUNTED + 5 }, (_, option) =>
      Array.from({ length: option < 5 ? 1 : 2 }, (_, time) =>
        entry({ propertyId, option: `o${option}`, receivedAt: T0 + time * DAY_MS }),
      ),
    ).flat();
    await add(...answers, entry({ propertyId, message: 'text only', receivedAt: T0 }));
    const summary = await store().feedbackSummary({ propertyId, interval: 'day', timeZone: 'UTC' });
    expect(summary.total).toBe(2 * MAX_COUNTED + 6);
    expect(summary.types).toEqual([{ feedbackTypeId: 'nps', total: summary.total, withMessage: 1 }]);
    expect(summary.options).toHaveLength(MAX_COUNTED);
    expect(new Set(summary.options.map(({ count }) => count))).toEqual(new Set([2]));
    expect(summary.series.map(({ total }) => total)).toEqual([MAX_COUNTED + 6, MAX_COUNTED]);
    for (const { counts } of summary.series) expect(counts).toEqual(Array(MAX_COUNTED).fill(1));
  });
}
