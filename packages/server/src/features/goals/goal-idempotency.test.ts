import { OTHER_SECRET_KEY, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import {
  accepted,
  closeShop,
  expectAccepted,
  expectProblem,
  openShop,
  type Shop,
  sampleWith,
} from '@switchyard/testing/fixtures/shop';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const NAMES = [
  'replayed',
  'many',
  'reused',
  'crossed',
  'failed',
  'lengths',
  'keyless',
  'spaced',
  'concurrent',
  'racing',
];
const goals = NAMES.map((id) => ({ id, kind: 'revenue' }));

let shop: Shop;
beforeAll(async () => {
  shop = await openShop({ provision: sampleWith({ goals }) });
});
afterAll(() => closeShop(shop));

const key = (text: string) => ({ 'idempotency-key': text });
const current = async (goalId: string) => (await shop.progress(goalId)).current;
const REUSED = { status: 422, code: 'idempotency_key_reused' };

describe('an idempotency key', () => {
  it('with the same body counts once, and gets the same response each time', async () => {
    const body = { goalId: 'replayed', sessionId: 'replayed', amount: 5, metadata: { order: '1' } };
    for (let i = 0; i < 4; i++) expectAccepted(await shop.increment(body, key('replay')));
    expect(await current('replayed')).toMatchObject({ total: 5, count: 1, gross: 5, reversed: 0 });
    expect(await shop.timeline('replayed', 'goal')).toHaveLength(1);
  });

  it('different keys count separately', async () => {
    for (let i = 0; i < 5; i++)
      expectAccepted(await shop.increment({ goalId: 'many', amount: 1 }, key(`many-${i}`)));
    expect((await current('many')).count).toBe(5);
  });

  const others = [
    { name: 'another amount', body: { goalId: 'reused', amount: 6 } },
    { name: 'another goal', body: { goalId: 'many', amount: 5 } },
    { name: 'a session', body: { goalId: 'reused', amount: 5, sessionId: 'reused' } },
    { name: 'metadata', body: { goalId: 'reused', amount: 5, metadata: {} } },
  ];
  it.each(others)('with $name: 422, and nothing counted', async ({ body }) => {
    const first = { goalId: 'reused', amount: 5 };
    expectAccepted(await shop.increment(first, key('reuse')));
    const before = [await current('reused'), await current('many')];
    expectProblem(await shop.increment(body, key('reuse')), REUSED);
    expect([await current('reused'), await current('many')]).toEqual(before);
    expectAccepted(await shop.increment(first, key('reuse')));
    expect([await current('reused'), await current('many')]).toEqual(before);
  });

  it('with another endpoint: 422, and nothing counted', async () => {
    const body = { goalId: 'crossed', amount: 5 };
    expectAccepted(await shop.increment(body, key('cross')));
    expectProblem(await shop.decrement(body, key('cross')), REUSED);
    expectProblem(await shop.submit({ feedbackTypeId: 'nps', option: 'good' }, key('cross')), REUSED);
    expect(await current('crossed')).toMatchObject({ total: 5, count: 1, gross: 5, reversed: 0 });
  });

  it('belongs to its property', async () => {
    expectAccepted(await shop.increment({ goalId: 'crossed', amount: 1 }, key('per-property')));
    const body = { propertyId: 'other', goalId: 'elsewhere' };
    await accepted(
      shop.server.call('POST', '/v1/goals/increment', {
        key: OTHER_SECRET_KEY,
        body,
        headers: key('per-property'),
      }),
    );
  });

  it('of a failed request can be used again', async () => {
    const failures = [
      shop.increment({ goalId: 'failed', amount: -1 }, key('fail')),
      shop.increment({ goalId: 'failed' }, key('fail')),
      shop.increment({ goalId: 'nothing', amount: 1 }, key('fail')),
      shop.increment({ goalId: 'failed', amount: 1, propertyId: 'other' }, key('fail')),
    ];
    for (const response of await Promise.all(failures)) expect(response.status).toBeGreaterThanOrEqual(400);
    expectAccepted(await shop.increment({ goalId: 'failed', amount: 1 }, key('fail')));
    expect((await current('failed')).count).toBe(1);
  });

  it('does not bypass validation when it is known', async () => {
    expectAccepted(await shop.increment({ goalId: 'failed', amount: 2 }, key('known')));
    const response = await shop.increment({ goalId: 'failed', amount: -2 }, key('known'));
    expectProblem(response, { status: 400, code: 'invalid_request', pointers: ['/amount'] });
  });

  it('ignores the formatting of the body', async () => {
    const send = (rawBody: string) =>
      shop.server.call('POST', '/v1/goals/increment', { key: SECRET_KEY, rawBody, headers: key('spaced') });
    await accepted(send('{"propertyId":"shop","goalId":"spaced","amount":1}'));
    await accepted(send('{\n  "propertyId": "shop",\n  "goalId": "spaced",\n  "amount": 1.0\n}'));
    expect((await current('spaced')).count).toBe(1);
  });

  it.each([
    { length: 1, ok: true },
    { length: 255, ok: true },
    { length: 0, ok: false },
    { length: 256, ok: false },
  ])('of $length characters', async ({ length, ok }) => {
    const before = (await current('lengths')).count;
    const responses = [];
    for (let i = 0; i < 2; i++)
      responses.push(await shop.increment({ goalId: 'lengths', amount: 1 }, key('k'.repeat(length))));
    for (const response of responses) {
      if (ok) expectAccepted(response);
      else expectProblem(response, { status: 400, code: 'invalid_request', pointers: ['/idempotency-key'] });
    }
    expect((await current('lengths')).count - before).toBe(ok ? 1 : 0);
  });

  it('missing: every request counts', async () => {
    for (let i = 0; i < 3; i++) expectAccepted(await shop.increment({ goalId: 'keyless', amount: 1 }));
    expect((await current('keyless')).count).toBe(3);
  });
});

describe('concurrently', () => {
  it('100 requests with one key count once', async () => {
    const send = () => shop.increment({ goalId: 'concurrent', amount: 2.5 }, key('concurrent'));
    const responses = await Promise.all(Array.from({ length: 100 }, send));
    const statuses = new Set(responses.map(({ status }) => status));
    expect(statuses).toContain(200);
    // Requests that arrive while the first is pending may get 409.
    for (const status of statuses) expect([200, 409]).toContain(status);
    expect(await current('concurrent')).toMatchObject({ total: 2.5, count: 1, gross: 2.5, reversed: 0 });
  });

  it('of different bodies with one key, one counts and the others are rejected', async () => {
    const amounts = Array.from({ length: 50 }, (_, i) => i + 1);
    const responses = await Promise.all(
      amounts.map((amount) => shop.increment({ goalId: 'racing', amount }, key('racing'))),
    );
    const won = amounts.filter((_, i) => responses[i]!.status === 200);
    expect(won).toHaveLength(1);
    for (const response of responses.filter(({ status }) => status !== 200))
      expect([409, 422]).toContain(response.status);
    expect(await current('racing')).toMatchObject({ total: won[0], count: 1, gross: won[0], reversed: 0 });
  });
});

describe('on feedback', () => {
  const body = { feedbackTypeId: 'nps', option: 'good', sessionId: 'idempotent-feedback' };

  it('the same key with the same body is stored once', async () => {
    for (let i = 0; i < 3; i++) expectAccepted(await shop.submit(body, key('feedback')));
    expect((await shop.feedback({ sessionId: body.sessionId })).feedback).toHaveLength(1);
  });

  it('the same key with another body: 422', async () => {
    expectAccepted(await shop.submit({ ...body, sessionId: 'reused-feedback' }, key('feedback-2')));
    expectProblem(
      await shop.submit({ ...body, sessionId: 'reused-feedback', option: 'bad' }, key('feedback-2')),
      REUSED,
    );
    expect((await shop.feedback({ sessionId: 'reused-feedback' })).feedback).toMatchObject([
      { option: 'good' },
    ]);
  });

  it.each(['', 'k'.repeat(256)])('a key of invalid length: 400', async (text) => {
    const response = await shop.submit(body, key(text));
    expectProblem(response, { status: 400, code: 'invalid_request', pointers: ['/idempotency-key'] });
  });
});
