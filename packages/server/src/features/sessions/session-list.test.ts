import { HOUR_MS } from '@switchyard/core/time';
import {
  accepted,
  closeShop,
  expectProblem,
  openShop,
  type Shop,
  sampleWith,
} from '@switchyard/testing/fixtures/shop';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

type Session = TestResponse['body'];

const MINUTE = 60 * 1000;
/** The sessions of the filter tests start minutes after this time. */
const BASE = Date.now() - 60 * HOUR_MS;

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => closeShop(shop));

const list = async (query: Record<string, string>): Promise<Session[]> =>
  (await shop.sessions(query)).sessions;
const ids = async (query: Record<string, string>) => (await list(query)).map(({ sessionId }) => sessionId);

describe('filters', () => {
  beforeAll(async () => {
    const visit = (sessionId: string, minute: number, visitorId: string, userId?: string) =>
      shop.collect({
        sessionId,
        visitorId,
        userId,
        events: [{ type: 'pageview', url: '/', timestamp: BASE + minute * MINUTE }],
      });
    const exposure = (sessionId: string, splitTestKey: string, variationKey: string) => ({
      splitTestKey,
      variationKey,
      sessionId,
      timestamp: BASE + 50 * MINUTE,
    });
    await accepted(
      visit('f1', 1, 'fv1', 'fu1'),
      visit('f2', 2, 'fv1'),
      visit('f3', 3, 'fv2', 'fu1'),
      visit('f4', 4, 'fv3', 'fu2'),
      visit('f5', 5, 'fv3'),
    );
    await accepted(
      shop.expose(
        exposure('f1', 'hero', 'b'),
        exposure('f2', 'hero', 'control'),
        exposure('f3', 'hero', 'b'),
        exposure('f3', 'finished', 'control'),
        exposure('f4', 'finished', 'b'),
      ),
      shop.increment({ goalId: 'signup', sessionId: 'f1' }),
      shop.increment({ goalId: 'revenue', sessionId: 'f3', amount: 5 }),
      shop.increment({ goalId: 'signup', sessionId: 'f4' }),
    );
  });

  const rows: { query: Record<string, string>; expected: string[] }[] = [
    { query: {}, expected: ['f5', 'f4', 'f3', 'f2', 'f1'] },
    { query: { visitorId: 'fv1' }, expected: ['f2', 'f1'] },
    { query: { visitorId: 'unknown' }, expected: [] },
    { query: { userId: 'fu1' }, expected: ['f3', 'f1'] },
    { query: { userId: 'unknown' }, expected: [] },
    { query: { splitTestKey: 'hero' }, expected: ['f3', 'f2', 'f1'] },
    { query: { splitTestKey: 'finished' }, expected: ['f4', 'f3'] },
    { query: { splitTestKey: 'hero', variationKey: 'b' }, expected: ['f3', 'f1'] },
    { query: { splitTestKey: 'hero', variationKey: 'control' }, expected: ['f2'] },
    { query: { splitTestKey: 'finished', variationKey: 'control' }, expected: ['f3'] },
    { query: { goalId: 'signup' }, expected: ['f4', 'f1'] },
    { query: { goalId: 'revenue' }, expected: ['f3'] },
    { query: { splitTestKey: 'hero', goalId: 'signup' }, expected: ['f1'] },
    { query: { splitTestKey: 'hero', variationKey: 'control', goalId: 'signup' }, expected: [] },
    {
      query: { visitorId: 'fv2', userId: 'fu1', splitTestKey: 'hero', variationKey: 'b', goalId: 'revenue' },
      expected: ['f3'],
    },
    { query: { visitorId: 'fv1', userId: 'fu2' }, expected: [] },
    { query: { limit: '2' }, expected: ['f5', 'f4'] },
    { query: { userId: 'fu1', limit: '1' }, expected: ['f3'] },
  ];
  // Only the sessions of these tests started in this period.
  const period = { from: String(BASE), to: String(BASE + HOUR_MS) };
  it.each(rows)('$query', async ({ query, expected }) => {
    expect(await ids({ ...period, ...query })).toEqual(expected);
  });

  const minute = (number: number) => String(BASE + number * MINUTE);
  const times: { name: string; query: Record<string, string>; expected: string[] }[] = [
    { name: '`from` is inclusive', query: { from: minute(3), to: minute(9) }, expected: ['f5', 'f4', 'f3'] },
    { name: '`to` is exclusive', query: { from: minute(0), to: minute(3) }, expected: ['f2', 'f1'] },
    {
      name: 'one millisecond',
      query: { from: minute(3), to: String(BASE + 3 * MINUTE + 1) },
      expected: ['f3'],
    },
    { name: 'an end before the start', query: { from: minute(5), to: minute(1) }, expected: [] },
    {
      name: 'with other filters',
      query: { from: minute(2), to: minute(9), userId: 'fu1' },
      expected: ['f3'],
    },
    { name: '`to` alone', query: { to: minute(3) }, expected: ['f2', 'f1'] },
  ];
  it.each(times)('time: $name', async ({ query, expected }) => {
    expect(await ids(query)).toEqual(expected);
  });

  const hugeTimes = ['1e300', '9007199254740993', '99999999999999999999'];
  it.each(hugeTimes)('a time of %s is valid or rejected, but never a server error', async (time) => {
    for (const name of ['from', 'to']) {
      const response = await shop.get('/v1/sessions', { [name]: time, visitorId: 'fv2' });
      if (response.status === 200) expect(response.body.sessions).toHaveLength(name === 'to' ? 1 : 0);
      else expectProblem(response, { status: 400, code: 'invalid_request', pointers: [`/${name}`] });
    }
  });

  it('an unknown test: 404', async () => {
    expectProblem(await shop.get('/v1/sessions', { splitTestKey: 'nothing' }), {
      status: 404,
      code: 'split_test_not_found',
    });
  });

  it('an unknown goal: 404', async () => {
    expectProblem(await shop.get('/v1/sessions', { goalId: 'nothing' }), {
      status: 404,
      code: 'goal_not_found',
    });
  });

  const wrong: { name: string; query: Record<string, string>; pointer: string }[] = [
    { name: 'a variation without its test', query: { variationKey: 'b' }, pointer: '/splitTestKey' },
    { name: 'a limit of 0', query: { limit: '0' }, pointer: '/limit' },
    { name: 'a limit of 501', query: { limit: '501' }, pointer: '/limit' },
    { name: 'a negative limit', query: { limit: '-5' }, pointer: '/limit' },
    { name: 'a fractional limit', query: { limit: '0.5' }, pointer: '/limit' },
    { name: 'a limit that is not a number', query: { limit: 'all' }, pointer: '/limit' },
    { name: 'an invalid cursor', query: { cursor: 'garbage' }, pointer: '/cursor' },
    { name: 'an empty cursor', query: { cursor: '' }, pointer: '/cursor' },
    { name: 'a cursor that is another JSON value', query: { cursor: btoa('{}') }, pointer: '/cursor' },
    { name: 'a cursor of the wrong types', query: { cursor: btoa('[null,5]') }, pointer: '/cursor' },
    { name: 'a cursor with a huge time', query: { cursor: btoa('[1e300,"x"]') }, pointer: '/cursor' },
    { name: 'a cursor of 2049 characters', query: { cursor: 'x'.repeat(2049) }, pointer: '/cursor' },
    { name: 'a start that is not a number', query: { from: 'today' }, pointer: '/from' },
    { name: 'a negative end', query: { to: '-1' }, pointer: '/to' },
    { name: 'an empty visitor', query: { visitorId: '' }, pointer: '/visitorId' },
    { name: 'an empty user', query: { userId: '' }, pointer: '/userId' },
  ];
  it.each(wrong)('$name: 400', async ({ query, pointer }) => {
    expectProblem(await shop.get('/v1/sessions', query), {
      status: 400,
      code: 'invalid_request',
      pointers: [pointer],
    });
  });
});

describe('a session with many exposures', () => {
  it('lists the first hundred, and lastSeenAt is the time of the latest', async () => {
    const tests = Array.from({ length: 60 }, (_, i) => `many-${String(i).padStart(2, '0')}`);
    const splitTests = tests.map((key) => ({
      key,
      type: 'id',
      status: 'running',
      variations: ['a', 'b'].map((variation) => ({ key: variation, weight: 1 })),
    }));
    const busy = await openShop({ provision: sampleWith({ splitTests }) });
    try {
      const first = Date.now() - HOUR_MS;
      const exposures = tests.flatMap((splitTestKey, i) =>
        ['a', 'b'].map((variationKey, j) => ({
          splitTestKey,
          variationKey,
          sessionId: 'busy',
          timestamp: first + 2 * i + j,
        })),
      );
      await accepted(busy.expose(...exposures.toReversed()));
      const { sessions } = await busy.sessions();
      expect(sessions[0]).toMatchObject({ startedAt: first, lastSeenAt: first + 119 });
      expect(sessions[0].exposures).toEqual(
        exposures.slice(0, 100).map(({ sessionId: _, timestamp: at, ...shown }) => ({ ...shown, at })),
      );
    } finally {
      await closeShop(busy);
    }
  });
});

describe('pages', () => {
  const TOTAL = 120;
  /** Ten sessions start in each millisecond from here, so that page boundaries fall on ties. */
  const start = Date.now() - 20 * HOUR_MS;
  const names = Array.from({ length: TOTAL }, (_, i) => `page-${String((i * 37) % TOTAL).padStart(3, '0')}`);
  const period = { from: String(start), to: String(start + HOUR_MS) };

  beforeAll(async () => {
    const exposures = names.map((sessionId, i) => ({
      splitTestKey: 'hero',
      variationKey: i % 2 ? 'b' : 'control',
      sessionId,
      timestamp: start + Math.floor(i / 10),
    }));
    await accepted(shop.expose(...exposures));
  });

  async function walk(query: Record<string, string>, between?: () => Promise<void>): Promise<Session[][]> {
    const pages: Session[][] = [];
    let cursor: string | null = null;
    do {
      const page: TestResponse['body'] = await shop.sessions({
        ...query,
        ...(cursor === null ? {} : { cursor }),
      });
      pages.push(page.sessions);
      cursor = page.nextCursor;
      expect(pages.length).toBeLessThanOrEqual(TOTAL + 1);
      await between?.();
    } while (cursor !== null);
    return pages;
  }

  const idsOf = (pages: Session[][]) => pages.flat().map(({ sessionId }) => sessionId);

  it.each([7, 10, 50, 119, 120, 121, 500])(
    'of %i have no gaps or duplicates, newest first',
    async (limit) => {
      const pages = await walk({ ...period, limit: String(limit) });
      expect(pages).toHaveLength(Math.ceil(TOTAL / limit));
      expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
      expect(idsOf(pages)).toHaveLength(TOTAL);
      expect(new Set(idsOf(pages))).toEqual(new Set(names));
      const times = pages.flat().map(({ startedAt }) => startedAt);
      expect(times).toEqual([...times].sort((a, b) => b - a));
    },
  );

  it('of 1 list every session', async () => {
    const query = { ...period, splitTestKey: 'hero', variationKey: 'b', to: String(start + 3) };
    expect(new Set(idsOf(await walk({ ...query, limit: '1' })))).toEqual(new Set(await ids(query)));
  });

  it('have 50 sessions by default', async () => {
    expect(await list(period)).toHaveLength(50);
  });

  it('keep their filters', async () => {
    const pages = await walk({ ...period, splitTestKey: 'hero', variationKey: 'b', limit: '7' });
    expect(new Set(idsOf(pages))).toEqual(new Set(names.filter((_, i) => i % 2 === 1)));
    expect(idsOf(pages)).toHaveLength(TOTAL / 2);
  });

  it('are stable while newer sessions arrive', async () => {
    let arrived = 0;
    const pages = await walk({ from: String(start), limit: '7' }, async () => {
      arrived += 1;
      await accepted(shop.collect({ sessionId: `arrived-${arrived}`, visitorId: 'v' }));
    });
    const ours = idsOf(pages).filter((sessionId: string) => sessionId.startsWith('page-'));
    expect(ours).toHaveLength(TOTAL);
    expect(new Set(ours)).toEqual(new Set(names));
    expect(idsOf(pages).filter((sessionId: string) => sessionId.startsWith('arrived-'))).toEqual([]);
  });

  it('are stable while late events move the start of sessions back', async () => {
    const begun = Date.now() - 40 * HOUR_MS;
    const older = Array.from({ length: 30 }, (_, i) => `older-${String(i).padStart(2, '0')}`);
    const at = (sessionId: string, timestamp: number) => ({
      splitTestKey: 'hero',
      variationKey: 'b',
      sessionId,
      timestamp,
    });
    await accepted(shop.expose(...older.map((sessionId, i) => at(sessionId, begun + 1000 + i))));
    // The newest, already listed, moves to the end; others move before or after they are listed, one of them twice.
    const moves = [
      [at('older-29', begun)],
      [at('older-10', begun + 900), at('older-20', begun + 800)],
      [at('older-10', begun + 700), at('older-03', begun + 600), at('older-28', begun + 1003)],
    ];
    const query = { from: String(begun), to: String(begun + HOUR_MS), splitTestKey: 'hero', limit: '4' };
    const pages = await walk(query, async () => {
      const exposures = moves.shift();
      if (exposures) await accepted(shop.expose(...exposures));
    });
    expect(idsOf(pages)).toEqual(older.toReversed());
    const times = pages.flat().map(({ startedAt }) => startedAt);
    expect(times).toEqual([...times].sort((a, b) => b - a));
    // A new query lists them in their new order.
    expect(idsOf(await walk(query)).slice(-5)).toEqual([
      'older-00',
      'older-20',
      'older-10',
      'older-03',
      'older-29',
    ]);
  });

  it('are empty after the last session', async () => {
    const cursor = Buffer.from(JSON.stringify([0, ''])).toString('base64url');
    expect(await shop.sessions({ cursor })).toEqual({ sessions: [], nextCursor: null });
  });
});
