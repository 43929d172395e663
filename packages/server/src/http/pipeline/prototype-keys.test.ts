import { PUBLIC_KEY, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import {
  closeShop,
  expectAccepted,
  expectProblem,
  openShop,
  type Shop,
  sampleWith,
} from '@switchyard/testing/fixtures/shop';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];

/** Flags that turn on if an attribute is visible that was never set. */
const CANARIES = [...NAMES, 'polluted'].map((attribute) => ({
  key: `sees-${attribute.replaceAll('_', '')}`,
  name: `Sees ${attribute}`,
  type: 'boolean',
  defaultValue: false,
  environments: {
    production: {
      enabled: true,
      value: false,
      rules: [{ id: 'set', conditions: [{ attribute, operator: 'isSet' }], value: true }],
    },
  },
}));

let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ provision: sampleWith({ flags: CANARIES }) });
});
afterAll(() => closeShop(shop));

const raw = (path: string, key: string, rawBody: string) => shop.server.call('POST', path, { key, rawBody });

async function expectNoPollution(): Promise<void> {
  const { body } = await shop.evaluate({ flagKeys: CANARIES.map(({ key }) => key) });
  for (const { key } of CANARIES) expect([key, body.flags[key].reason]).toEqual([key, 'DEFAULT']);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
}

describe('as field names in a body', () => {
  const evil = [
    '"__proto__":{"polluted":"yes"}',
    '"constructor":{"prototype":{"polluted":"yes"}}',
    '"prototype":{"polluted":"yes"}',
    '"\\u005f_proto__":{"polluted":"yes"}',
    '"__proto__":{"__proto__":{"polluted":"yes"}}',
  ];
  const bodies: { name: string; path: string; key: string; text: (members: string) => string }[] = [
    {
      name: 'at the top of a goal',
      path: '/v1/goals/increment',
      key: SECRET_KEY,
      text: (members) => `{"goalId":"signup","propertyId":"shop",${members}}`,
    },
    {
      name: 'in the attributes of an exposure',
      path: '/v1/split-testing/expose',
      key: PUBLIC_KEY,
      text: (members) =>
        `{"propertyId":"shop","exposures":[{"splitTestKey":"hero","variationKey":"b","sessionId":"evil","attributes":{${members}}}]}`,
    },
    {
      name: 'in a session and its events',
      path: '/v1/sessions/collect',
      key: PUBLIC_KEY,
      text: (members) =>
        `{"propertyId":"shop","sessionId":"evil","visitorId":"v","attributes":{${members}},"events":[{"type":"event",${members},"properties":{"deep":{${members}}}}]}`,
    },
    {
      name: 'in the context of an evaluation',
      path: '/v1/flags/evaluate',
      key: SECRET_KEY,
      text: (members) => `{"propertyId":"shop","context":{"userId":"u","nested":{${members}}}}`,
    },
    {
      name: 'in the context of an OFREP evaluation',
      path: '/ofrep/v1/evaluate/flags',
      key: SECRET_KEY,
      text: (members) => `{"context":{"nested":{${members}}}}`,
    },
  ];
  for (const { name, path, key, text } of bodies) {
    it.each(evil)(`${name}: %s has no effect`, async (members) => {
      const response = await raw(path, key, text(members));
      expect(response.status, response.text).toBe(200);
      await expectNoPollution();
    });
  }

  it('a required field cannot be inherited from the body', async () => {
    const response = await raw(
      '/v1/goals/increment',
      SECRET_KEY,
      '{"__proto__":{"goalId":"signup","propertyId":"shop"}}',
    );
    expectProblem(response, { status: 400, code: 'invalid_request', pointers: ['/goalId', '/propertyId'] });
  });

  it('a context cannot inherit attributes', async () => {
    const context = '{"__proto__":{"email":"eve@shop.example"}}';
    const response = await raw(
      '/v1/flags/evaluate',
      SECRET_KEY,
      `{"propertyId":"shop","context":${context}}`,
    );
    expect(response.body.flags['new-checkout']).toMatchObject({ value: false, reason: 'DEFAULT' });
  });

  it('metadata cannot change a prototype', async () => {
    const metadata = '{"__proto__":"x","kept":"yes"}';
    const response = await raw(
      '/v1/goals/increment',
      SECRET_KEY,
      `{"goalId":"signup","propertyId":"shop","sessionId":"proto-metadata","metadata":${metadata}}`,
    );
    expectAccepted(response);
    const [goal] = await shop.timeline('proto-metadata', 'goal');
    expect(Object.entries(goal.metadata)).toEqual([['kept', 'yes']]);
  });
});

describe('as ids', () => {
  it.each(NAMES)('%s is not a goal, test, feedback type, environment or flag', async (name) => {
    const goal = { status: 404, code: 'goal_not_found' };
    expectProblem(await shop.increment({ goalId: name }), goal);
    expectProblem(await shop.get('/v1/goals/progress', { goalId: name }), goal);
    expectProblem(await shop.get('/v1/sessions', { goalId: name }), goal);
    const test = { status: 404, code: 'split_test_not_found' };
    expectProblem(await shop.get('/v1/split-testing/results', { splitTestKey: name }), test);
    expectProblem(await shop.expose({ splitTestKey: name, variationKey: name, sessionId: 's' }), test);
    expectProblem(await shop.expose({ splitTestKey: 'hero', variationKey: name, sessionId: 's' }), test);
    const type = { status: 404, code: 'feedback_type_not_found' };
    expectProblem(await shop.submit({ feedbackTypeId: name, option: 'good' }), type);
    expectProblem(await shop.evaluate({ environment: name }), { status: 404, code: 'environment_not_found' });
    const option = await shop.submit({ feedbackTypeId: 'nps', option: name });
    expectProblem(option, { status: 400, code: 'option_not_allowed', pointers: ['/option'] });
    expect((await shop.evaluate({ flagKeys: [name] })).body).toEqual({ flags: {} });
    const ofrep = await shop.post(`/ofrep/v1/evaluate/flags/${name}`, { context: {} });
    expect([ofrep.status, ofrep.body.errorCode]).toEqual([404, 'FLAG_NOT_FOUND']);
  });

  it.each(NAMES)('%s is a valid session, visitor and user id', async (name) => {
    const events = [{ type: 'pageview', name, url: name }];
    expectAccepted(await shop.collect({ sessionId: name, visitorId: name, userId: name, events }));
    expect(await shop.session(name)).toMatchObject({
      sessionId: name,
      visitorId: name,
      userId: name,
      pageviews: 1,
    });
    const { sessions } = await shop.sessions({ visitorId: name, userId: name });
    expect(sessions.map(({ sessionId }: { sessionId: string }) => sessionId)).toEqual([name]);
  });

  it('they have no effect in a query string', async () => {
    const query = '__proto__=polluted&constructor[prototype][polluted]=1&__proto__[polluted]=1';
    const response = await shop.server.call('GET', `/v1/flags/list?propertyId=shop&${query}`, {
      key: SECRET_KEY,
    });
    expect(response.status).toBe(200);
    await expectNoPollution();
  });
});
