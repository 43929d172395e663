import { HOUR_MS } from '@switchyard/core/time';
import {
  closeShop,
  expectAccepted,
  expectProblem,
  openShop,
  type Shop,
} from '@switchyard/testing/fixtures/shop';
import { afterAll, beforeAll, expect, it } from 'vitest';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => closeShop(shop));

const hero = (more: object = {}) => ({ splitTestKey: 'hero', variationKey: 'b', ...more });

it('a session, its events and its exposures are stored by one request', async () => {
  const at = Date.now() - HOUR_MS;
  expectAccepted(
    await shop.collect({
      sessionId: 'one-request',
      visitorId: 'v-one-request',
      events: [{ type: 'pageview', url: 'https://shop.example/', timestamp: at }],
      exposures: [
        hero({ timestamp: at + 1, phase: 1, attributes: { plan: 'pro' } }),
        // The session of the request counts.
        { splitTestKey: 'finished', variationKey: 'b', sessionId: 'another', timestamp: at + 2 },
      ],
    }),
  );
  const session = await shop.session('one-request');
  expect(session).toMatchObject({
    visitorId: 'v-one-request',
    pageviews: 1,
    startedAt: at,
    lastSeenAt: at + 2,
    exposures: [
      { splitTestKey: 'hero', variationKey: 'b', at: at + 1 },
      { splitTestKey: 'finished', variationKey: 'b', at: at + 2 },
    ],
  });
  expect(session.timeline).toMatchObject([
    { type: 'pageview' },
    { type: 'exposure', attributes: { plan: 'pro' } },
    { type: 'exposure' },
  ]);
  expect(await shop.isUnknown('another')).toBe(true);
});

it('unknown tests and variations are dropped, and the rest is stored', async () => {
  const unknown = [hero({ variationKey: 'unknown' }), { splitTestKey: 'unknown', variationKey: 'b' }];
  const ids = { sessionId: 'unknown-test', visitorId: 'v' };
  expectAccepted(await shop.collect({ ...ids, exposures: [...unknown, hero()] }));
  expectAccepted(await shop.collect({ ...ids, events: [{ type: 'pageview' }], exposures: unknown }));
  expectAccepted(await shop.collect({ ...ids, exposures: [] }));
  const session = await shop.session('unknown-test');
  expect(session).toMatchObject({ pageviews: 1, exposures: [{ splitTestKey: 'hero', variationKey: 'b' }] });
});

it('one idempotency key covers both: repeated and concurrent requests count once', async () => {
  const send = (variationKey = 'b') =>
    shop.collect(
      {
        sessionId: 'repeated',
        visitorId: 'v',
        events: [{ type: 'pageview' }],
        exposures: [hero({ variationKey })],
      },
      { 'idempotency-key': 'both' },
    );
  for (const response of await Promise.all(Array.from({ length: 20 }, () => send())))
    expectAccepted(response);
  expectProblem(await send('control'), { status: 422, code: 'idempotency_key_reused' });
  const { timeline } = await shop.session('repeated');
  expect(timeline.map(({ type }: { type: string }) => type).sort()).toEqual(['exposure', 'pageview']);
});

it('exposures of crawlers are marked', async () => {
  await shop.collect(
    { sessionId: 'crawler', visitorId: 'v', exposures: [hero()] },
    { 'user-agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' },
  );
  expect(await shop.session('crawler')).toMatchObject({ bot: true, exposures: [{ splitTestKey: 'hero' }] });
});

it('both are there after a restart', async () => {
  const dataDir = shop.server.dataDir;
  expectAccepted(
    await shop.collect({
      sessionId: 'killed',
      visitorId: 'v-killed',
      events: [{ type: 'pageview' }],
      exposures: [hero()],
    }),
  );
  await shop.server.stop('SIGKILL');
  shop = await openShop({ dataDir });
  expect(await shop.session('killed')).toMatchObject({
    visitorId: 'v-killed',
    pageviews: 1,
    exposures: [{ splitTestKey: 'hero' }],
  });
});

const wrong: { name: string; exposures: unknown; pointers: string[] }[] = [
  { name: 'exposures that are not a list', exposures: {}, pointers: ['/exposures'] },
  {
    name: '501 exposures',
    exposures: Array.from({ length: 501 }, () => hero()),
    pointers: ['/exposures'],
  },
  {
    name: 'an exposure without a variation',
    exposures: [{ splitTestKey: 'hero' }],
    pointers: ['/exposures/0/variationKey'],
  },
  {
    name: 'attributes that are a list',
    exposures: [hero({ attributes: [] })],
    pointers: ['/exposures/0/attributes'],
  },
];
it.each(wrong)('not $name', async ({ exposures, pointers }) => {
  const response = await shop.collect({ sessionId: 'wrong', visitorId: 'v', exposures });
  expectProblem(response, { status: 400, code: 'invalid_request', pointers });
  expect(await shop.isUnknown('wrong')).toBe(true);
});
