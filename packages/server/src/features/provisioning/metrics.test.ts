import {
  type MemoryConfiguration,
  openMemoryConfiguration,
} from '@switchyard/testing/configuration/memory-configuration';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configurationModel as model } from '../../start/definitions.ts';
import { exportConfiguration } from './provision-export.ts';

let shop: MemoryConfiguration;
beforeEach(async () => {
  shop = await openMemoryConfiguration();
});
afterEach(() => shop.handle.close());

const GOALS = [
  { id: 'signup', kind: 'count' },
  { id: 'revenue', name: 'Revenue', kind: 'revenue' },
];
const METRICS = [
  { id: 'signups', kind: 'count', goalId: 'signup', withinDays: 7 },
  { id: 'spend', kind: 'sum', goalId: 'revenue', cap: 500 },
  {
    id: 'order-value',
    kind: 'ratio',
    numerator: { goalId: 'revenue', of: 'sum' },
    denominator: { goalId: 'revenue', of: 'count' },
  },
  { id: 'errors', kind: 'ratio', numerator: { event: 'error' }, denominator: { path: '*' } },
  { id: 'came-back', kind: 'retention', fromDay: 1, toDay: 7 },
  {
    id: 'way',
    kind: 'funnel',
    steps: [{ path: '/basket*' }, { event: 'pay' }, { goalId: 'revenue' }],
    withinDays: 2,
  },
  { id: 'load', kind: 'quantile', quantile: 0.9, event: 'load', property: 'ms', lowerIsBetter: true },
  { id: 'median', kind: 'quantile', quantile: 0.5, goalId: 'revenue' },
  { id: 'checkout', kind: 'page', path: '/checkout*' },
  { id: 'views', kind: 'page', of: 'views', cap: 100 },
  { id: 'bounce', kind: 'page', path: '/', of: 'bounce', lowerIsBetter: true },
  { id: 'searches', kind: 'event', event: 'search', of: 'count', format: 'number' },
];
const HERO = {
  key: 'hero',
  type: 'id',
  hashSeed: 's1',
  variations: [
    { key: 'control', weight: 1 },
    { key: 'b', weight: 1 },
  ],
};

const create = (fields: object = {}) => shop.apply({ goals: GOALS, metrics: METRICS, ...fields });
const metric = async (id: string) => (await shop.property())?.metrics.find((it) => it.id === id);
const exported = async () => (await exportConfiguration(shop.handle.database, model)).file.properties[0]!;
const refused = async (definition: object) =>
  (await shop.mistakes({ goals: GOALS, metrics: [{ id: 'm', ...definition }] })).map((mistake) =>
    mistake.replace('metrics/0/', ''),
  );

describe('metrics', () => {
  it('of every kind are stored, exported and applied again without a change', async () => {
    await create({ splitTests: [{ ...HERO, goals: [{ metric: 'way' }, 'signup', { metric: 'spend' }] }] });
    const { id: _id, ...file } = await exported();
    for (const again of [{ goals: GOALS, metrics: METRICS }, file]) {
      expect((await shop.plan({ ...again })).filter(({ action }) => action !== 'unchanged')).toEqual([]);
    }
    expect(file.metrics).toMatchObject(METRICS);
    expect((await shop.test('hero')).goals).toEqual([{ metric: 'way' }, 'signup', { metric: 'spend' }]);
  });

  it('have defaults, and only the members of their kind', async () => {
    await create();
    const notes = { description: null, tags: [], lowerIsBetter: false, cap: null, format: null, version: 1 };
    expect(await metric('came-back')).toEqual({
      ...notes,
      id: 'came-back',
      name: 'came-back',
      kind: 'retention',
      fromDay: 1,
      toDay: 7,
      goalId: null,
    });
    expect(await metric('checkout')).toEqual({
      ...notes,
      id: 'checkout',
      name: 'checkout',
      kind: 'page',
      path: '/checkout*',
      of: 'visitors',
      withinDays: null,
    });
  });

  it('keep what a file does not mention, unless it is about another kind', async () => {
    await create();
    await shop.apply({ metrics: [{ id: 'signups', name: 'Sign-ups', tags: ['growth'] }] });
    await shop.apply({ metrics: [{ id: 'signups', withinDays: 14 }] });
    expect(await metric('signups')).toMatchObject({
      name: 'Sign-ups',
      tags: ['growth'],
      kind: 'count',
      goalId: 'signup',
      withinDays: 14,
    });
    await shop.apply({ metrics: [{ id: 'signups', withinDays: null }] });
    expect(await metric('signups')).toMatchObject({ withinDays: null });
    await shop.apply({ metrics: [{ id: 'spend', kind: 'event', event: 'search' }] });
    expect(await metric('spend')).toMatchObject({
      kind: 'event',
      event: 'search',
      of: 'visitors',
      cap: null,
    });
    expect(await metric('spend')).not.toHaveProperty('goalId');
    await shop.apply({ metrics: [{ id: 'load', goalId: 'revenue' }] });
    expect(await metric('load')).toMatchObject({ quantile: 0.9, goalId: 'revenue' });
    expect(await metric('load')).not.toHaveProperty('event');
  });

  it('without any, the export is as it was before there were metrics', async () => {
    await shop.apply({ goals: GOALS });
    expect(await exported()).not.toHaveProperty('metrics');
  });

  it.each([
    [{}, ['kind is missing: a metric needs a kind, such as count or ratio']],
    [{ kind: 'count' }, ['goalId is missing: a count metric needs the id of a goal']],
    [{ kind: 'count', goalId: 'ghost' }, ['goalId "ghost" is not a goal of this property']],
    [{ kind: 'sum', goalId: 'signup' }, ['goalId "signup" is a count goal: only revenue goals have amounts']],
    [
      { kind: 'count', goalId: 'signup', event: 'x', fromDay: 1 },
      [
        'fromDay is not a member of a count metric, which has goalId, withinDays',
        'event is not a member of a count metric, which has goalId, withinDays',
      ],
    ],
    [
      {
        kind: 'ratio',
        numerator: { goalId: 'signup', of: 'sum' },
        denominator: { goalId: 'ghost', of: 'count' },
      },
      [
        'numerator/goalId "signup" is a count goal: only revenue goals have amounts',
        'denominator/goalId "ghost" is not a goal of this property',
      ],
    ],
    [
      { kind: 'ratio', numerator: { path: '/a' }, denominator: { path: '/a' } },
      ['denominator must be something else than the numerator'],
    ],
    [
      { kind: 'ratio', numerator: { path: '/a' } },
      ['denominator is missing: a ratio metric needs one: {goalId, of}, {path} or {event}'],
    ],
    [{ kind: 'retention', fromDay: 7, toDay: 3 }, ['toDay must be at least fromDay, 7']],
    [
      { kind: 'retention', fromDay: 0, toDay: 366 },
      ['fromDay must be at least 1', 'toDay must be at most 365'],
    ],
    [
      { kind: 'funnel', steps: [{ path: '/a' }, { path: '/a' }, { goalId: 'ghost' }] },
      [
        'steps/1 is the same as the step before it',
        'withinDays is missing: a funnel metric needs the days in which all steps are taken',
        'steps/2/goalId "ghost" is not a goal of this property',
      ],
    ],
    [{ kind: 'funnel', steps: [{ path: '/a' }], withinDays: 1 }, ['steps must have at least 2 items']],
    [
      { kind: 'funnel', steps: Array.from({ length: 11 }, (_, i) => ({ event: `${i}` })), withinDays: 1 },
      ['steps must have at most 10 items'],
    ],
    [
      { kind: 'quantile', quantile: 0.5 },
      ['goalId is missing: a quantile metric needs a goalId, or event and property'],
    ],
    [
      { kind: 'quantile', quantile: 0.5, event: 'load' },
      ['property is missing: a quantile of an event needs a property whose values are numbers'],
    ],
    [
      { kind: 'quantile', quantile: 0.5, goalId: 'revenue', event: 'load', property: 'ms' },
      ['goalId cannot be combined with event and property: a quantile is of one or the other'],
    ],
    [{ kind: 'quantile', quantile: 1, goalId: 'revenue' }, ['quantile must be below 1']],
    [{ kind: 'page', of: 'count' }, ['of must be visitors, views or bounce for a page metric']],
    [{ kind: 'page', path: 'checkout' }, ['path must start with "/" or "*" and be one line of text']],
    [{ kind: 'page', path: '/a', withinDays: 366 }, ['withinDays must be at most 365']],
    [{ kind: 'event', event: 'x', of: 'bounce' }, ['of must be visitors or count for an event metric']],
    [
      { kind: 'page', path: '/', cap: 3 },
      [
        'cap is only for metrics that add up the values of a visitor: count, sum, ratio, views of pages and counts of events',
      ],
    ],
    [{ kind: 'count', goalId: 'signup', cap: 0 }, ['cap must be at least 0.000001']],
  ])('are refused with a reason: %j', async (definition, reasons) => {
    expect(await refused(definition)).toEqual(reasons);
  });

  it('are at most 500', async () => {
    const many = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => ({ id: `m${from + i}`, kind: 'page' }));
    await shop.apply({ metrics: many(0, 500) });
    expect(await shop.mistakes({ metrics: many(500, 501) })).toEqual([
      'metrics would be 501: a property can have at most 500',
    ]);
  });
});

describe('a test that is measured by metrics', () => {
  it('has metrics of its property, once', async () => {
    await create();
    expect(
      await shop.mistakes({
        splitTests: [
          {
            ...HERO,
            goals: [{ metric: 'ghost' }, { metric: 'way' }, { metric: 'load' }],
            guardrails: [
              { metric: 'load', maxHarm: 0.1 },
              { metric: 'way' },
              { metric: 'bounce' },
              { metric: 'bounce' },
            ],
          },
        ],
      }),
    ).toEqual([
      'splitTests/0/goals/0/metric "ghost" is not a metric of this property',
      'splitTests/0/guardrails/3 metric "bounce" is already in this list',
      'splitTests/0/guardrails/0 metric "load" cannot be both a goal and a guardrail of one test',
      'splitTests/0/guardrails/1 metric "way" cannot be both a goal and a guardrail of one test',
    ]);
  });

  it('has at most 20', async () => {
    const metrics = Array.from({ length: 21 }, (_, i) => ({ id: `m${i}`, kind: 'page' }));
    const goals = metrics.map(({ id }) => ({ metric: id }));
    expect(await shop.mistakes({ metrics, splitTests: [{ ...HERO, goals }] })).toEqual([
      'splitTests/0/goals would make 21 metrics: a test can have at most 20',
    ]);
    const [last, ...others] = goals;
    await shop.apply({ metrics, splitTests: [{ ...HERO, goals: others }] });
    expect(await shop.mistakes({ splitTests: [{ key: 'hero', guardrails: [last] }] })).toEqual([
      'splitTests/0/guardrails would make 21 metrics: a test can have at most 20',
    ]);
  });

  it('may have a goal with the id of a metric', async () => {
    await create({
      metrics: [...METRICS, { id: 'signup', kind: 'count', goalId: 'signup' }],
      splitTests: [
        { ...HERO, goals: ['signup', { metric: 'signup' }], guardrails: [{ metric: 'load', maxHarm: 0.1 }] },
      ],
    });
    expect(await shop.test('hero')).toMatchObject({
      goals: ['signup', { metric: 'signup' }],
      guardrails: [{ metric: 'load', maxHarm: 0.1 }],
    });
  });

  it('measures a rule of a flag, and stays as it is from then on', async () => {
    const rule = {
      id: 'half',
      rollout: { percentage: 50 },
      value: true,
      measure: { goals: [{ metric: 'order-value' }], guardrails: [{ metric: 'load', maxHarm: 0.1 }] },
    };
    const flagWith = (...rules: object[]) => ({
      key: 'measured',
      name: 'Measured',
      type: 'boolean',
      defaultValue: false,
      environments: { production: { enabled: true, value: false, rules } },
    });
    await create({});
    expect(
      await shop.mistakes({ flags: [flagWith({ ...rule, measure: { goals: [{ metric: 'lost' }] } })] }),
    ).toEqual([
      'flags/0/environments/production/rules/0/measure/goals/0/metric "lost" is not a metric of this property',
    ]);
    await shop.apply({ flags: [flagWith(rule)] });
    expect(await shop.mistakes({ metrics: [{ id: 'load', quantile: 0.5 }] })).toEqual([
      'metrics/0/quantile cannot change: the measured rule "half" of the flag "measured" has started with it. Create a metric with another id instead',
    ]);
  });

  it('keeps its primary metric and what its metrics compute once it has started', async () => {
    await create({
      splitTests: [{ ...HERO, goals: [{ metric: 'order-value' }], guardrails: [{ metric: 'load' }] }],
    });
    await shop.apply({ metrics: [{ id: 'load', quantile: 0.99 }] });
    await shop.apply({ splitTests: [{ key: 'hero', status: 'running' }] });
    expect(await shop.mistakes({ splitTests: [{ key: 'hero', goals: [{ metric: 'way' }] }] })).toEqual([
      'splitTests/0/goals must start with metric "order-value": the primary goal cannot change, the test has started and is running',
    ]);
    const because =
      'cannot change: the split test "hero" has started with it. Create a metric with another id instead';
    expect(
      await shop.mistakes({
        metrics: [
          { id: 'load', quantile: 0.5, event: 'paint', lowerIsBetter: false, withinDays: 3 },
          { id: 'order-value', kind: 'sum', goalId: 'revenue' },
        ],
      }),
    ).toEqual([
      `metrics/0/lowerIsBetter ${because}`,
      `metrics/0/quantile ${because}`,
      `metrics/0/withinDays ${because}`,
      `metrics/0/event ${because}`,
      `metrics/1/kind ${because}`,
    ]);
    await shop.apply({ splitTests: [{ key: 'hero', guardrails: [] }] });
    expect(await shop.mistakes({ metrics: [{ id: 'load', quantile: 0.5 }] })).toEqual([
      `metrics/0/quantile ${because}`,
    ]);
    await shop.apply({ splitTests: [{ key: 'hero', status: 'stopped' }] });
    expect(await shop.mistakes({ metrics: [{ id: 'order-value', cap: 10 }] })).toEqual([
      `metrics/0/cap ${because}`,
    ]);
    await shop.apply({
      metrics: [
        { id: 'load', name: 'Load time', description: 'Slow', tags: ['web'], format: 'seconds' },
        { id: 'way', withinDays: 9 },
      ],
    });
    expect(await metric('load')).toMatchObject({ name: 'Load time', format: 'seconds', quantile: 0.99 });
  });
});
