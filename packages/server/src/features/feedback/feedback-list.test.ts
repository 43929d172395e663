import { OTHER_SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import {
  accepted,
  closeShop,
  expectProblem,
  nextMillisecond,
  openShop,
  type Shop,
  sampleWith,
} from '@switchyard/testing/fixtures/shop';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

type Entry = TestResponse['body'];

let shop: Shop;
beforeAll(async () => {
  const feedbackTypes = [
    { id: 'paged', options: ['x', 'y'], textInput: true },
    { id: 'timed', options: ['x'], textInput: true },
    { id: 'filtered', options: ['x', 'y'], textInput: true },
    { id: 'shared', options: ['x'], textInput: true },
    { id: 'large', options: ['x'], textInput: true },
  ];
  const { properties } = sampleWith({ feedbackTypes });
  const merged = properties.map((property) =>
    property.id === 'other'
      ? { ...property, feedbackTypes: [{ id: 'shared', options: ['x'], textInput: true }] }
      : property,
  );
  shop = await openShop({ provision: { properties: merged } });
});
afterAll(() => closeShop(shop));

const list = async (query: Record<string, string>): Promise<Entry[]> => (await shop.feedback(query)).feedback;
const messages = async (query: Record<string, string>) => (await list(query)).map(({ message }) => message);
const submit = (feedbackTypeId: string, message: string, more = {}) =>
  shop.submit({ feedbackTypeId, message, ...more });

/** All pages. */
async function pages(query: Record<string, string>): Promise<Entry[][]> {
  const found: Entry[][] = [];
  let cursor: string | null = null;
  do {
    const page: TestResponse['body'] = await shop.feedback({
      ...query,
      ...(cursor === null ? {} : { cursor }),
    });
    found.push(page.feedback);
    cursor = page.nextCursor;
    expect(found.length).toBeLessThan(100);
  } while (cursor !== null);
  return found;
}

it('pages of large entries end at about 1 MiB, and the next page continues', async () => {
  const metadata = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`key-${i}`, 'x'.repeat(1024)]));
  const texts = Array.from({ length: 100 }, (_, i) => `${i} ${'x'.repeat(4990)}`);
  for (const text of texts) await accepted(submit('large', text, { metadata }));
  const found = await pages({ feedbackTypeId: 'large', limit: '500' });
  expect(
    found
      .flat()
      .map(({ message }) => message)
      .sort(),
  ).toEqual([...texts].sort());
  for (const page of found) expect(JSON.stringify(page).length).toBeLessThan(1.5 * 1024 * 1024);
});

describe('filters', () => {
  beforeAll(async () => {
    await accepted(submit('filtered', 'f1', { option: 'x', sessionId: 'one' }));
    await nextMillisecond();
    await accepted(submit('filtered', 'f2', { option: 'y', sessionId: 'one' }));
    await nextMillisecond();
    await accepted(submit('filtered', 'f3', { sessionId: 'two' }));
    await nextMillisecond();
    await accepted(submit('nps', 'n1', { option: 'good', sessionId: 'one' }));
  });

  const rows: { name: string; query: Record<string, string>; expected: string[] }[] = [
    { name: 'the type', query: { feedbackTypeId: 'filtered' }, expected: ['f3', 'f2', 'f1'] },
    { name: 'the session', query: { sessionId: 'one' }, expected: ['n1', 'f2', 'f1'] },
    { name: 'the option', query: { option: 'y' }, expected: ['f2'] },
    {
      name: 'type and session',
      query: { feedbackTypeId: 'filtered', sessionId: 'one' },
      expected: ['f2', 'f1'],
    },
    {
      name: 'type, session and option',
      query: { feedbackTypeId: 'filtered', sessionId: 'one', option: 'x' },
      expected: ['f1'],
    },
    { name: 'an option without entries', query: { option: 'unused' }, expected: [] },
    { name: 'an unknown session', query: { sessionId: 'unknown' }, expected: [] },
    {
      name: 'another type of the same session',
      query: { feedbackTypeId: 'thumbs', sessionId: 'one' },
      expected: [],
    },
  ];
  it.each(rows)('by $name, newest first', async ({ query, expected }) => {
    expect(await messages(query)).toEqual(expected);
  });

  it('by time: `from` is inclusive, `to` exclusive', async () => {
    const moments: number[] = [];
    for (const message of ['t1', 't2', 't3']) {
      await nextMillisecond();
      await accepted(submit('timed', message));
      moments.push((await list({ feedbackTypeId: 'timed', limit: '1' }))[0].createdAt);
    }
    const [first, second, third] = moments.map(String);
    const within = (query: Record<string, string>) => messages({ feedbackTypeId: 'timed', ...query });
    expect(await within({ from: second! })).toEqual(['t3', 't2']);
    expect(await within({ to: second! })).toEqual(['t1']);
    expect(await within({ from: first!, to: third! })).toEqual(['t2', 't1']);
    expect(await within({ from: third!, to: first! })).toEqual([]);
    expect(await within({ from: '0', to: '4102444800000' })).toEqual(['t3', 't2', 't1']);
  });

  it('by an unknown type: 404', async () => {
    const response = await shop.get('/v1/feedback', { feedbackTypeId: 'nothing' });
    expectProblem(response, { status: 404, code: 'feedback_type_not_found' });
  });
});

describe('pages', () => {
  const TOTAL = 53;
  beforeAll(async () => {
    for (let i = 0; i < TOTAL; i += 10) {
      const batch = Array.from({ length: Math.min(10, TOTAL - i) }, (_, j) =>
        submit('paged', `p${i + j}`, { option: j % 2 ? 'x' : 'y' }),
      );
      await accepted(...batch);
    }
  });

  it.each([1, 7, 50, 52, 53, 54, 500])('of %i have no gaps or duplicates, newest first', async (limit) => {
    const found = await pages({ feedbackTypeId: 'paged', limit: String(limit) });
    expect(found.slice(0, -1).every((page) => page.length === limit)).toBe(true);
    const entries = found.flat();
    expect(new Set(entries.map(({ id }) => id)).size).toBe(TOTAL);
    expect(entries.map(({ message }) => message).sort()).toEqual(
      Array.from({ length: TOTAL }, (_, i) => `p${i}`).sort(),
    );
    const times = entries.map(({ createdAt }) => createdAt);
    expect(times).toEqual([...times].sort((a, b) => b - a));
  });

  it('are stable while new entries arrive', async () => {
    const query = { feedbackTypeId: 'paged', limit: '20' };
    const first = await shop.feedback(query);
    await accepted(submit('paged', 'a newer one', { option: 'x' }));
    const second = await shop.feedback({ ...query, cursor: first.nextCursor });
    const third = await shop.feedback({ ...query, cursor: second.nextCursor });
    const found = [first, second, third].flatMap(({ feedback }) =>
      feedback.map(({ message }: Entry) => message),
    );
    expect(found).not.toContain('a newer one');
    expect(new Set(found).size).toBe(TOTAL);
    expect((await messages({ feedbackTypeId: 'paged', limit: '1' }))[0]).toBe('a newer one');
  });

  it('keep their filters', async () => {
    const found = await pages({ feedbackTypeId: 'paged', option: 'y', limit: '4' });
    expect(new Set(found.flat().map(({ option }) => option))).toEqual(new Set(['y']));
    expect(new Set(found.flat().map(({ id }) => id)).size).toBe(Math.ceil(TOTAL / 2));
  });

  it('have 50 entries by default', async () => {
    expect(await list({ feedbackTypeId: 'paged' })).toHaveLength(50);
  });

  const wrong: { name: string; query: Record<string, string>; pointer: string }[] = [
    { name: 'a limit of 0', query: { limit: '0' }, pointer: '/limit' },
    { name: 'a limit of 501', query: { limit: '501' }, pointer: '/limit' },
    { name: 'a limit of -1', query: { limit: '-1' }, pointer: '/limit' },
    { name: 'a fractional limit', query: { limit: '1.5' }, pointer: '/limit' },
    { name: 'a limit that is not a number', query: { limit: 'ten' }, pointer: '/limit' },
    { name: 'an empty limit', query: { limit: '' }, pointer: '/limit' },
    { name: 'an invalid cursor', query: { cursor: 'garbage' }, pointer: '/cursor' },
    { name: 'an empty cursor', query: { cursor: '' }, pointer: '/cursor' },
    { name: 'a cursor of null', query: { cursor: 'null' }, pointer: '/cursor' },
    {
      name: 'a cursor that is another JSON value',
      query: { cursor: btoa('{"at":1,"id":"x"}') },
      pointer: '/cursor',
    },
    { name: 'a cursor with a string for a time', query: { cursor: btoa('["1","x"]') }, pointer: '/cursor' },
    { name: 'a truncated cursor', query: { cursor: btoa('[1,') }, pointer: '/cursor' },
    { name: 'an invalid start', query: { from: 'yesterday' }, pointer: '/from' },
    { name: 'an invalid end', query: { to: '-1' }, pointer: '/to' },
    { name: 'an empty session', query: { sessionId: '' }, pointer: '/sessionId' },
    { name: 'a session of 501 characters', query: { sessionId: 'x'.repeat(501) }, pointer: '/sessionId' },
  ];
  it.each(wrong)('$name: 400', async ({ query, pointer }) => {
    expectProblem(await shop.get('/v1/feedback', query), {
      status: 400,
      code: 'invalid_request',
      pointers: [pointer],
    });
  });

  const hugeTimes = ['1e300', '9007199254740993', '99999999999999999999'];
  it.each(hugeTimes)('a time of %s is valid or rejected, but never a server error', async (time) => {
    const from = await shop.get('/v1/feedback', { feedbackTypeId: 'paged', from: time });
    const to = await shop.get('/v1/feedback', { feedbackTypeId: 'paged', to: time, limit: '500' });
    if (from.status === 200) expect(from.body.feedback).toEqual([]);
    else expectProblem(from, { status: 400, code: 'invalid_request', pointers: ['/from'] });
    if (to.status === 200) expect(to.body.feedback.length).toBeGreaterThanOrEqual(TOTAL);
    else expectProblem(to, { status: 400, code: 'invalid_request', pointers: ['/to'] });
  });
});

describe('identity', () => {
  it('can arrive after the feedback', async () => {
    await accepted(submit('nps', 'before', { sessionId: 'identity' }));
    const entry = async () => (await list({ sessionId: 'identity' }))[0];
    expect(await entry()).toMatchObject({ visitorId: null, userId: null });
    await accepted(shop.collect({ sessionId: 'identity', visitorId: 'v-1' }));
    expect(await entry()).toMatchObject({ visitorId: 'v-1', userId: null });
    await accepted(shop.collect({ sessionId: 'identity', visitorId: 'v-1', userId: 'u-1' }));
    expect(await entry()).toMatchObject({ visitorId: 'v-1', userId: 'u-1' });
    await accepted(submit('nps', 'after', { sessionId: 'identity' }));
    expect(await list({ sessionId: 'identity' })).toMatchObject([
      { message: 'after', visitorId: 'v-1', userId: 'u-1' },
      { message: 'before', visitorId: 'v-1', userId: 'u-1' },
    ]);
  });

  it('and entries of another property are not visible', async () => {
    const body = {
      propertyId: 'other',
      feedbackTypeId: 'shared',
      message: 'theirs',
      sessionId: 'identity-2',
    };
    await accepted(shop.server.call('POST', '/v1/feedback/submit', { key: OTHER_SECRET_KEY, body }));
    await accepted(submit('shared', 'ours', { sessionId: 'identity-2' }));
    await accepted(shop.collect({ sessionId: 'identity-2', visitorId: 'v-2' }));
    expect(await messages({ sessionId: 'identity-2' })).toEqual(['ours']);
    const theirs = await shop.server.call('GET', '/v1/feedback?propertyId=other', { key: OTHER_SECRET_KEY });
    expect(theirs.body.feedback).toMatchObject([{ message: 'theirs', visitorId: null }]);
  });
});
