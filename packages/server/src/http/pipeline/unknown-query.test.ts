import { ENDPOINTS, keyFor, nameOf, withQuery } from '@switchyard/testing/fixtures/endpoints';
import { closeShop, expectProblem, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => closeShop(shop));

/** The endpoints of the specification, and collect, which pages call. */
const IGNORING = new Set([
  'GET /v1/split-testing/config',
  'POST /v1/split-testing/expose',
  'POST /v1/goals/increment',
  'POST /v1/goals/decrement',
  'POST /v1/flags/evaluate',
  'GET /v1/flags/list',
  'POST /v1/feedback/submit',
  'GET /v1/sessions',
  'POST /v1/sessions/collect',
]);

const call = (endpoint: (typeof ENDPOINTS)[number], extra: Record<string, string>) =>
  shop.server.call(endpoint.method, withQuery(endpoint.path, { ...endpoint.query, ...extra }), {
    key: keyFor(endpoint),
    ...(endpoint.body && { body: endpoint.body }),
  });

const isIgnoring = ({ method, template, ofrep }: (typeof ENDPOINTS)[number]) =>
  ofrep === true || IGNORING.has(`${method} ${template}`);
const rows = (endpoints: typeof ENDPOINTS) =>
  endpoints.map((endpoint) => ({ name: nameOf(endpoint), endpoint }));

describe('unknown query parameters', () => {
  it.each(rows(ENDPOINTS.filter((it) => !isIgnoring(it))))('$name refuses them', async ({ endpoint }) => {
    const response = await call(endpoint, { nosuchfilter: '1' });
    expectProblem(response, { status: 400, code: 'invalid_request', pointers: ['/nosuchfilter'] });
  });

  it.each(rows(ENDPOINTS.filter(isIgnoring)))('$name ignores them', async ({ endpoint }) => {
    expect((await call(endpoint, { nosuchfilter: '1' })).status).toBe(200);
  });

  it('the message names the parameter that was probably meant', async () => {
    const response = await shop.get('/v1/goals/conversions', { visitorid: 'ann' });
    expect(response.body.errors[0].detail).toBe('is an unknown parameter; did you mean "visitorId"?');
  });

  it('names like those of the prototype are unknown, too', async () => {
    for (const name of ['__proto__', 'constructor', 'toString'])
      expectProblem(await shop.get('/v1/feedback', { [name]: 'x' }), {
        status: 400,
        code: 'invalid_request',
        pointers: [`/${name}`],
      });
  });
});
