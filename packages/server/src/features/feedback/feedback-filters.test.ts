import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS } from '@switchyard/core/time';
import {
  accepted,
  closeShop,
  expectProblem,
  nextMillisecond,
  openShop,
  type Shop,
} from '@switchyard/testing/fixtures/shop';
import { SlowClient } from '@switchyard/testing/network/slow-client';
import { ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

type Query = Record<string, string>;
type Body = TestResponse['body'];

let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ env: WITH_OWNER });
  const see = (sessionId: string, variationKey: string) =>
    shop.expose({ splitTestKey: 'hero', variationKey, sessionId });
  await accepted(
    shop.submit({ feedbackTypeId: 'nps', option: 'bad', message: 'too early', sessionId: 'ann-1' }),
    shop.collect({ sessionId: 'ann-1', visitorId: 'ann' }),
    shop.collect({ sessionId: 'ann-2', visitorId: 'ann' }),
    shop.collect({ sessionId: 'bob-1', visitorId: 'bob', userId: 'u-bob' }),
  );
  await nextMillisecond();
  await accepted(see('ann-1', 'b'), see('bob-1', 'control'));
  await accepted(
    shop.submit({ feedbackTypeId: 'nps', option: 'good', message: 'FAST Checkout', sessionId: 'ann-2' }),
    shop.submit({ feedbackTypeId: 'nps', option: 'good', sessionId: 'bob-1' }),
    shop.submit({ feedbackTypeId: 'thumbs', option: 'up' }),
    shop.submit({ feedbackTypeId: 'nps', message: '=1+1, "fast"', metadata: { page: '/' } }),
  );
});
afterAll(() => closeShop(shop));

async function get(path: string, query: Query): Promise<TestResponse> {
  const response = await shop.get(`/v1/feedback/${path}`, query);
  expect(response.status, response.text).toBe(200);
  return response;
}
const summary = async (query: Query = {}): Promise<Body> => (await get('summary', query)).body;

const EARLY = ['nps', 'bad', 'too early'];
const FAST = ['nps', 'good', 'FAST Checkout'];
const BOB = ['nps', 'good', null];
const THUMB = ['thumbs', 'up', null];
const FORMULA = ['nps', null, '=1+1, "fast"'];

const rows: { query: Query; expected: (string | null)[][] }[] = [
  { query: {}, expected: [EARLY, FAST, BOB, THUMB, FORMULA] },
  { query: { hasMessage: 'true' }, expected: [EARLY, FAST, FORMULA] },
  { query: { hasMessage: 'false' }, expected: [BOB, THUMB] },
  { query: { search: 'fast' }, expected: [FAST, FORMULA] },
  { query: { search: 'Fast c', feedbackTypeId: 'nps', option: 'good' }, expected: [FAST] },
  { query: { search: '%' }, expected: [] },
  { query: { visitorId: 'ann' }, expected: [EARLY, FAST] },
  { query: { userId: 'u-bob' }, expected: [BOB] },
  { query: { splitTestKey: 'hero' }, expected: [FAST, BOB] },
  { query: { splitTestKey: 'hero', variationKey: 'b' }, expected: [FAST] },
  { query: { splitTestKey: 'hero', variationKey: 'unknown' }, expected: [] },
  { query: { status: 'new', hasMessage: 'false' }, expected: [BOB, THUMB] },
  { query: { status: 'done' }, expected: [] },
];

it.each(rows)('$query: the same entries in the list, the summary and the export', async (row) => {
  const { feedback } = await shop.feedback(row.query);
  const entries = feedback.map((entry: Body) => [entry.feedbackTypeId, entry.option, entry.message]);
  const sorted = (list: unknown[]) => list.map((it) => JSON.stringify(it)).sort();
  expect(sorted(entries)).toEqual(sorted(row.expected));
  expect((await summary(row.query)).total).toBe(row.expected.length);
  const lines = (await get('export', row.query)).text.trimEnd().split('\r\n');
  expect(lines).toHaveLength(1 + row.expected.length);
});

describe('the summary', () => {
  it('counts types, options, statuses and buckets', async () => {
    const { from, to, series, previous, previousPeriod, timeZone, ...rest } = await summary();
    expect([previousPeriod, timeZone]).toEqual([{ from: from - (to - from), to: from }, 'UTC']);
    expect(to - from).toBe(30 * DAY_MS);
    expect(rest).toEqual({
      complete: true,
      total: 5,
      withMessage: 3,
      types: [
        { feedbackTypeId: 'nps', total: 4, withMessage: 3 },
        { feedbackTypeId: 'thumbs', total: 1, withMessage: 0 },
      ],
      options: [
        { feedbackTypeId: 'nps', option: 'good', count: 2 },
        expect.objectContaining({ count: 1 }),
        expect.objectContaining({ count: 1 }),
      ],
      statuses: { new: 5, seen: 0, done: 0 },
      bots: { total: 0 },
    });
    expect(previous).toEqual({ total: 0 });
    expect([30, 31]).toContain(series.length);
    expect(series[0]).toEqual({ at: expect.any(Number), total: 0, counts: [0, 0, 0], partial: true });
    const sum = (pick: (bucket: Body) => number) =>
      series.reduce((total: number, bucket: Body) => total + pick(bucket), 0);
    expect([sum(({ total }) => total), sum(({ counts }) => counts[0])]).toEqual([5, 2]);
  });

  it('compares with the period before', async () => {
    const from = Date.now() + 1;
    const query = { from: String(from), to: String(from + DAY_MS), interval: 'hour' };
    const { total, previous, series } = await summary(query);
    expect([total, previous.total]).toEqual([0, 5]);
    expect([24, 25]).toContain(series.length);
  });

  it('has at most 1,000 buckets', async () => {
    const problem = { status: 400, code: 'invalid_request' };
    const long = { from: '0', to: String(1001 * DAY_MS) };
    expectProblem(await shop.get('/v1/feedback/summary', long), { ...problem, pointers: ['/interval'] });
    expect((await summary({ ...long, interval: 'week' })).series).toHaveLength(144);
    const backwards = await shop.get('/v1/feedback/summary', { from: '2', to: '1' });
    expectProblem(backwards, { ...problem, pointers: ['/from'] });
  });
});

describe('the export', () => {
  it('is a CSV file without formulas', async () => {
    const { text, headers } = await get('export', { feedbackTypeId: 'nps', search: '=1' });
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="feedback.csv"');
    const [names, entry, ...more] = text.split('\r\n');
    expect(names).toBe(
      'id,created_at,feedback_type,option,message,status,notes,session_id,visitor_id,user_id,metadata,bot',
    );
    expect(entry).toMatch(
      /^fbk_[\w-]+,\d{4}-\d\d-\d\dT[\d:.]+Z,nps,,"'=1\+1, ""fast""",new,,,,,"{""page"":""\/""}",false$/,
    );
    expect(more).toEqual(['']);
  });

  it('leaves room for others when clients leave at any moment', async () => {
    const { cookieHeader } = await ownerBrowser(shop.server);
    const path = '/v1/feedback/export?propertyId=shop';
    const start = `GET ${path} HTTP/1.1\r\nhost: shop.example\r\ncookie: ${cookieHeader}\r\n\r\n`;
    for (let wait = 0; wait < 40; wait++) {
      const client = await SlowClient.open(shop.server.url, start);
      await sleep(wait / 8);
      client.close();
    }
    const download = async () => (await shop.get('/v1/feedback/export')).status;
    await expect.poll(download).toBe(200);
  });

  it('without entries has only the names of the columns', async () => {
    expect((await get('export', { visitorId: 'nobody' })).text).toMatch(/^id,.*\r\n$/);
  });
});

it.each(['/v1/feedback', '/v1/feedback/summary', '/v1/feedback/export'])(
  '%s rejects invalid filters',
  async (path) => {
    const invalid = { variationKey: 'b', search: 'x'.repeat(201), hasMessage: 'yes', status: 'old' };
    expectProblem(await shop.get(path, invalid), {
      status: 400,
      code: 'invalid_request',
      pointers: ['/hasMessage', '/search', '/splitTestKey', '/status'],
    });
    const unknownTest = await shop.get(path, { splitTestKey: 'nothing' });
    expectProblem(unknownTest, { status: 404, code: 'split_test_not_found' });
    const unknownType = await shop.get(path, { feedbackTypeId: 'nothing' });
    expectProblem(unknownType, { status: 404, code: 'feedback_type_not_found' });
  },
);
