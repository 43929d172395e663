import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_METRICS } from '@switchyard/core/api/metrics';
import { accepted, closeShop, openShop, type Shop, sampleWith } from '@switchyard/testing/fixtures/shop';
import { switchyard } from '@switchyard/testing/server/command-line';
import { bodyOf, errorOf } from '@switchyard/testing/server/property-manager';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { AdjustableClock } from '@switchyard/testing/time/adjustable-clock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

type Body = TestResponse['body'];

const MINUTE = 60_000;
const DAY = 86_400_000;
const START = Date.UTC(2030, 0, 7, 12);

const METRICS = [
  { id: 'signups', kind: 'count', goalId: 'signup', withinDays: 2 },
  { id: 'spend', name: 'Spending', kind: 'sum', goalId: 'revenue', cap: 50 },
  {
    id: 'order-value',
    kind: 'ratio',
    numerator: { goalId: 'revenue', of: 'sum' },
    denominator: { goalId: 'revenue', of: 'count' },
  },
  { id: 'came-back', kind: 'retention', fromDay: 1, toDay: 3 },
  {
    id: 'way',
    kind: 'funnel',
    steps: [{ path: '/basket' }, { event: 'pay' }, { goalId: 'revenue' }],
    withinDays: 2,
  },
  { id: 'load', kind: 'quantile', quantile: 0.5, event: 'load', property: 'ms', lowerIsBetter: true },
  { id: 'checkout', kind: 'page', path: '/checkout*' },
  { id: 'views', kind: 'page', of: 'views', cap: 3 },
  { id: 'bounce', kind: 'page', path: '/', of: 'bounce', lowerIsBetter: true },
  { id: 'searches', kind: 'event', event: 'search', of: 'count' },
];
const [first, ...others] = METRICS.map(({ id }) => ({ metric: id }));
const TEST = {
  key: 'measured',
  type: 'id',
  status: 'running',
  variations: [
    { key: 'control', weight: 1 },
    { key: 'b', weight: 1 },
  ],
  goals: [first, ...others.filter(({ metric }) => metric !== 'load'), 'signup'],
  guardrails: [{ metric: 'load', maxHarm: 0.1 }],
};

/** Group-sequential, because it has a planned size. */
const PLANNED = {
  ...TEST,
  key: 'planned',
  plannedVisitors: 4,
  goals: [{ metric: 'planned-views' }],
  guardrails: [{ metric: 'planned-page' }],
};
const PLANNED_METRICS = [
  { id: 'planned-views', kind: 'page', path: '/planned', of: 'views' },
  { id: 'planned-page', kind: 'page', path: '/planned' },
];

/** Has as many metrics as it may. */
const FULL = {
  id: 'full',
  apiKeys: [{ kind: 'secret', key: 'service_sec_0123456789abcdefFullSecret' }],
  metrics: Array.from({ length: MAX_METRICS }, (_, index) => ({ id: `m${index}`, kind: 'page' })),
};

const clock = new AdjustableClock();
let shop: Shop;

/** Page views and events of a session, a minute apart. */
const collect = (sessionId: string, visitorId: string, events: object[]) =>
  accepted(
    shop.collect({
      sessionId,
      visitorId,
      events: events.map((event, index) => ({ timestamp: now + index * 1000, ...event })),
    }),
  );
const view = (path: string) => ({ type: 'pageview', url: `https://shop.example${path}` });
const event = (name: string, properties?: object) => ({
  type: 'event',
  name,
  ...(properties && { properties }),
});
const load = (ms: number) => event('load', { ms });
let now = START;
const pass = (time: number) => {
  now += time;
  clock.freeze(now);
};
const expose = (variationKey: string, ...sessionIds: string[]) =>
  accepted(
    shop.expose(...sessionIds.map((sessionId) => ({ splitTestKey: 'measured', variationKey, sessionId }))),
  );
const buy = (sessionId: string, amount: number) =>
  accepted(shop.increment({ goalId: 'revenue', sessionId, amount }));
const signUp = (sessionId: string) => accepted(shop.increment({ goalId: 'signup', sessionId }));

async function play(): Promise<void> {
  for (const visitor of ['c1', 'c2', 'c3', 'b1', 'b2']) await collect(visitor, visitor, []);
  pass(MINUTE);
  await expose('control', 'c1', 'c2', 'c3');
  await expose('b', 'b1', 'b2');
  pass(MINUTE);
  await collect('c1', 'c1', [view('/'), view('/basket?full=1'), event('pay'), load(100), load(300)]);
  await collect('c1', 'c1', [event('search'), event('search')]);
  await collect('c2', 'c2', [view('/'), load(200)]);
  await collect('b1', 'b1', [view('/basket'), event('search')]);
  await collect('b2', 'b2', ['/', '/', '/checkout', '/checkout/pay'].map(view));
  await collect('b2', 'b2', [load(500), load(900), load(700), event('load', { ms: 'slow' })]);
  pass(MINUTE);
  await buy('c1', 40);
  await buy('c3', 100);
  await buy('b1', 30);
  await signUp('c3');
  pass(MINUTE);
  // Too late for the last step.
  await collect('b1', 'b1', [event('pay')]);
  pass(DAY / 2);
  await accepted(shop.decrement({ goalId: 'revenue', sessionId: 'c3', amount: 20 }));
  pass(2 * DAY);
  await collect('c2-later', 'c2', [view('/checkout/a')]);
  await signUp('c2-later');
  pass(6.5 * DAY);
  await collect('b3', 'b3', []);
  await expose('b', 'b3');
  pass(MINUTE);
  await collect('b3', 'b3', [view('/')]);
  pass(DAY);
}

beforeAll(async () => {
  clock.freeze(now);
  shop = await openShop({
    provision: sampleWith({ metrics: [...METRICS, ...PLANNED_METRICS], splitTests: [TEST, PLANNED] }, [FULL]),
    wrap: clock.wrap,
  });
  await play();
});
afterAll(() => closeShop(shop));

const measured = async (id: string): Promise<Body[]> => {
  const { goals } = await shop.results('measured');
  return goals.find(({ goalId }: Body) => goalId === `metric:${id}`).measured;
};

describe('results of metrics', () => {
  it.each<[string, object, object]>([
    [
      'signups',
      { visitors: 3, pending: 0, reached: 1, sum: 1, sumSquares: 1 },
      { visitors: 2, pending: 1, reached: 0, sum: 0, sumSquares: 0 },
    ],
    [
      'spend',
      { visitors: 3, pending: 0, reached: 2, sum: 90, sumSquares: 4100 },
      { visitors: 3, pending: 0, reached: 1, sum: 30, sumSquares: 900 },
    ],
    [
      'order-value',
      { sum: 120, sumSquares: 8000, denominatorSum: 1, denominatorSumSquares: 1, product: 40 },
      { sum: 30, sumSquares: 900, denominatorSum: 1, denominatorSumSquares: 1, product: 30 },
    ],
    ['came-back', { visitors: 3, pending: 0, reached: 1 }, { visitors: 2, pending: 1, reached: 0 }],
    [
      'way',
      {
        reached: 1,
        steps: [
          { name: '/basket', visitors: 1 },
          { name: 'pay', visitors: 1 },
          { name: 'Revenue', visitors: 1 },
        ],
      },
      { pending: 1, reached: 0, steps: [{ visitors: 1 }, { visitors: 1 }, { visitors: 0 }] },
    ],
    ['load', { visitors: 2, values: 3, value: 200 }, { visitors: 1, values: 3, value: 700 }],
    ['checkout', { visitors: 3, reached: 1 }, { visitors: 3, reached: 1 }],
    [
      'views',
      { visitors: 3, reached: 2, sum: 4, sumSquares: 8 },
      { visitors: 3, reached: 3, sum: 5, sumSquares: 11 },
    ],
    ['bounce', { sum: 1, denominatorSum: 2 }, { sum: 1, denominatorSum: 2 }],
    ['searches', { sum: 2, sumSquares: 4, reached: 1 }, { sum: 1, sumSquares: 1, reached: 1 }],
  ])('%s', async (id, control, b) => {
    expect(await measured(id)).toMatchObject([
      { key: 'control', ...control },
      { key: 'b', ...b },
    ]);
  });

  it('are named, and have their role among goals', async () => {
    const { goals } = await shop.results('measured');
    expect(goals.map(({ goalId, kind, role }: Body) => [goalId, kind, role])).toEqual([
      ['metric:signups', 'metric', 'primary'],
      ...['spend', 'order-value', 'came-back', 'way', 'checkout', 'views', 'bounce', 'searches'].map((id) => [
        `metric:${id}`,
        'metric',
        'secondary',
      ]),
      ['signup', 'count', 'secondary'],
      ['metric:load', 'metric', 'guardrail'],
    ]);
    expect(goals[1]).toMatchObject({
      name: 'Spending',
      metricId: 'spend',
      metricKind: 'sum',
      format: 'money',
    });
    expect(goals.at(-1)).toMatchObject({ lowerIsBetter: true, maxHarm: 0.1, state: 'open', quantile: 0.5 });
  });

  it('count a visitor whose window ends, without any further event', async () => {
    pass(DAY + 10 * MINUTE);
    expect((await measured('signups'))[1]).toMatchObject({ visitors: 3, pending: 0 });
    pass(-DAY - 10 * MINUTE);
    expect((await measured('signups'))[1]).toMatchObject({ visitors: 2, pending: 1 });
  });

  it('are in bundles, which can be verified, and in CSV', async () => {
    const query = { splitTestKey: 'measured', format: 'bundle' };
    const { text, body } = await shop.get('/v1/split-testing/results/export', query);
    expect(body.definition.metrics).toMatchObject(METRICS);
    const file = join(shop.server.dataDir, 'measured.json');
    writeFileSync(file, text);
    expect(await switchyard(shop.server, 'verify', file)).toMatchObject({ code: 0 });
    const csv = await shop.get('/v1/split-testing/results/export', { ...query, format: 'csv' });
    expect(csv.text.split('\n')[1]).toContain(',metric:signups,metric,primary,');
  });
});

const preview = (query: Record<string, string>) => shop.get('/v1/metrics/preview', query);
const defined = (definition: object) => preview({ definition: JSON.stringify(definition) });

describe('the preview of a metric', () => {
  it('has its value in the last 30 days, whether it is saved or not', async () => {
    const views = bodyOf(await preview({ metric: 'views' }));
    expect(views).toMatchObject({
      metric: 'views',
      kind: 'page',
      format: 'number',
      days: 30,
      visitors: 6,
      pending: 0,
      reached: 5,
      value: 9 / 6,
      // Five values are not enough for a plan.
      plan: { smallestEffect: 0.1, visitors: null, days: null },
      detectable: { days: 14, smallestEffect: null },
      words: 'Last 30 days: 1.5, over 6 visitors. That is not enough data to plan a test.',
    });
    const { id: _id, ...definition } = METRICS.find(({ id }) => id === 'views')!;
    expect(bodyOf(await defined(definition))).toEqual({ ...views, metric: null, name: 'page' });
  });

  it('says what a test would find', async () => {
    const share = bodyOf(await preview({ metric: 'checkout' }));
    expect(share).toMatchObject({
      value: 2 / 6,
      plan: { visitors: expect.any(Number), days: expect.any(Number) },
    });
    expect(share.words).toMatch(
      /^Last 30 days: 33 % of 6 visitors\. A test with two variations finds a change of ±10 % after about [\d,]+ days\.$/,
    );
  });

  it('leaves out visitors whose window is not over', async () => {
    expect(bodyOf(await preview({ metric: 'way' }))).toMatchObject({
      visitors: 5,
      pending: 1,
      reached: 1,
      value: 0.2,
      steps: [
        { name: '/basket', visitors: 2 },
        { name: 'pay', visitors: 2 },
        { name: 'Revenue', visitors: 1 },
      ],
    });
  });

  it('of a quantile rests on all visitors', async () => {
    expect(bodyOf(await preview({ metric: 'load' }))).toMatchObject({
      visitors: 6,
      reached: 3,
      values: 6,
      format: 'number',
    });
  });

  it('without data says so', async () => {
    const nothing = bodyOf(await defined({ kind: 'event', event: 'never', of: 'count' }));
    expect(nothing).toMatchObject({ value: 0, plan: { visitors: null, days: null } });
    expect(nothing.words).toContain('That is not enough data to plan a test.');
  });

  it('creates nothing, so a property with as many as it may have can ask', async () => {
    const query = { propertyId: 'full', definition: JSON.stringify({ kind: 'page', path: '/new' }) };
    const response = await shop.get('/v1/metrics/preview', query, FULL.apiKeys[0]!.key);
    expect(bodyOf(response)).toMatchObject({ metric: null, name: 'page', visitors: 0 });
  });

  it('needs a metric, and checks a definition like one that is saved', async () => {
    errorOf(await preview({}), 400, 'invalid_request');
    errorOf(await preview({ metric: 'views', definition: '{}' }), 400, 'invalid_request');
    errorOf(await preview({ metric: 'ghost' }), 404, 'not_found');
    for (const text of ['{', '[]', '"page"']) {
      const { errors } = errorOf(await preview({ definition: text }), 400, 'invalid_request');
      expect(errors).toMatchObject([{ pointer: '/definition' }]);
    }
    const wrong = await defined({ kind: 'sum', goalId: 'signup', event: 'x' });
    expect(errorOf(wrong, 400, 'invalid_request').errors).toMatchObject([
      { pointer: '/definition/event' },
      { pointer: '/definition/goalId' },
    ]);
    // One that a test uses, which could not be saved.
    expect(bodyOf(await defined({ ...METRICS[1], cap: 10 }))).toMatchObject({
      name: 'Spending',
      metric: null,
    });
  });
});

describe('a plan with metrics', () => {
  const ask = (query: Record<string, string>) => shop.get('/v1/split-testing/plan', query);

  it('is made for a metric, with metrics as guardrails', async () => {
    const plan = bodyOf(
      await ask({ metric: 'signups', guardrails: 'metric:checkout:0.1,signup,metric:spend' }),
    );
    expect(plan).toMatchObject({
      goalId: 'metric:signups',
      metric: 'conversion-rate',
      windowDays: 2,
      baseline: { visitors: 5, pending: 1, converted: 1, mean: 0.2 },
      // Of 28 days with complete windows, and of the two days of the windows.
      dailyVisitors: 6 / 30,
      guardrails: [
        { goalId: 'metric:checkout', maxHarm: 0.1, visitors: expect.any(Number) },
        { goalId: 'signup', maxHarm: 0.05, visitors: expect.any(Number) },
        { goalId: 'metric:spend', maxHarm: 0.05, visitors: null },
      ],
    });
    expect(plan.words).toContain(
      '1 of 5 visitors reached "signups"; 1 visitor whose time is not over is left out.',
    );
    expect(plan.words).toContain(' at this traffic, the last 2 days of which only follow visitors, to find ');
    const value = bodyOf(await ask({ metric: 'spend' }));
    expect(value.words).toContain('"Spending" was $20.00, over 6 visitors.');
  });

  it('gives visitors the time of a guardrail with a window', async () => {
    const { dailyVisitors, guardrails } = bodyOf(
      await ask({ goalId: 'signup', guardrails: 'metric:signups:0.5,signup:0.5' }),
    );
    const [followed, plain] = guardrails.map(({ visitors, days }: Body) => [
      Math.ceil(visitors / dailyVisitors),
      days,
    ]);
    expect(followed[1]).toBe(followed[0] + 2);
    expect(plain[1]).toBe(plain[0]);
  });

  it('is for one goal or metric that exists', async () => {
    const missing = errorOf(await ask({}), 400, 'invalid_request');
    expect(missing.errors).toMatchObject([{ pointer: '/goalId' }]);
    const both = errorOf(await ask({ goalId: 'signup', metric: 'views' }), 400, 'invalid_request');
    expect(both.errors).toMatchObject([{ pointer: '/metric' }]);
    errorOf(await ask({ metric: 'ghost' }), 404, 'not_found');
    errorOf(await ask({ goalId: 'signup', guardrails: 'metric:ghost' }), 404, 'not_found');
  });
});

describe('a test that has reached its planned size', () => {
  beforeAll(async () => {
    for (const index of [0, 1, 2, 3, 4, 5]) {
      pass(MINUTE);
      const id = `p${index}`;
      await collect(id, id, []);
      const variationKey = index % 2 === 0 ? 'control' : 'b';
      await accepted(shop.expose({ splitTestKey: 'planned', variationKey, sessionId: id }));
      pass(MINUTE);
      await collect(id, id, [view('/planned'), view('/planned')]);
    }
  });

  it('decides with the visitors until then, and watches guardrails with all', async () => {
    const { goals, notes, method } = await shop.results('planned');
    expect(method.engine).toBe('group-sequential');
    expect(notes).toContainEqual(expect.objectContaining({ note: 'planned-end' }));
    const [primary, guardrail] = goals;
    expect(primary.measured).toMatchObject([
      { key: 'control', visitors: 2, sum: 4 },
      { key: 'b', visitors: 2, sum: 4 },
    ]);
    expect(guardrail.measured).toMatchObject([
      { key: 'control', visitors: 3, reached: 3 },
      { key: 'b', visitors: 3, reached: 3 },
    ]);
  });
});
