import { OTHER_SECRET_KEY, PUBLIC_KEY } from '@switchyard/testing/fixtures/sample-property';
import {
  accepted,
  closeShop,
  expectProblem,
  nextMillisecond,
  openShop,
  type Shop,
  sampleWith,
} from '@switchyard/testing/fixtures/shop';
import { newMember, ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const PATH = '/v1/split-testing/library';
const BATCH = 400;

type Body = TestResponse['body'];

/** Finished tests with 200 visitors in each variation, oldest first. */
const TESTS = [
  [
    'photo',
    { hypothesis: 'A photo of the Product helps', tags: ['landing'], owner: 'ada@shop.example' },
    20,
    60,
  ],
  ['banner', { description: 'A banner on every page', tags: ['landing', 'banner'] }, 40, 10],
  ['copy', {}, 30, 32],
  ['price', {}, 30, 33],
  ['font', {}, 30, 27],
  ['menu', {}, 30, 31],
  ['search', {}, 30, 28],
  [
    'colors',
    { audience: { conditions: [{ attribute: 'plan', operator: 'equals', values: ['pro'] }] } },
    20,
    50,
  ],
  ['silent', { goals: [] }, 30, 30],
] as const;

const DECISIONS: Record<string, object> = {
  photo: { winner: 'b', decision: { outcome: 'ship', reason: 'Many more sign-ups' } },
  banner: { winner: 'control', decision: { outcome: 'roll-back', reason: 'It hid the button' } },
  copy: { decision: { outcome: 'no-difference', reason: 'Nobody reads it' } },
  price: { winner: 'b' },
  colors: { winner: 'b' },
};

let shop: Shop;
let manager: PropertyManager;

beforeAll(async () => {
  const splitTests = TESTS.map(([key, fields]) => ({
    key,
    type: 'id',
    status: 'running',
    variations: ['control', 'b'].map((name) => ({ key: name, weight: 50, value: name })),
    goals: ['signup'],
    attributionDays: 0,
    ...fields,
  }));
  shop = await openShop({ provision: sampleWith({ splitTests }), env: WITH_OWNER });
  manager = new PropertyManager(await ownerBrowser(shop.server));
  for (const [splitTestKey, , control, variation] of TESTS) {
    const visits = [
      ['control', control],
      ['b', variation],
    ].flatMap(([variationKey, converted]) =>
      Array.from({ length: 200 }, (_, index) => ({
        exposure: { splitTestKey, variationKey, sessionId: `${splitTestKey}-${variationKey}-${index}` },
        converts: index < Number(converted),
      })),
    );
    for (let at = 0; at < visits.length; at += BATCH)
      await accepted(shop.expose(...visits.slice(at, at + BATCH).map(({ exposure }) => exposure)));
    await accepted(
      ...visits
        .filter(({ converts }) => converts)
        .map(({ exposure }) => shop.increment({ goalId: 'signup', sessionId: exposure.sessionId })),
    );
  }
  for (const [key] of TESTS) {
    await nextMillisecond();
    bodyOf(await manager.patch(`/split-tests/${key}`, { status: 'stopped', ...DECISIONS[key] }, '*'));
  }
  bodyOf(await manager.patch('/split-tests/copy', { status: 'archived' }, '*'));
});
afterAll(() => closeShop(shop));

const library = async (query: Record<string, string> = {}): Promise<Body> =>
  bodyOf(await shop.get(PATH, query));
const keysOf = ({ tests }: Body): string[] => tests.map(({ splitTestKey }: Body) => splitTestKey);
const LATEST_FIRST = TESTS.map(([key]) => key).toReversed();

describe('GET /v1/split-testing/library', () => {
  it('lists finished tests with question, decision, effect and cost', async () => {
    const body = await library();
    // Neither running tests, nor tests that never ran.
    expect(keysOf(body)).toEqual(LATEST_FIRST);
    expect(body).toMatchObject({ matching: 9, nextCursor: null });
    const photo = body.tests.at(-1);
    expect(photo).toMatchObject({
      name: 'photo',
      hypothesis: 'A photo of the Product helps',
      description: null,
      tags: ['landing'],
      owner: 'ada@shop.example',
      status: 'stopped',
      outcome: 'ship',
      decision: { reason: 'Many more sign-ups', decidedAt: expect.any(Number) },
      winner: 'b',
      control: 'control',
      phases: 1,
      figures: {
        goal: { goalId: 'signup', name: 'Sign-ups', kind: 'count', lowerIsBetter: false },
        visitors: 400,
        healthy: true,
        effects: [{ variation: 'b', visitors: 200, finding: 'better' }],
      },
    });
    expect(photo.endedAt).toBeGreaterThan(photo.startedAt);
    expect(photo.days).toBeCloseTo((photo.endedAt - photo.startedAt) / 86_400_000, 9);
    expect(body.tests.map(({ outcome }: Body) => outcome)).toEqual([
      'undecided',
      'ship',
      'undecided',
      'undecided',
      'undecided',
      'ship',
      'no-difference',
      'roll-back',
      'ship',
    ]);
    expect(body.tests.find(({ splitTestKey }: Body) => splitTestKey === 'copy').status).toBe('archived');
    expect(body.tests[0]).toMatchObject({
      figures: { goal: null, effects: [] },
      words: 'The test had no primary goal.',
    });
  });

  it('has the effects of the results, and what to expect of them', async () => {
    const { tests } = await library();
    for (const { splitTestKey, figures, words } of tests.slice(1)) {
      const { goals } = await shop.results(splitTestKey);
      const [effect] = figures.effects;
      const { relative, absolute } = goals[0].metrics[0].variations[1];
      expect(effect).toMatchObject({ relative, absolute });
      const { expected } = effect;
      expect(Math.abs(expected.estimate)).toBeLessThan(Math.abs(relative.estimate));
      expect(Math.sign(expected.estimate)).toBe(Math.sign(relative.estimate));
      expect(expected.low).toBeLessThan(expected.estimate);
      expect(expected.high).toBeGreaterThan(expected.estimate);
      // With as many visitors in both, half of them brought as much more as the variation converts more.
      expect(figures.whileRunning.unit).toBe('visitors');
      expect(figures.whileRunning.estimate).toBeCloseTo(200 * absolute.estimate, 9);
      expect(words).toMatch(/Expect [+-]/);
    }
    expect(tests.at(-1).figures.whileRunning.estimate).toBeCloseTo(40, 9);
    expect(tests.at(-1).words).toMatch(
      /^"b" did better: \+200 %, between \+\d+ % and \+\d+ %\. Expect \+\d+ %\.$/,
    );
    expect(tests.at(-2).words).toMatch(/^"b" did worse: -75 %, /);
    expect(tests.at(-3).words).toMatch(/^No difference is proven for "b": \+6\.7 %, /);
  });

  it('says how often ideas win, how large effects are, and what all of them brought', async () => {
    const { record } = await library({ q: 'photo', limit: '1' });
    expect(record).toMatchObject({
      finished: 9,
      counted: 9,
      pending: 0,
      decided: 5,
      shipped: 3,
      // "colors" is not beyond chance.
      better: 1,
      worse: 1,
      inconclusive: 6,
      unreliable: 0,
      prior: { mean: 0, tests: 8 },
      usualVisitors: 400,
      partial: 1,
    });
    // The median of 200, 75, 6.7, 10, 10, 3.3, 6.7 and 150 %.
    expect(record.usualEffect).toBeCloseTo(0.1, 9);
    expect(record.words).toBe(
      '3 of 5 decided tests shipped a change (60 %). 1 was proven better, 1 worse. The usual test has an effect of 10 %, up or down.',
    );
    // "photo" and "price"; "colors" was about an audience only.
    const [goal, ...others] = record.shippedGoals;
    expect(others).toEqual([]);
    expect(goal).toMatchObject({ goalId: 'signup', name: 'Sign-ups', tests: 2 });
    expect(goal.observed).toBeCloseTo(3 * 1.1 - 1, 9);
    expect(goal.expected.estimate).toBeLessThan(goal.observed);
    expect(goal.expected.low).toBeLessThan(goal.expected.estimate);
    expect(goal.words).toMatch(
      /^2 shipped tests are estimated to have changed Sign-ups by \+\d+ %, between /,
    );
  });

  it('finds tests by words, outcome and tag', async () => {
    const found = async (query: Record<string, string>) => keysOf(await library(query));
    expect(await found({ q: 'PRODUCT photo' })).toEqual(['photo']);
    expect(await found({ q: 'hid the button' })).toEqual(['banner']);
    expect(await found({ q: 'landing' })).toEqual(['banner', 'photo']);
    expect(await found({ q: 'ada@shop.example' })).toEqual(['photo']);
    expect(await found({ tag: 'landing' })).toEqual(['banner', 'photo']);
    expect(await found({ tag: 'land' })).toEqual([]);
    expect(await found({ outcome: 'ship' })).toEqual(['colors', 'price', 'photo']);
    expect(await found({ outcome: 'undecided' })).toEqual(['silent', 'search', 'menu', 'font']);
    expect(await found({ outcome: 'ship', tag: 'landing', q: 'sign-ups' })).toEqual(['photo']);
    expect(await library({ q: 'nothing like it' })).toMatchObject({
      tests: [],
      matching: 0,
      nextCursor: null,
    });
  });

  it('has pages, which neither skip nor repeat a test', async () => {
    const keys: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Body = await library({ limit: '4', ...(cursor !== null && { cursor }) });
      expect(page.matching).toBe(9);
      keys.push(...keysOf(page));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(keys).toEqual(LATEST_FIRST);
  });

  it('is for the secret key of the property and for its members', async () => {
    const { browser } = await newMember(await ownerBrowser(shop.server), 'viewer@shop.example', 'viewer');
    expect(bodyOf(await browser.get(`${PATH}?propertyId=shop`)).matching).toBe(9);
    expect((await shop.get(PATH, {}, PUBLIC_KEY)).status).toBe(403);
    expectProblem(await shop.get(PATH, {}, OTHER_SECRET_KEY), { status: 403, code: 'wrong_property' });
    const empty = await shop.get(PATH, { propertyId: 'other' }, OTHER_SECRET_KEY);
    expect(bodyOf(empty)).toMatchObject({
      tests: [],
      record: { finished: 0, words: 'No test has finished yet.', shippedGoals: [] },
    });
    for (const [query, pointer] of [
      [{ limit: '51' }, '/limit'],
      [{ outcome: 'won' }, '/outcome'],
      [{ cursor: 'x' }, '/cursor'],
    ] as const)
      expectProblem(await shop.get(PATH, query), {
        status: 400,
        code: 'invalid_request',
        pointers: [pointer],
      });
  });
});
