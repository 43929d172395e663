import { HOUR_MS } from '@switchyard/core/time';
import { PUBLIC_KEY } from '@switchyard/testing/fixtures/sample-property';
import {
  accepted,
  closeShop,
  expectAccepted,
  expectProblem,
  openShop,
  type Shop,
} from '@switchyard/testing/fixtures/shop';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => closeShop(shop));

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';

describe('a session', () => {
  it('contains everything that was collected', async () => {
    const start = Date.now() - HOUR_MS;
    const events = [
      {
        type: 'pageview',
        url: 'https://shop.example/',
        referrer: 'https://search.example/?ref=shop',
        title: 'Shop',
        timestamp: start,
      },
      {
        type: 'event',
        name: 'add to basket',
        properties: { sku: 'A-1', price: 9.5, list: [1, null] },
        timestamp: start + 1000,
      },
      { type: 'identify', timestamp: start + 1500 },
      {
        type: 'pageview',
        url: 'https://shop.example/checkout',
        referrer: 'https://shop.example/',
        title: 'Checkout',
        timestamp: start + 2000,
      },
    ];
    const collected = {
      sessionId: 'full',
      visitorId: 'v-full',
      userId: 'u-full',
      attributes: { plan: 'trial', country: 'nl' },
      events,
    };
    expectAccepted(await shop.collect(collected, { 'user-agent': FIREFOX }));
    await accepted(
      shop.expose({
        splitTestKey: 'hero',
        variationKey: 'b',
        sessionId: 'full',
        timestamp: start + 500,
        attributes: { a: 1 },
      }),
      shop.increment({ goalId: 'revenue', sessionId: 'full', amount: 49.9, metadata: { order: '7' } }),
      shop.submit({
        feedbackTypeId: 'nps',
        sessionId: 'full',
        option: 'good',
        message: 'Yes',
        metadata: { page: '/' },
      }),
    );
    const summary = {
      sessionId: 'full',
      visitorId: 'v-full',
      userId: 'u-full',
      startedAt: start,
      lastSeenAt: start + 2000,
      durationMs: 2000,
      entryUrl: 'https://shop.example/',
      exitUrl: 'https://shop.example/checkout',
      referrer: 'https://search.example/?ref=shop',
      pageviews: 2,
      events: 1,
      country: 'NL',
      device: 'desktop',
      browser: 'Firefox',
      os: 'Linux',
      bot: false,
      exposures: [{ splitTestKey: 'hero', variationKey: 'b', at: start + 500 }],
      goals: [{ goalId: 'revenue', count: 1, amount: 49.9 }],
      feedback: 1,
    };
    const { sessions } = await shop.sessions({ visitorId: 'v-full' });
    expect(sessions).toEqual([summary]);
    const detail = await shop.session('full');
    const at = expect.any(Number);
    const [pageview, event, identify, checkout] = events.map(({ timestamp, ...rest }) => ({
      ...rest,
      at: timestamp,
    }));
    const later = [
      { at, type: 'goal', goalId: 'revenue', count: 1, amount: 49.9, metadata: { order: '7' } },
      {
        at,
        type: 'feedback',
        id: expect.any(String),
        feedbackTypeId: 'nps',
        option: 'good',
        message: 'Yes',
        metadata: { page: '/' },
      },
    ];
    const { timeline, ...rest } = detail;
    expect(rest).toEqual({ ...summary, attributes: collected.attributes, nextCursor: null });
    expect(timeline.slice(0, 5)).toEqual([
      pageview,
      { at: start + 500, type: 'exposure', splitTestKey: 'hero', variationKey: 'b', attributes: { a: 1 } },
      event,
      identify,
      checkout,
    ]);
    expect(timeline.slice(5)).toEqual(expect.arrayContaining(later));
    expect(timeline).toHaveLength(7);
  });

  it('without events starts at the time of the request', async () => {
    const before = Date.now();
    expectAccepted(await shop.collect({ sessionId: 'bare', visitorId: 'v-bare' }));
    const session = await shop.session('bare');
    expect(session).toMatchObject({
      visitorId: 'v-bare',
      userId: null,
      durationMs: 0,
      entryUrl: null,
      exitUrl: null,
      referrer: null,
      pageviews: 0,
      events: 0,
      exposures: [],
      goals: [],
      feedback: 0,
      timeline: [],
    });
    expect(session.startedAt).toBeGreaterThanOrEqual(before);
    expect(session.startedAt).toBeLessThanOrEqual(Date.now());
  });

  it('is extended by each request, in any order of arrival', async () => {
    const start = Date.now() - 2 * HOUR_MS;
    const view = (url: string, timestamp: number) =>
      shop.collect({ sessionId: 'growing', visitorId: 'v', events: [{ type: 'pageview', url, timestamp }] });
    await accepted(view('/second', start + 2000));
    await accepted(view('/third', start + 3000));
    await accepted(view('/first', start + 1000));
    const session = await shop.session('growing');
    expect(session).toMatchObject({
      startedAt: start + 1000,
      lastSeenAt: start + 3000,
      durationMs: 2000,
      entryUrl: '/first',
      exitUrl: '/third',
      pageviews: 3,
    });
    expect(session.timeline.map(({ url }: { url: string }) => url)).toEqual(['/first', '/second', '/third']);
  });

  it('has the attributes of the last request', async () => {
    await accepted(
      shop.collect({ sessionId: 'attributes', visitorId: 'v', attributes: { plan: 'trial', a: 1 } }),
    );
    await accepted(shop.collect({ sessionId: 'attributes', visitorId: 'v', attributes: { plan: 'pro' } }));
    await accepted(shop.collect({ sessionId: 'attributes', visitorId: 'v' }));
    expect((await shop.session('attributes')).attributes).toEqual({ plan: 'pro' });
  });

  const odd = [
    { name: 'a NUL', text: 'a\u0000b' },
    { name: 'a byte order mark', text: '\ufeffabc' },
    { name: 'bidirectional control characters', text: '\u202eabc\u200f' },
    { name: 'a line break', text: 'a\nb\u2028c' },
    { name: 'combining characters', text: 'e\u0301 \u00e9' },
    { name: 'spaces at both ends', text: '  a  ' },
    { name: 'quotes', text: `'; DROP TABLE sessions; -- "` },
    { name: 'JSON', text: '{"a":[1]}' },
  ];
  it.each(odd)('preserves $name in ids and texts', async ({ text }) => {
    const events = [
      { type: 'pageview', name: text, url: text, referrer: text, title: text, properties: { [text]: text } },
    ];
    const ids = { sessionId: `${text}-odd`, visitorId: text, userId: text };
    expectAccepted(await shop.collect({ ...ids, attributes: { [text]: text }, events }));
    const session = await shop.session(`${text}-odd`);
    expect(session).toMatchObject({
      ...ids,
      attributes: { [text]: text },
      entryUrl: text,
      exitUrl: text,
      referrer: text,
    });
    expect(session.timeline).toMatchObject(events);
    const { sessions } = await shop.sessions({ visitorId: text, userId: text });
    expect(sessions.map(({ sessionId }: { sessionId: string }) => sessionId)).toEqual([`${text}-odd`]);
  });

  it('stores repeated events with the same name and time', async () => {
    const event = { type: 'event', name: 'click', timestamp: Date.now() - 1000 };
    await accepted(shop.collect({ sessionId: 'same', visitorId: 'v', events: [event, event, event] }));
    expect((await shop.session('same')).events).toBe(3);
  });
});

it('acknowledged events can be read at once, under concurrent writes', async () => {
  const names = Array.from({ length: 40 }, (_, i) => `at-once-${i}`);
  await Promise.all(
    names.map(async (sessionId) => {
      expectAccepted(await shop.collect({ sessionId, visitorId: `v-${sessionId}` }));
      expect(await shop.session(sessionId)).toMatchObject({ visitorId: `v-${sessionId}` });
    }),
  );
});

describe('timestamps of events', () => {
  const now = Date.now();
  const rows = [
    { name: '71 hours ago', timestamp: now - 71 * HOUR_MS, used: true },
    { name: '73 hours ago', timestamp: now - 73 * HOUR_MS, used: false },
    { name: '1970', timestamp: 0, used: false },
    { name: '4 minutes ahead', timestamp: now + 4 * 60_000, used: true },
    { name: '30 minutes ahead', timestamp: now + 30 * 60_000, used: false },
    { name: 'none', timestamp: undefined, used: false },
  ];
  it.each(rows)('$name: used $used', async ({ name, timestamp, used }) => {
    const before = Date.now();
    const events = [{ type: 'pageview', timestamp }];
    expectAccepted(await shop.collect({ sessionId: `time ${name}`, visitorId: 'v', events }));
    const [{ at }] = (await shop.session(`time ${name}`)).timeline;
    if (used) return expect(at).toBe(timestamp);
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(Date.now());
  });
});

describe('limits', () => {
  const text = (length: number) => 'x'.repeat(length);
  const inEvent = (field: string, value: unknown) => ({ events: [{ type: 'event', [field]: value }] });
  const fits: { name: string; fields: Record<string, unknown> }[] = [
    { name: 'a session id of 500 characters', fields: { sessionId: `collect-${text(492)}` } },
    { name: 'a visitor id of 256 characters', fields: { visitorId: text(256) } },
    { name: 'a user id of 256 emoji', fields: { userId: '💡'.repeat(256) } },
    { name: '500 events', fields: { events: Array.from({ length: 500 }, () => ({ type: 'event' })) } },
    { name: 'no events', fields: { events: [] } },
    { name: 'a name of 256 characters', fields: inEvent('name', text(256)) },
    { name: 'a url of 4096 characters', fields: inEvent('url', text(4096)) },
    { name: 'a referrer of 4096 characters', fields: inEvent('referrer', text(4096)) },
    { name: 'a title of 1024 characters', fields: inEvent('title', text(1024)) },
    { name: 'properties of 8 KiB', fields: inEvent('properties', { a: text(8184) }) },
    { name: 'attributes of 8 KiB', fields: { attributes: { a: text(8184) } } },
  ];
  it.each(fits)('$name', async ({ name, fields }) => {
    const sessionId = String(fields.sessionId ?? `fits ${name}`);
    expectAccepted(await shop.collect({ sessionId, visitorId: 'v', ...fields }));
    const session = await shop.session(sessionId);
    const { events = [], ...rest } = fields as { events?: object[] };
    expect(session).toMatchObject({ ...rest, events: events.length });
    expect(session.timeline).toMatchObject(events);
  });

  const wrong: { name: string; fields: Record<string, unknown>; pointers: string[] }[] = [
    { name: 'no session id', fields: { sessionId: undefined }, pointers: ['/sessionId'] },
    { name: 'an empty session id', fields: { sessionId: '' }, pointers: ['/sessionId'] },
    { name: 'a session id of 501 characters', fields: { sessionId: text(501) }, pointers: ['/sessionId'] },
    { name: 'no visitor', fields: { visitorId: undefined }, pointers: ['/visitorId'] },
    { name: 'a visitor id of 257 characters', fields: { visitorId: text(257) }, pointers: ['/visitorId'] },
    { name: 'a visitor that is not a string', fields: { visitorId: 5 }, pointers: ['/visitorId'] },
    { name: 'a user id of 257 characters', fields: { userId: text(257) }, pointers: ['/userId'] },
    { name: 'an empty user id', fields: { userId: '' }, pointers: ['/userId'] },
    {
      name: '501 events',
      fields: { events: Array.from({ length: 501 }, () => ({ type: 'event' })) },
      pointers: ['/events'],
    },
    { name: 'events that are not a list', fields: { events: {} }, pointers: ['/events'] },
    { name: 'an event without a type', fields: { events: [{}] }, pointers: ['/events/0/type'] },
    {
      name: 'an event of an unknown type',
      fields: { events: [{ type: 'click' }] },
      pointers: ['/events/0/type'],
    },
    { name: 'a name of 257 characters', fields: inEvent('name', text(257)), pointers: ['/events/0/name'] },
    { name: 'a url of 4097 characters', fields: inEvent('url', text(4097)), pointers: ['/events/0/url'] },
    {
      name: 'a referrer of 4097 characters',
      fields: inEvent('referrer', text(4097)),
      pointers: ['/events/0/referrer'],
    },
    {
      name: 'a title of 1025 characters',
      fields: inEvent('title', text(1025)),
      pointers: ['/events/0/title'],
    },
    { name: 'a negative time', fields: inEvent('timestamp', -1), pointers: ['/events/0/timestamp'] },
    {
      name: 'properties of more than 8 KiB',
      fields: inEvent('properties', { a: text(8185) }),
      pointers: ['/events/0/properties'],
    },
    {
      name: 'properties that are not an object',
      fields: inEvent('properties', 'x'),
      pointers: ['/events/0/properties'],
    },
    {
      name: 'attributes of more than 8 KiB',
      fields: { attributes: { a: text(8185) } },
      pointers: ['/attributes'],
    },
    { name: 'attributes that are a list', fields: { attributes: [] }, pointers: ['/attributes'] },
  ];
  it.each(wrong)('not $name', async ({ fields, pointers }) => {
    const response = await shop.collect({ sessionId: 'refused', visitorId: 'v', ...fields });
    expectProblem(response, { status: 400, code: 'invalid_request', pointers });
    expect(await shop.isUnknown('refused')).toBe(true);
  });
});

describe('device, browser and os come from the user agent', () => {
  const agents = [
    { agent: FIREFOX, device: 'desktop', browser: 'Firefox', os: 'Linux' },
    {
      agent:
        'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
      device: 'desktop',
      browser: 'Chrome',
      os: 'Windows',
    },
    {
      agent:
        'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
      device: 'mobile',
      browser: 'Safari',
      os: 'iOS',
    },
    {
      agent:
        'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36',
      device: 'mobile',
      browser: 'Chrome',
      os: 'Android',
    },
    {
      agent:
        'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
      device: 'desktop',
      browser: 'Safari',
      os: 'macOS',
    },
    { agent: 'something else', device: 'unknown', browser: 'unknown', os: 'unknown' },
    { agent: 'x'.repeat(5000), device: 'unknown', browser: 'unknown', os: 'unknown' },
  ];
  it.each(agents)('$browser on $os', async ({ agent, ...software }) => {
    const sessionId = `agent-${agent.slice(0, 200)}`;
    expectAccepted(await shop.collect({ sessionId, visitorId: 'v' }, { 'user-agent': agent }));
    expect(await shop.session(sessionId)).toMatchObject(software);
  });
});

it('the country comes from the attributes, not from a header that any client can send', async () => {
  const collect = (sessionId: string, attributes: object) =>
    shop.collect({ sessionId, visitorId: 'v', attributes }, { 'cf-ipcountry': 'FR' });
  await accepted(
    collect('country-1', { country: 'de' }),
    collect('country-2', {}),
    collect('country-3', { country: 'Germany' }),
  );
  expect((await shop.session('country-1')).country).toBe('DE');
  expect(await shop.session('country-2')).not.toHaveProperty('country');
  expect(await shop.session('country-3')).not.toHaveProperty('country');
});

it('a public key can write sessions, but not read them', async () => {
  for (const path of ['/v1/sessions', '/v1/sessions/full']) {
    const response = await shop.server.call('GET', `${path}?propertyId=shop`, { key: PUBLIC_KEY });
    expectProblem(response, { status: 403, code: 'wrong_key_kind' });
  }
});
