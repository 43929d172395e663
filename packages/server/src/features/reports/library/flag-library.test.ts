import {
  accepted,
  closeShop,
  nextMillisecond,
  openShop,
  type Shop,
  sampleWith,
} from '@switchyard/testing/fixtures/shop';
import { ownerBrowser, WITH_OWNER } from '@switchyard/testing/server/browser';
import { bodyOf, PropertyManager } from '@switchyard/testing/server/property-manager';
import type { TestResponse } from '@switchyard/testing/server/test-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const PATH = '/v1/split-testing/library';
const VISITORS = 200;

type Body = TestResponse['body'];

const measure = { goals: ['signup'] };
const SPLIT = [
  { key: 'plain', value: 'p', weight: 1 },
  { key: 'bold', value: 'b', weight: 1 },
];
const GERMANS = [{ attribute: 'country', operator: 'equals', values: ['DE'] }];
const split = (more: object = {}) => ({ id: 'half', split: SPLIT, measure, ...more });
const rollout = (more: object = {}) => ({
  id: 'half',
  rollout: { percentage: 50, ...more },
  value: 'new',
});
const flag = (key: string, rules: object[], more: object = {}, environment = 'production') => ({
  key,
  type: 'string',
  defaultValue: 'none',
  environments: { [environment]: { enabled: true, value: 'rest', rules } },
  ...more,
});

const FLAGS = [
  flag('headline', [split({ name: 'Half of all' })], {
    name: 'The Title',
    description: 'A bold text gets more Attention',
    tags: ['landing'],
    owner: 'ada@shop.example',
  }),
  flag('teaser', [{ ...rollout(), measure }], {}, 'staging'),
  flag('given-up', [split()]),
  flag('germans', [split({ conditions: GERMANS })]),
  flag('later', [{ id: 'staff', conditions: GERMANS, value: 'staff' }, split()]),
  flag('running', [split()]),
  flag('release', [
    rollout({
      guardrails: [{ goalId: 'signup', maxHarm: 0.5 }],
      schedule: [{ at: '2099-01-01T00:00:00Z', percentage: 100 }],
    }),
  ]),
];

let shop: Shop;
let manager: PropertyManager;

/** As many visitors of both variations, some of whom sign up. */
async function play(flagKey: string, converted: Record<string, number>, environment = 'production') {
  for (const [variant, count] of Object.entries(converted)) {
    const sessions = Array.from({ length: VISITORS }, (_, index) => `${flagKey}-${variant}-${index}`);
    const exposures = sessions.map((sessionId) => ({ flagKey, ruleId: 'half', variant, sessionId }));
    await accepted(shop.post('/v1/flags/usage', { propertyId: 'shop', environment, exposures }));
    await accepted(
      ...sessions.slice(0, count).map((sessionId) => shop.increment({ goalId: 'signup', sessionId })),
    );
  }
}

const promote = (flagKey: string, variant: string, environment = 'production') =>
  manager.post(`/flags/${flagKey}/promote`, { environment, ruleId: 'half', variant });
const saveRules = (flagKey: string, ...rules: object[]) =>
  manager.patch(`/flags/${flagKey}`, { environments: { production: { rules } } }, '*');

beforeAll(async () => {
  const photo = {
    key: 'photo',
    type: 'id',
    status: 'running',
    variations: ['control', 'b'].map((name) => ({ key: name, weight: 50, value: name })),
    goals: ['signup'],
  };
  shop = await openShop({ provision: sampleWith({ flags: FLAGS, splitTests: [photo] }), env: WITH_OWNER });
  manager = new PropertyManager(await ownerBrowser(shop.server));
  await play('headline', { plain: 20, bold: 60 });
  await play('teaser', { off: 40, on: 10 }, 'staging');
  await play('given-up', { plain: 30, bold: 33 });
  for (const key of ['germans', 'later', 'running']) await play(key, { plain: 20, bold: 30 });
  const sessions = ['control', 'b'].flatMap((variationKey) =>
    Array.from({ length: VISITORS }, (_, index) => ({
      splitTestKey: 'photo',
      variationKey,
      sessionId: `photo-${variationKey}-${index}`,
    })),
  );
  await accepted(shop.expose(...sessions));
  await accepted(
    ...sessions
      .filter((_, index) => index < 40 || (index >= VISITORS && index < VISITORS + 50))
      .map(({ sessionId }) => shop.increment({ goalId: 'signup', sessionId })),
  );
  for (const end of [
    () => promote('headline', 'bold'),
    () => manager.patch('/split-tests/photo', { status: 'stopped', winner: 'b' }, '*'),
    () => promote('teaser', 'off', 'staging'),
    () => saveRules('given-up', { id: 'half', split: SPLIT }),
    () => promote('germans', 'bold'),
    () => promote('later', 'bold'),
    () => saveRules('release', { id: 'half', value: 'new' }),
  ]) {
    await nextMillisecond();
    bodyOf(await end());
  }
});
afterAll(() => closeShop(shop));

const library = async (query: Record<string, string> = {}): Promise<Body> =>
  bodyOf(await shop.get(PATH, query));
const namesOf = ({ tests }: Body): string[] =>
  tests.map(({ splitTestKey, measuredRule }: Body) => measuredRule?.flagKey ?? splitTestKey);
const LATEST_FIRST = ['later', 'germans', 'given-up', 'teaser', 'photo', 'headline'];

describe('measured rules in the library', () => {
  it('are kept once they have ended, beside split tests', async () => {
    const body = await library();
    // Neither those that run, nor releases without a question.
    expect(namesOf(body)).toEqual(LATEST_FIRST);
    expect(body).toMatchObject({ matching: 6, nextCursor: null });
    const headline = body.tests.at(-1);
    expect(headline).toMatchObject({
      splitTestKey: 'flag:headline/production/half',
      measuredRule: { flagKey: 'headline', environment: 'production', ruleId: 'half' },
      name: 'The Title (Production, Half of all)',
      hypothesis: null,
      description: 'A bold text gets more Attention',
      tags: ['landing'],
      owner: 'ada@shop.example',
      status: 'stopped',
      outcome: 'ship',
      decision: null,
      winner: 'bold',
      control: 'plain',
      phases: 1,
      figures: {
        goal: { goalId: 'signup', name: 'Sign-ups', kind: 'count', lowerIsBetter: false },
        visitors: 400,
        healthy: true,
        effects: [{ variation: 'bold', visitors: 200, finding: 'better' }],
        whileRunning: { unit: 'visitors', estimate: expect.closeTo(40, 9) },
      },
    });
    expect(headline.figures.effects[0].relative.estimate).toBeCloseTo(2, 9);
    expect(headline.words).toMatch(/^"bold" did better: \+200 %, /);
    const results = { flagKey: 'headline', ruleId: 'half' };
    const { goals } = bodyOf(await shop.get('/v1/flags/results', results));
    const { relative, absolute } = goals[0].metrics[0].variations[1];
    expect(headline.figures.effects[0]).toMatchObject({ relative, absolute });
    expect(body.tests.at(-2)).not.toHaveProperty('measuredRule');
  });

  it('are decided by what everybody gets since', async () => {
    const { tests } = await library();
    const outcomes = tests.map(({ winner, control, outcome }: Body) => [winner, control, outcome]);
    expect(outcomes).toEqual([
      ['bold', 'plain', 'ship'],
      ['bold', 'plain', 'ship'],
      [null, 'plain', 'undecided'],
      ['off', 'off', 'roll-back'],
      ['b', 'control', 'ship'],
      ['bold', 'plain', 'ship'],
    ]);
    const teaser = tests.at(-3);
    expect(teaser.measuredRule.environment).toBe('staging');
    expect(teaser.figures.effects).toMatchObject([{ variation: 'on', finding: 'worse' }]);
    // 200 visitors who signed up 15 percentage points less often.
    expect(teaser.figures.whileRunning.estimate).toBeCloseTo(-30, 9);
  });

  it('belong to the record of the property', async () => {
    const { record } = await library();
    expect(record).toMatchObject({
      finished: 6,
      counted: 6,
      pending: 0,
      decided: 5,
      shipped: 4,
      better: 1,
      worse: 1,
      inconclusive: 4,
      unreliable: 0,
      prior: { mean: 0, tests: 6 },
      usualVisitors: 400,
      // Those for Germans, and after a rule for Germans.
      partial: 2,
    });
    // The median of 50, 50, 10, 75, 25 and 200 %.
    expect(record.usualEffect).toBeCloseTo(0.5, 9);
    const [goal, ...others] = record.shippedGoals;
    expect(others).toEqual([]);
    // "headline" and "photo", one after the other.
    expect(goal).toMatchObject({ goalId: 'signup', tests: 2 });
    expect(goal.observed).toBeCloseTo(3 * 1.25 - 1, 9);
  });

  it('are found by words, outcome and tag', async () => {
    const found = async (query: Record<string, string>) => namesOf(await library(query));
    expect(await found({ q: 'ATTENTION bold' })).toEqual(['headline']);
    expect(await found({ q: 'headline' })).toEqual(['headline']);
    expect(await found({ q: 'half of all' })).toEqual(['headline']);
    expect(await found({ q: 'given-up' })).toEqual(['given-up']);
    expect(await found({ q: 'staging' })).toEqual(['teaser']);
    expect(await found({ q: 'ada@shop.example' })).toEqual(['headline']);
    expect(await found({ tag: 'landing' })).toEqual(['headline']);
    expect(await found({ outcome: 'roll-back' })).toEqual(['teaser']);
    expect(await found({ outcome: 'ship' })).toEqual(['later', 'germans', 'photo', 'headline']);
    expect(await found({ outcome: 'undecided' })).toEqual(['given-up']);
  });

  it('have pages with the tests', async () => {
    const names: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Body = await library({ limit: '1', ...(cursor !== null && { cursor }) });
      names.push(...namesOf(page));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(names).toEqual(LATEST_FIRST);
  });

  it('go with their rule, and leave while they run again', async () => {
    bodyOf(await saveRules('headline'));
    bodyOf(await saveRules('given-up', split()));
    expect(namesOf(await library())).toEqual(['later', 'germans', 'teaser', 'photo']);
  });
});
