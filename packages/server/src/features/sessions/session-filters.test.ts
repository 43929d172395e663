import { accepted, closeShop, expectProblem, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { afterAll, beforeAll, expect, it } from 'vitest';

type Query = Record<string, string>;

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0';
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';
const CRAWLER = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
  const visit = (sessionId: string, agent: string, url: string, country?: string) =>
    shop.collect(
      {
        sessionId,
        visitorId: sessionId.split('-')[0],
        ...(country !== undefined && { attributes: { country } }),
        events: [{ type: 'pageview', url }],
      },
      { 'user-agent': agent },
    );
  const see = (sessionId: string, variationKey: string) => ({
    splitTestKey: 'hero',
    variationKey,
    sessionId,
  });
  await accepted(
    visit('ann-1', FIREFOX, 'https://shop.example/buy?x=1', 'NL'),
    visit('ann-2', SAFARI, 'https://shop.example/', 'NL'),
    visit('bob-1', SAFARI, '/buy', 'DE'),
    visit('bob-2', FIREFOX, '/pricing'),
    visit('crawler-1', CRAWLER, '/pricing'),
  );
  await accepted(
    shop.expose(see('ann-1', 'b'), see('bob-1', 'b'), see('bob-2', 'control'), see('crawler-1', 'control')),
  );
  await accepted(
    shop.increment({ goalId: 'signup', sessionId: 'ann-2' }),
    shop.increment({ goalId: 'revenue', sessionId: 'bob-1', amount: 9 }),
    shop.decrement({ goalId: 'revenue', sessionId: 'bob-1', amount: 4 }),
    shop.submit({ feedbackTypeId: 'nps', option: 'good', sessionId: 'ann-1' }),
    shop.submit({ feedbackTypeId: 'thumbs', option: 'up', sessionId: 'server-1' }),
  );
});
afterAll(() => closeShop(shop));

const ids = async (query: Query): Promise<string[]> =>
  (await shop.sessions(query)).sessions.map(({ sessionId }: { sessionId: string }) => sessionId).sort();

const hero = { splitTestKey: 'hero' };
const rows: { query: Query; expected: string[] }[] = [
  { query: { country: 'NL' }, expected: ['ann-1', 'ann-2'] },
  { query: { country: '(none)' }, expected: ['bob-2', 'crawler-1', 'server-1'] },
  { query: { device: 'mobile', country: 'DE' }, expected: ['bob-1'] },
  { query: { browser: 'Firefox' }, expected: ['ann-1', 'bob-2'] },
  { query: { browser: 'Netscape' }, expected: [] },
  { query: { os: 'iOS' }, expected: ['ann-2', 'bob-1'] },
  { query: { page: '/buy' }, expected: ['ann-1', 'bob-1'] },
  { query: { page: '/' }, expected: ['ann-2'] },
  { query: { bots: 'only' }, expected: ['crawler-1'] },
  { query: { bots: 'exclude', page: '/pricing' }, expected: ['bob-2'] },
  { query: { bots: 'include', page: '/pricing' }, expected: ['bob-2', 'crawler-1'] },
  { query: { hasFeedback: 'true' }, expected: ['ann-1', 'server-1'] },
  { query: { hasFeedback: 'false', browser: 'Firefox' }, expected: ['bob-2'] },
  { query: { feedbackTypeId: 'thumbs' }, expected: ['server-1'] },
  { query: { feedbackTypeId: 'thumbs', hasFeedback: 'false', country: 'NL' }, expected: ['ann-1', 'ann-2'] },
  { query: { ...hero, phase: '1', variationKey: 'b' }, expected: ['ann-1', 'bob-1'] },
  { query: { ...hero, multipleVariations: 'true' }, expected: ['bob-1', 'bob-2'] },
  { query: { ...hero, multipleVariations: 'true', variationKey: 'control' }, expected: ['bob-2'] },
  { query: { ...hero, multipleVariations: 'false', bots: 'exclude' }, expected: ['ann-1'] },
  { query: { ...hero, goalId: 'signup' }, expected: [] },
  { query: { ...hero, goalId: 'signup', converted: 'true' }, expected: ['ann-1'] },
  { query: { ...hero, goalId: 'signup', converted: 'false', bots: 'exclude' }, expected: ['bob-1', 'bob-2'] },
  { query: { ...hero, goalId: 'revenue', converted: 'true' }, expected: ['bob-1', 'bob-2'] },
];
it.each(rows)('$query: $expected', async ({ query, expected }) => {
  expect(await ids(query)).toEqual(expected);
});

it('says which sessions are those of crawlers', async () => {
  const { sessions } = await shop.sessions();
  for (const { sessionId, bot } of sessions) {
    expect([sessionId, bot]).toEqual([sessionId, sessionId === 'crawler-1']);
  }
  expect((await shop.session('crawler-1')).bot).toBe(true);
});

it('rejects filters that need another one, and unknown phases and types', async () => {
  const problem = { status: 400, code: 'invalid_request' };
  const get = (query: Query) => shop.get('/v1/sessions', query);
  const incomplete: Query[] = [
    { phase: '1' },
    { multipleVariations: 'true' },
    { converted: 'true', goalId: 'signup' },
  ];
  for (const query of incomplete) {
    expectProblem(await get(query), { ...problem, pointers: ['/splitTestKey'] });
  }
  expectProblem(await get({ ...hero, converted: 'true' }), { ...problem, pointers: ['/goalId'] });
  expectProblem(await get({ bots: 'all', hasFeedback: '2' }), {
    ...problem,
    pointers: ['/bots', '/hasFeedback'],
  });
  expectProblem(await get({ ...hero, phase: '2' }), { ...problem, pointers: ['/phase'] });
  expectProblem(await get({ feedbackTypeId: 'nothing' }), { status: 404, code: 'feedback_type_not_found' });
});
