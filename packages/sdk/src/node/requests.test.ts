import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import express from 'express';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSwitchyard, type Switchyard } from './node.ts';

let shop: Shop;
let client: Switchyard;
beforeAll(async () => {
  shop = await openShop();
  client = createSwitchyard({
    apiUrl: shop.server.url,
    secretApiKey: SECRET_KEY,
    propertyId: 'shop',
    timeoutMs: 30_000,
  });
  expect(await client.ready()).toEqual({ success: true });
});
afterAll(async () => {
  await client.close();
  await closeShop(shop);
});

const COOKIE = 'theme=dark; sy_session=session-0001; sy_visitor=visitor-0001';
const ids = { sessionId: 'session-0001', visitorId: 'visitor-0001' };

it('reads the ids from a header string, fetch objects and plain objects', () => {
  for (const request of [
    COOKIE,
    new Headers({ cookie: COOKIE }),
    new Request('https://shop.example/', { headers: { cookie: COOKIE } }),
    { headers: { cookie: COOKIE } },
    { headers: { Cookie: COOKIE } },
    { headers: { cookie: COOKIE.split('; ') } },
  ]) {
    expect(client.forRequest(request)).toMatchObject(ids);
  }
});

// Fastify runs in readme-servers.test.ts.
it('reads the ids from requests of node:http and Express', async () => {
  const read = (request: unknown) => {
    const { sessionId, visitorId } = client.forRequest(request);
    return { sessionId, visitorId };
  };
  const bare = createServer((request, response) => response.end(JSON.stringify(read(request))));
  bare.listen(0, '127.0.0.1');
  await once(bare, 'listening');
  const app = express();
  app.get('/', (request, response) => void response.json(read(request)));
  const expressServer = app.listen(0, '127.0.0.1');
  await once(expressServer, 'listening');
  for (const server of [bare, expressServer]) {
    const { port } = server.address() as AddressInfo;
    const [response] = await once(
      get({ port, host: '127.0.0.1', headers: { cookie: COOKIE }, agent: false }),
      'response',
    );
    let text = '';
    for await (const chunk of response) text += chunk;
    expect(JSON.parse(text)).toEqual(ids);
  }
  bare.close();
  expressServer.close();
});

it('finds no ids in anything else, and does not throw', () => {
  const broken = Object.defineProperty({}, 'headers', {
    get() {
      throw new Error('no');
    },
  });
  for (const request of [
    undefined,
    null,
    7,
    '',
    [],
    {},
    { headers: null },
    { headers: 7 },
    broken,
    Symbol('x'),
  ]) {
    expect(client.forRequest(request)).toMatchObject({ sessionId: undefined, visitorId: undefined });
  }
  expect(client.forRequest('sy_session=<script>; sy_visitor=short')).toMatchObject({
    sessionId: undefined,
    visitorId: undefined,
  });
});

it('fills in session and visitor', async () => {
  const request = client.forRequest(COOKIE);
  expect(await request.goals.increment('signup')).toEqual({ success: true });
  expect(await request.goals.increment('revenue', { amount: 3 })).toEqual({ success: true });
  expect(await request.goals.decrement('revenue', { amount: 1, sessionId: 'another-one' })).toEqual({
    success: true,
  });
  expect(await request.feedback.submit('nps', { option: 'bad' })).toEqual({ success: true });
  expect(await shop.session('session-0001')).toMatchObject({
    goals: [
      { goalId: 'signup', count: 1 },
      { goalId: 'revenue', count: 1, amount: 3 },
    ],
    feedback: 1,
  });
  expect(await shop.session('another-one')).toMatchObject({ goals: [{ goalId: 'revenue', amount: -1 }] });
  const { flags } = request;
  expect(flags.boolean('new-checkout', false, { plan: 'beta' })).toBe(true);
  expect(flags.boolean('new-checkout', false)).toBe(false);
  expect(flags.string('banner', '')).toBe('spring');
  expect(flags.details('banner', '').reason).toBe('STATIC');
  expect({ ...flags.all({ email: 'ada@shop.example' }) }).toEqual({ 'new-checkout': true, banner: 'spring' });
  expect(await flags.resolve('banner', '')).toMatchObject({ value: 'spring' });
  expect(await flags.evaluate({}, ['banner'])).toMatchObject({ flags: { banner: { value: 'spring' } } });
});

it('works for requests without ids too', async () => {
  const { goals, flags } = client.forRequest({ headers: {} });
  expect(await goals.increment('signup')).toEqual({ success: true });
  expect(flags.string('banner', '')).toBe('spring');
});
