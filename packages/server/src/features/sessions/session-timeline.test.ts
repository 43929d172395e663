import { HOUR_MS } from '@switchyard/core/time';
import { accepted, closeShop, expectProblem, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { mulberry32 } from '@switchyard/testing/random/mulberry32';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

type Entry = TestResponse['body'];

const SEED = 20_261_115;
/** The max number of events in a request. */
const BATCH = 500;
/** The max size of a page: the budget, the entry that exceeds it, and the fields of the session. */
const MAX_BYTES = 1.5 * 1024 * 1024;

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => closeShop(shop));

const pageOf = (sessionId: string, query: Record<string, string> = {}): Promise<TestResponse> =>
  shop.get(`/v1/sessions/${sessionId}`, query);

/** Reads all pages. */
async function walk(
  sessionId: string,
  limitOf: () => number,
  between?: (page: number) => Promise<void>,
): Promise<Entry[][]> {
  const pages: Entry[][] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const limit = limitOf();
    const { body, text } = await pageOf(sessionId, { limit: String(limit), ...(cursor && { cursor }) });
    expect(text.length).toBeLessThan(MAX_BYTES);
    expect(body.timeline.length).toBeLessThanOrEqual(limit);
    pages.push(body.timeline);
    cursor = body.nextCursor;
    if (cursor !== null) await between?.(pages.length);
  }
  return pages;
}

describe('a session of thousands of events', () => {
  const TOTAL = 3000;
  const at = Date.now() - HOUR_MS;

  beforeAll(async () => {
    const events = Array.from({ length: TOTAL }, (_, i) => ({
      type: 'event',
      name: `e${i}`,
      timestamp: at + Math.floor(i / 700),
    }));
    for (let from = 0; from < TOTAL; from += BATCH) {
      await accepted(
        shop.collect({ sessionId: 'long', visitorId: 'v', events: events.slice(from, from + BATCH) }),
      );
    }
  });

  it('has pages of 200 by default, each with all other fields of the session', async () => {
    const { body } = await pageOf('long');
    expect(body.timeline).toHaveLength(200);
    expect(body.timeline.map(({ name }: Entry) => name)).toEqual(
      Array.from({ length: 200 }, (_, i) => `e${i}`),
    );
    const { timeline, nextCursor, ...session } = body;
    expect(session).toMatchObject({ sessionId: 'long', visitorId: 'v', startedAt: at, events: TOTAL });
    const second = (await pageOf('long', { cursor: nextCursor })).body;
    expect(second).toMatchObject(session);
    expect(second.timeline[0].name).toBe('e200');
  });

  it('has pages of up to 1000, and no cursor after the last one', async () => {
    const pages = await walk('long', () => 1000);
    expect(pages.map((page) => page.length)).toEqual([1000, 1000, 1000]);
    expect(pages.flat().map(({ name }) => name)).toEqual(Array.from({ length: TOTAL }, (_, i) => `e${i}`));
  });

  const wrong: { name: string; query: Record<string, string>; pointer: string }[] = [
    { name: 'a limit of 0', query: { limit: '0' }, pointer: '/limit' },
    { name: 'a limit of 1001', query: { limit: '1001' }, pointer: '/limit' },
    { name: 'an invalid cursor', query: { cursor: 'garbage' }, pointer: '/cursor' },
    {
      name: 'a cursor of the session list',
      query: { cursor: btoa('[1767225600000,"s"]') },
      pointer: '/cursor',
    },
    { name: 'a cursor with a huge number', query: { cursor: btoa('[1,1e300]') }, pointer: '/cursor' },
    { name: 'a cursor that is null', query: { cursor: btoa('null') }, pointer: '/cursor' },
  ];
  it.each(wrong)('$name: 400', async ({ query, pointer }) => {
    expectProblem(await pageOf('long', query), { status: 400, code: 'invalid_request', pointers: [pointer] });
  });

  it('is empty after the last entry', async () => {
    const { body } = await pageOf('long', { cursor: btoa(JSON.stringify([at + HOUR_MS, 0, 'local'])) });
    expect(body).toMatchObject({ timeline: [], nextCursor: null });
  });
});

describe('events of all kinds with the same times', () => {
  const nameOf = (entry: Entry): string =>
    entry.name ?? entry.attributes?.name ?? entry.metadata?.name ?? entry.message;

  it(`are paged without gaps or duplicates, even while more arrive (seed ${SEED})`, async () => {
    const random = mulberry32(SEED);
    const sessionId = 'mixed';
    const now = Date.now();
    let count = 0;
    /** Few different times, so that hundreds of events share one. */
    const timestamp = () => now + Math.floor(random() * 4) * 50;
    const nextName = () => `n${count++}`;
    const sendSome = async (): Promise<string[]> => {
      const events = Array.from({ length: 200 }, () => ({
        type: 'event',
        name: nextName(),
        timestamp: timestamp(),
      }));
      const exposures = Array.from({ length: 100 }, () => ({
        splitTestKey: 'hero',
        variationKey: 'b',
        sessionId,
        timestamp: timestamp(),
        attributes: { name: nextName() },
      }));
      const [goal, message] = [nextName(), nextName()];
      await accepted(
        shop.collect({ sessionId, visitorId: 'v', events }),
        shop.expose(...exposures),
        shop.increment({ goalId: 'signup', sessionId, metadata: { name: goal } }),
        shop.submit({ feedbackTypeId: 'nps', sessionId, message }),
      );
      return [
        ...events.map(({ name }) => name),
        ...exposures.map(({ attributes }) => attributes.name),
        goal,
        message,
      ];
    };
    const before: string[] = [];
    for (let round = 0; round < 8; round++) before.push(...(await sendSome()));
    const late: string[] = [];
    const pages = await walk(
      sessionId,
      () => 1 + Math.floor(random() ** 3 * 400),
      async (page) => {
        if (page % 7 !== 3) return;
        await sendSome();
        late.push(`late${page}`);
        const event = { type: 'event', name: `late${page}`, timestamp: now + HOUR_MS };
        await accepted(shop.collect({ sessionId, visitorId: 'v', events: [event] }));
      },
    );
    const listed = pages.flat();
    const names = listed.map(nameOf);
    expect(new Set(names).size).toBe(names.length);
    // All earlier events are listed; those that arrived meanwhile are listed if they come after the cursor.
    const known = new Set(before);
    expect(names.filter((name) => known.has(name)).sort()).toEqual([...before].sort());
    expect(names.filter((name) => name.startsWith('late'))).toEqual(late);
    const times = listed.map((entry) => entry.at);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    // Reading again gives the same order, and all the rest.
    const again = (await walk(sessionId, () => 1000)).flat().map(nameOf);
    expect(again.filter((name) => known.has(name))).toEqual(names.filter((name) => known.has(name)));
    expect(again).toHaveLength(count + late.length);
  });
});

describe('the size of a page', () => {
  it('is limited in a timeline, whatever its events contain', async () => {
    const sessionId = 'heavy';
    const [large, odd] = ['x'.repeat(8000), '\u0001'.repeat(1024)];
    for (let round = 0; round < 8; round++) {
      const events = Array.from({ length: 60 }, () => ({
        type: 'event',
        title: odd,
        properties: { large },
      }));
      await accepted(shop.collect({ sessionId, visitorId: 'v', events }));
    }
    const pages = await walk(sessionId, () => 1000);
    expect(pages.flat()).toHaveLength(480);
    expect(pages.length).toBeGreaterThan(4);
  });

  it('is limited in a list of sessions', async () => {
    const url = `https://shop.example/${'x'.repeat(4000)}`;
    const start = Date.now() - 2 * HOUR_MS;
    const ids = Array.from({ length: 200 }, (_, i) => `wide-${String(i).padStart(3, '0')}`);
    for (const sessionId of ids) {
      const view = { type: 'pageview', url, referrer: url, timestamp: start };
      await accepted(shop.collect({ sessionId, visitorId: 'wide', events: [view] }));
    }
    const listed: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const response = await shop.get('/v1/sessions', {
        limit: '500',
        from: String(start),
        to: String(start + 1),
        ...(cursor && { cursor }),
      });
      expect(response.text.length).toBeLessThan(MAX_BYTES);
      listed.push(...response.body.sessions.map(({ sessionId }: Entry) => sessionId));
      cursor = response.body.nextCursor;
    }
    expect(listed).toEqual(ids.toReversed());
  });
});
