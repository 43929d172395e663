import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPORT_VERSION } from '@switchyard/core/stats/report/report';
import { PUBLIC_KEY } from '@switchyard/testing/fixtures/sample-property';
import {
  accepted,
  closeShop,
  expectProblem,
  openShop,
  type Shop,
  sampleWith,
} from '@switchyard/testing/fixtures/shop';
import { simulateTraffic } from '@switchyard/testing/fixtures/simulated-traffic';
import { mulberry32 } from '@switchyard/testing/random/mulberry32';
import { applyProvision, switchyard } from '@switchyard/testing/server/command-line';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const SEED = 20_261_115;

const test = (key: string, more: object = {}) => ({
  key,
  type: 'id',
  status: 'running',
  variations: [
    { key: 'control', weight: 1 },
    { key: 'b', weight: 1 },
  ],
  goals: ['joined', 'spent'],
  ...more,
});
const GOALS = [
  { id: 'joined', kind: 'count' },
  { id: 'spent', kind: 'revenue' },
  { id: 'complaints', kind: 'count', lowerIsBetter: true },
];

let shop: Shop;
beforeAll(async () => {
  const splitTests = [
    test('ordered'),
    test('shuffled'),
    test('before'),
    test('refunds'),
    test('bots'),
    test('busy'),
    test('phased'),
    test('ahead'),
    test('visitors'),
    test('guarded', { goals: ['joined'], guardrails: ['complaints'] }),
    test('extras'),
    test('paid', { goals: ['spent'] }),
    test('ended', { attributionDays: 0 }),
    test('window', { attributionDays: 30 }),
  ];
  shop = await openShop({ provision: sampleWith({ displayCurrency: 'EUR', splitTests, goals: GOALS }) });
});
afterAll(() => closeShop(shop));

const goalOf = (body: TestResponse['body'], goalId: string) =>
  body.goals.find((goal: TestResponse['body']) => goal.goalId === goalId);
const countsOf = (body: TestResponse['body'], goalId: string) =>
  Object.fromEntries(
    goalOf(body, goalId).counts.map(({ key, ...counts }: TestResponse['body']) => [key, counts]),
  );
const expose = (splitTestKey: string, variationKey: string, sessionId: string, more: object = {}) =>
  shop.expose({ splitTestKey, variationKey, sessionId, ...more });

describe('simulated traffic with a known effect', () => {
  it(`is detected, including refunds, in any order of arrival (seed ${SEED})`, async () => {
    const random = mulberry32(SEED);
    const traffic = simulateTraffic(random, { visitors: 700, rates: { control: 0.25, b: 0.4 }, spend: 30 });
    await traffic.send(shop, 'ordered', 'in order');
    await traffic.send(shop, 'shuffled', 'shuffled');
    const [ordered, shuffled] = [await shop.results('ordered'), await shop.results('shuffled')];
    expect(shuffled.goals).toEqual(ordered.goals);
    expect(shuffled.variations).toEqual(ordered.variations);
    expect(ordered.health).toMatchObject({ healthy: true, problems: [] });
    // Counts match the sent events, to the cent.
    for (const key of ['control', 'b']) {
      const truth = traffic.truth[key]!;
      expect(countsOf(ordered, 'joined')[key]).toMatchObject({
        visitors: truth.visitors,
        converted: truth.converted,
      });
      expect(countsOf(ordered, 'spent')[key].amount.sum).toBe(truth.dollars);
    }
    const [rate] = goalOf(ordered, 'joined').metrics;
    const { absolute } = rate.variations[1];
    expect(absolute.low).toBeLessThan(0.15);
    expect(absolute.high).toBeGreaterThan(0.15);
    expect(ordered.verdict).toMatchObject({ decision: 'ship', variation: 'b' });
    expect(ordered.verdict.words).toMatch(/^Ship "b"/);
  });
});

describe('counting', () => {
  it('ignores conversions before the first exposure', async () => {
    await accepted(shop.increment({ goalId: 'joined', sessionId: 'early' }));
    await accepted(expose('before', 'b', 'early', { timestamp: Date.now() + 5 }));
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(countsOf(await shop.results('before'), 'joined').b).toMatchObject({ visitors: 1, converted: 0 });
    await accepted(shop.increment({ goalId: 'joined', sessionId: 'early' }));
    expect(countsOf(await shop.results('before'), 'joined').b).toMatchObject({ visitors: 1, converted: 1 });
  });

  it('a refund reduces the value of its visitor', async () => {
    await accepted(
      ...['r1', 'r2'].map((sessionId) => shop.collect({ sessionId, visitorId: 'returning' })),
      expose('refunds', 'b', 'r1'),
    );
    await accepted(shop.increment({ goalId: 'spent', sessionId: 'r1', amount: 100 }));
    await accepted(shop.decrement({ goalId: 'spent', sessionId: 'r2', amount: 30.5 }));
    expect(countsOf(await shop.results('refunds'), 'spent').b).toMatchObject({
      visitors: 1,
      converted: 1,
      conversions: { sum: 0, sumSquares: 0 },
      amount: { sum: 69.5, sumSquares: 69.5 ** 2 },
      convertedAmount: 69.5,
    });
    const { body } = await shop.get('/v1/split-testing/results', {
      splitTestKey: 'refunds',
      include: 'series',
    });
    expect(goalOf(body.series.at(-1), 'spent').days[1]).toMatchObject({ key: 'b', converted: 1 });
    await accepted(shop.decrement({ goalId: 'spent', sessionId: 'r1', amount: 69.5 }));
    expect(countsOf(await shop.results('refunds'), 'spent').b).toMatchObject({
      converted: 0,
      amount: { sum: 0 },
    });
  });

  it('amounts of a count goal do not make a conversion', async () => {
    await accepted(expose('refunds', 'control', 'counted'));
    await accepted(shop.increment({ goalId: 'joined', sessionId: 'counted', amount: 5 }));
    await accepted(shop.decrement({ goalId: 'joined', sessionId: 'counted' }));
    expect(countsOf(await shop.results('refunds'), 'joined').control).toMatchObject({
      visitors: 1,
      converted: 0,
    });
  });

  it('counts by visitor, in whichever session they convert and whenever it is linked to them', async () => {
    await accepted(expose('visitors', 'b', 'phone'));
    await accepted(shop.increment({ goalId: 'joined', sessionId: 'laptop' }));
    expect(countsOf(await shop.results('visitors'), 'joined').b).toMatchObject({ visitors: 1, converted: 0 });
    await accepted(
      ...['phone', 'laptop'].map((sessionId) => shop.collect({ sessionId, visitorId: 'one-person' })),
    );
    expect(countsOf(await shop.results('visitors'), 'joined').b).toMatchObject({ visitors: 1, converted: 1 });
  });

  it('bots are excluded by default and can be included', async () => {
    const crawler = {
      'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    };
    const exposures = (sessionId: string, more = {}) => ({
      propertyId: 'shop',
      exposures: [{ splitTestKey: 'bots', variationKey: 'b', sessionId, ...more }],
    });
    await accepted(
      shop.browse('/v1/split-testing/expose', exposures('human')),
      shop.browse('/v1/split-testing/expose', exposures('crawler'), crawler),
      shop.browse('/v1/split-testing/expose', exposures('rendered', { bot: true })),
    );
    expect((await shop.results('bots')).variations[1]).toMatchObject({ exposures: 1, visitors: 1, bots: 2 });
    expect((await shop.results('bots', { bots: 'include' })).variations[1]).toMatchObject({
      exposures: 3,
      visitors: 3,
    });
  });

  it('after a test has ended, conversions count within its attribution window', async () => {
    for (const key of ['ended', 'window']) await accepted(expose(key, 'b', `s-${key}`));
    const stop = (key: string) => ({ key, status: 'stopped' });
    await applyProvision(shop.server, {
      properties: [{ id: 'shop', splitTests: [stop('ended'), stop('window')] }],
    });
    await waitFor('the stop', async () => (await shop.results('window')).status === 'stopped');
    await new Promise((resolve) => setTimeout(resolve, 5));
    for (const key of ['ended', 'window']) {
      await accepted(shop.increment({ goalId: 'joined', sessionId: `s-${key}` }));
    }
    expect(countsOf(await shop.results('ended'), 'joined').b).toMatchObject({ visitors: 1, converted: 0 });
    expect(countsOf(await shop.results('window'), 'joined').b).toMatchObject({ visitors: 1, converted: 1 });
  });
});

describe('consistency', () => {
  it('a report includes everything acknowledged before it, under concurrent reads and writes', async () => {
    const visitors = async () => (await shop.results('busy')).variations[1].visitors;
    let acknowledged = 0;
    const write = async (client: number) => {
      for (let i = 0; i < 30; i++) {
        await accepted(expose('busy', 'b', `busy-${client}-${i}`));
        acknowledged += 1;
        const before = acknowledged;
        expect(await visitors()).toBeGreaterThanOrEqual(before);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, client) => write(client)));
    expect(await visitors()).toBe(240);
  });
});

describe('phases', () => {
  it('that have not started are ignored: the exposure counts in the phase of its time', async () => {
    await accepted(expose('ahead', 'b', 'a-1', { phase: 2 }), expose('ahead', 'b', 'a-2', { phase: 1 }));
    expect((await shop.results('ahead')).variations[1]).toMatchObject({ visitors: 2 });
  });

  it('are reported separately, by the definition that the client had', async () => {
    await accepted(expose('phased', 'b', 'p-1'), expose('phased', 'b', 'p-2', { phase: 1 }));
    const weights = [
      { key: 'control', weight: 1 },
      { key: 'b', weight: 3 },
    ];
    await applyProvision(shop.server, {
      properties: [{ id: 'shop', splitTests: [{ key: 'phased', variations: weights }] }],
    });
    await waitFor('the phase', async () => (await shop.results('phased')).phases.length === 2);
    // One page has the new definition, one still the old one, which does not count any more, and one sends no phase.
    await accepted(
      expose('phased', 'b', 'p-3', { phase: 2 }),
      expose('phased', 'b', 'p-4', { phase: 1 }),
      expose('phased', 'b', 'p-5'),
    );
    const latest = await shop.results('phased');
    expect(latest.phase).toMatchObject({ number: 2, reasons: ['weights'], endedAt: null });
    expect(latest.variations[1]).toMatchObject({ weight: 3, visitors: 2 });
    const first = await shop.results('phased', { phase: '1' });
    expect(first.phase).toMatchObject({ number: 1, reasons: ['started'], endedAt: expect.any(Number) });
    expect(first.variations[1]).toMatchObject({ weight: 1, visitors: 2 });
    const none = await shop.get('/v1/split-testing/results', { splitTestKey: 'phased', phase: '3' });
    expectProblem(none, { status: 400, code: 'invalid_request', pointers: ['/phase'] });
  });
});

describe('guardrails', () => {
  it(`that get worse lead to a rollback, however good the primary goal is (seed ${SEED})`, async () => {
    const random = mulberry32(SEED);
    const traffic = simulateTraffic(random, { visitors: 700, rates: { control: 0.25, b: 0.4 }, spend: 0 });
    await traffic.send(shop, 'guarded', 'in order', {
      goal: 'complaints',
      rates: { control: 0.05, b: 0.25 },
      random,
    });
    const { verdict } = await shop.results('guarded');
    expect(verdict).toMatchObject({
      decision: 'roll-back',
      variation: 'b',
      harmedGuardrails: ['complaints'],
    });
  });
});

describe('further parts of a report', () => {
  it('segments, series and feedback', async () => {
    for (const [index, country] of ['DE', 'DE', 'FR'].entries()) {
      const sessionId = `extras-${index}`;
      await accepted(
        expose('extras', 'b', sessionId, { attributes: { country, plan: index === 0 ? 'pro' : 'free' } }),
      );
      await accepted(
        shop.submit({ feedbackTypeId: 'nps', sessionId, option: 'good', message: `Fine ${index}` }),
      );
    }
    await accepted(shop.increment({ goalId: 'joined', sessionId: 'extras-2' }));
    const { breakdown, series, feedback } = await shop.results('extras', {
      by: 'country',
      include: 'series,feedback',
    });
    expect(breakdown.words).toMatch(/^No group differs/);
    expect(
      breakdown.segments.map(({ value, variations }: TestResponse['body']) => [
        value,
        variations[1].visitors,
      ]),
    ).toEqual([
      ['DE', 2],
      ['FR', 1],
    ]);
    const plans = (await shop.results('extras', { by: 'plan' })).breakdown.segments;
    expect(plans.map(({ value }: TestResponse['body']) => value)).toEqual(['free', 'pro']);
    const last = series.at(-1);
    expect(last.variations[1]).toMatchObject({ key: 'b', visitors: 3 });
    expect(last.goals[0].days[1]).toMatchObject({ key: 'b', converted: 1, conversions: 1 });
    expect(last.goals[0].cumulative.variations[1]).toMatchObject({ key: 'b', n: 3 });
    const forB = feedback.find(({ key }: TestResponse['body']) => key === 'b');
    expect(forB.options).toEqual([{ feedbackTypeId: 'nps', option: 'good', count: 3 }]);
    expect(forB.messages.map(({ message }: TestResponse['body']) => message)).toEqual([
      'Fine 2',
      'Fine 1',
      'Fine 0',
    ]);
  });

  it('a plan based on the traffic of the property', async () => {
    const { body } = await shop.get('/v1/split-testing/plan', { goalId: 'joined', smallestEffect: '0.2' });
    expect(body.baseline.visitors).toBeGreaterThan(0);
    expect(body.visitors).toBeGreaterThan(100);
    expect(body.words).toMatch(/A test with 2 variations needs [\d,]+ visitors, about [\d,]+ days/);
  });
});

describe('exports', () => {
  it('a bundle can be recomputed, and a changed one is detected', async () => {
    const response = await shop.get('/v1/split-testing/results/export', { splitTestKey: 'ordered' });
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="ordered.json"');
    expect(response.body.engineVersion).toBe(REPORT_VERSION);
    expect(response.body.definition.phases).toHaveLength(1);
    const original = await verify(response.text);
    expect(original).toMatchObject({ code: 0, stdout: expect.stringMatching(/^The results match: 2 goals/) });
    const forged = structuredClone(response.body);
    forged.input.groups.find((group: TestResponse['body']) => group.variationKey === 'b').visitors += 1;
    const changed = await verify(JSON.stringify(forged));
    expect(changed.code).toBe(1);
    expect(changed.stderr).toMatch(/results\.variations\.1\.visitors: the bundle has \d+, recomputed: \d+/);
    expect((await verify('{"format":"other"}')).stderr).toMatch(/not a bundle/);
  });

  it('a bundle says which currency its texts use', async () => {
    for (const [index, key] of ['control', 'b'].entries()) {
      await accepted(expose('paid', key, `paid-${key}`));
      await accepted(shop.increment({ goalId: 'spent', sessionId: `paid-${key}`, amount: 10.5 + index }));
    }
    const { body, text } = await shop.get('/v1/split-testing/results/export', { splitTestKey: 'paid' });
    expect(body.results.verdict.words).toContain('€10.50 → €11.50 per visitor');
    expect(await verify(text)).toMatchObject({ code: 0 });
    const { stderr } = await verify(text.replace('"currency":"EUR"', '"currency":"GBP"'));
    expect(stderr).toMatch(/recomputed: ".+£10\.50 → £11\.50/);
  });

  it('a bundle with another method or definition is detected', async () => {
    const { body } = await shop.get('/v1/split-testing/results/export', { splitTestKey: 'ordered' });
    const stderrOf = async (change: (bundle: TestResponse['body']) => void) => {
      const forged = structuredClone(body);
      change(forged);
      return (await verify(JSON.stringify(forged))).stderr;
    };
    expect(
      await stderrOf(({ method, definition }) => {
        method.alpha = 0.2;
        definition.smallestEffect = 0.9;
        definition.phases[0].definition.variations[1].weight = 90;
      }),
    ).toMatch(/method\.alpha: .+definition\.smallestEffect: .+definition\.variations\.1\.weight: /s);
    expect(await stderrOf((bundle) => Object.assign(bundle, { phase: 2 }))).toMatch(/has no phase 2/);
    expect(await stderrOf((bundle) => Reflect.deleteProperty(bundle, 'definition'))).toMatch(/incomplete/);
  });

  it('CSV has a row per variation and goal', async () => {
    const { text, headers } = await shop.get('/v1/split-testing/results/export', {
      splitTestKey: 'ordered',
      format: 'csv',
    });
    expect(headers.get('content-type')).toMatch(/^text\/csv/);
    const rows = text
      .trim()
      .split('\r\n')
      .map((line) => line.split(','));
    expect(rows).toHaveLength(5);
    expect(rows[0]).toContain('converted_visitors');
    expect(new Set(rows.map((row) => row.length)).size).toBe(1);
  });

  const verify = (bundle: string) => {
    const file = join(shop.server.dataDir, 'bundle.json');
    writeFileSync(file, bundle);
    return switchyard(shop.server, 'verify', file);
  };
});

it('a public key cannot read results', async () => {
  const response = await shop.get('/v1/split-testing/results', { splitTestKey: 'ordered' }, PUBLIC_KEY);
  expectProblem(response, { status: 403, code: 'wrong_key_kind' });
});
