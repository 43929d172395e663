import { PUBLIC_KEY, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { accepted, closeShop, openShop, type Shop } from '@switchyard/testing/fixtures/shop';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ env: { LOG_LEVEL: 'trace' } });
});
afterAll(() => closeShop(shop));

const log = () => shop.server.log;

describe('the log at level trace', () => {
  it('has one JSON object per line, and one line with the id of each request', async () => {
    await shop.server.call('GET', '/v1/flags/list?propertyId=shop', {
      key: SECRET_KEY,
      headers: { 'x-request-id': 'look-me-up' },
    });
    await waitFor('the line', () => log().includes('look-me-up'));
    const lines = shop.server.stdout.map((line) => JSON.parse(line));
    expect(lines[0]).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      msg: expect.stringMatching(/^Switchyard \d\S+ is listening on http:\S+ \(data in \/\S+\)$/),
    });
    expect(shop.server.stderr).toEqual([]);
    const line = lines.find(({ reqId }) => reqId === 'look-me-up');
    expect(line).toMatchObject({
      level: 'debug',
      method: 'GET',
      route: '/v1/flags/list',
      status: 200,
      ms: expect.any(Number),
    });
  });

  it('contains no keys, bodies, query strings or ids in paths', async () => {
    const secret = 'must-not-be-logged';
    await accepted(
      shop.collect({ sessionId: `s-${secret}`, visitorId: `v-${secret}`, attributes: { secret } }),
      shop.increment({ goalId: 'signup', metadata: { secret } }),
      shop.submit({ feedbackTypeId: 'nps', message: secret }),
    );
    await shop.increment({ goalId: secret, sessionId: `not valid ${secret}` });
    await shop.sessions({ visitorId: `v-${secret}` });
    await shop.get(`/v1/sessions/s-${secret}`);
    await shop.server.send('GET', `/nowhere/${secret}`);
    await shop.server.send('PUT', `/v1/sessions/${secret}`);
    await shop.server.send('GET', `/v1/manage/properties/shop/sessions/${secret}/flags?at=${secret}`);
    for (const key of [PUBLIC_KEY, SECRET_KEY, `service_pub_${secret}`]) {
      await shop.server.call('GET', `/v1/split-testing/config?propertyId=shop&key=${key}`);
    }
    await shop.server.call('POST', '/v1/goals/increment', {
      key: `service_sec_${secret}`,
      rawBody: `{"${secret}`,
    });
    await shop.server.call('POST', '/v1/goals/increment', { key: SECRET_KEY, rawBody: `{"${secret}` });
    await shop.server.call('GET', '/healthz', { headers: { 'x-request-id': 'the-last-one' } });
    await waitFor('the last line', () => log().includes('the-last-one'));
    for (const hidden of [secret, SECRET_KEY, PUBLIC_KEY]) expect(log()).not.toContain(hidden);
  });
});
