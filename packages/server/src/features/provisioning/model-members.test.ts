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

const HOUR = 3_600_000;
const HERO = { key: 'hero', type: 'id', variations: [{ key: 'a', weight: 1 }] };
const exported = async () => (await exportConfiguration(shop.handle.database, model)).file.properties[0]!;
const flag = (rollout: object, fields: object = {}) => ({
  flags: [
    {
      key: 'f',
      type: 'boolean',
      defaultValue: false,
      environments: { production: { rules: [{ id: 'r', rollout, value: true }] } },
      ...fields,
    },
  ],
});
const rolloutOf = async () =>
  (await shop.property())?.flags[0]?.configurations[0]?.rules.map(({ rollout }) => rollout)[0];

/** Applies the fields; then neither the same file nor the export may change anything. */
async function applyRepeatedly(fields: Record<string, unknown>): Promise<void> {
  await shop.apply(fields);
  const { id: _id, ...file } = await exported();
  for (const again of [fields, file]) {
    expect((await shop.plan({ ...again })).filter(({ action }) => action !== 'unchanged')).toEqual([]);
  }
}

describe('new members', () => {
  it('have defaults', async () => {
    await shop.apply({
      goals: [{ id: 'g', kind: 'count' }],
      feedbackTypes: [{ id: 'nps', options: ['good'] }],
      splitTests: [HERO],
      ...flag({ percentage: 1 }),
    });
    expect(await shop.property()).toMatchObject({
      displayCurrency: 'USD',
      timeZone: 'UTC',
      environments: [{ id: 'production', protected: false }],
      goals: [{ target: null }],
      feedbackTypes: [{ optionStyles: {} }],
      splitTests: [{ description: null, hypothesis: null, tags: [], owner: null, decision: null }],
      flags: [{ tags: [], owner: null }],
    });
  });

  it('are stored and exported, and stay when a file does not mention them', async () => {
    const members = {
      displayCurrency: 'EUR',
      timeZone: 'Europe/Berlin',
      environments: [{ id: 'production', protected: true }],
      goals: [{ id: 'g', kind: 'revenue', target: { value: 2.5, period: 'quarter' } }],
      splitTests: [{ ...HERO, description: 'a\nb', hypothesis: 'c', tags: ['z', 'a'], owner: 'Ada' }],
      ...flag({ percentage: 1 }, { tags: ['x'], owner: 'ada@shop.example' }),
    };
    await applyRepeatedly(members);
    await shop.apply({
      name: 'Shop',
      environments: [{ id: 'production', name: 'Live' }],
      goals: [{ id: 'g', name: 'G' }],
      splitTests: [{ key: 'hero', name: 'Hero' }],
      flags: [{ key: 'f', name: 'F' }],
    });
    expect(await shop.property()).toMatchObject({
      displayCurrency: 'EUR',
      timeZone: 'Europe/Berlin',
      environments: [{ name: 'Live', protected: true }],
      goals: [{ name: 'G', target: { value: 2.5, period: 'quarter' } }],
      splitTests: [{ name: 'Hero', description: 'a\nb', hypothesis: 'c', tags: ['z', 'a'], owner: 'Ada' }],
      flags: [{ name: 'F', tags: ['x'], owner: 'ada@shop.example' }],
    });
  });

  it('are removed by null and by empty lists', async () => {
    await shop.apply({
      goals: [{ id: 'g', kind: 'count', target: { value: 1, period: 'week' } }],
      splitTests: [{ ...HERO, description: 'a', hypothesis: 'b', tags: ['t'], owner: 'Ada' }],
      ...flag({ percentage: 1 }, { tags: ['x'], owner: 'Ada' }),
    });
    await shop.apply({
      goals: [{ id: 'g', target: null }],
      splitTests: [{ key: 'hero', description: null, hypothesis: null, tags: [], owner: null }],
      flags: [{ key: 'f', tags: [], owner: null }],
    });
    expect(await shop.property()).toMatchObject({
      goals: [{ target: null }],
      splitTests: [{ description: null, hypothesis: null, tags: [], owner: null }],
      flags: [{ tags: [], owner: null }],
    });
  });

  it('a time zone has a name of the IANA database', async () => {
    expect(await shop.mistakes({ timeZone: 'Mars/Olympus' })).toEqual([
      'timeZone must be the name of a time zone, like Europe/Berlin',
    ]);
  });

  it('mistakes are reported with their place', async () => {
    expect(
      await shop.mistakes({
        displayCurrency: 'euro',
        environments: [{ id: 'production', protected: 'yes' }],
        goals: [
          { id: 'g', kind: 'count', target: { value: 0, period: 'week' } },
          { id: 'h', kind: 'count', target: { value: 1, period: 'day' } },
          { id: 'i', kind: 'count', target: 5 },
        ],
        splitTests: [
          {
            ...HERO,
            tags: ['a', 'a'],
            owner: '',
            description: 'x'.repeat(4097),
            decision: { outcome: 'win', reason: 5 },
          },
        ],
        ...flag({ percentage: 1 }, { tags: ['two\nlines', 'x'.repeat(65)], owner: 'x'.repeat(257) }),
      }),
    ).toEqual([
      'displayCurrency must be a currency code of three capital letters, like EUR',
      'environments/0/protected must be true or false, not a string',
      'goals/0/target/value must be above 0',
      'goals/1/target/period must be one of week, month, quarter',
      'goals/2/target must be an object or null',
      'splitTests/0/description must be at most 4096 characters long',
      'splitTests/0/tags contains the same value twice (items 1 and 2)',
      'splitTests/0/owner must not be empty',
      'splitTests/0/decision/outcome must be one of ship, roll-back, no-difference, other',
      'splitTests/0/decision/reason must be a string, not 5',
      'flags/0/tags/0 must be one line of text without control characters',
      'flags/0/tags/1 must be at most 64 characters long',
      'flags/0/owner must be at most 256 characters long',
    ]);
  });
});

describe('decision', () => {
  const decided = async () => (await shop.test('hero')).decision;
  const decision = { outcome: 'no-difference', reason: 'Too close to call' };

  it('has the time at which it was made or changed', async () => {
    await shop.apply({ splitTests: [{ ...HERO, status: 'running' }] });
    const before = Date.now();
    await shop.apply({ splitTests: [{ key: 'hero', status: 'stopped', decision }] });
    const first = await decided();
    expect(first).toMatchObject(decision);
    expect(first?.decidedAt).toBeGreaterThanOrEqual(before);
    await applyRepeatedly({ splitTests: [{ key: 'hero', decision }] });
    expect(await decided()).toEqual(first);
    const other = { ...decision, outcome: 'other', decidedAt: '2026-01-31T12:00:00Z' };
    await applyRepeatedly({ splitTests: [{ key: 'hero', decision: other }] });
    expect(await decided()).toEqual({ ...other, decidedAt: Date.UTC(2026, 0, 31, 12) });
    await shop.apply({ splitTests: [{ key: 'hero', decision }] });
    expect((await decided())?.decidedAt).toBeGreaterThanOrEqual(before);
    await shop.apply({ splitTests: [{ key: 'hero', decision: null }] });
    expect(await decided()).toBeNull();
  });

  it('must have a valid time', async () => {
    const test = { ...HERO, status: 'stopped', decision: { ...decision, decidedAt: 'yesterday' } };
    expect(await shop.mistakes({ splitTests: [test] })).toEqual([
      'splitTests/0/decision/decidedAt must be a time like 2026-01-31T12:00:00Z, or Unix milliseconds',
    ]);
  });
});

describe('feedback options', () => {
  const options = [
    'okay',
    { value: 'good', label: 'Good!', color: '#00AA00' },
    { value: '__proto__', label: 'P' },
  ];
  const nps = async () => (await shop.property())!.feedbackTypes[0]!;

  it('can have a label and a color', async () => {
    await applyRepeatedly({ feedbackTypes: [{ id: 'nps', options: [...options, { value: 'bad' }] }] });
    const { options: values, optionStyles } = await nps();
    expect(values).toEqual(['okay', 'good', '__proto__', 'bad']);
    expect(Object.entries(optionStyles)).toEqual([
      ['good', { label: 'Good!', color: '#00AA00' }],
      ['__proto__', { label: 'P' }],
    ]);
    expect((await exported()).feedbackTypes).toEqual([
      { id: 'nps', name: 'nps', options: [...options, 'bad'], textInput: false },
    ]);
  });

  it('lose their styles with the options of a new file only', async () => {
    await shop.apply({ feedbackTypes: [{ id: 'nps', options }] });
    await shop.apply({ feedbackTypes: [{ id: 'nps', name: 'NPS' }] });
    expect(Object.keys((await nps()).optionStyles)).toEqual(['good', '__proto__']);
    const change = (
      await shop.plan({ feedbackTypes: [{ id: 'nps', options: ['okay', 'good', '__proto__'] }] })
    ).at(-1);
    expect(change?.fields.map(({ field }) => field)).toEqual(['options']);
    await shop.apply({ feedbackTypes: [{ id: 'nps', options: ['okay', 'good'] }] });
    expect((await nps()).optionStyles).toEqual({});
  });

  it('must be valid and unique', async () => {
    const type = (...list: unknown[]) => shop.mistakes({ feedbackTypes: [{ id: 'nps', options: list }] });
    expect(
      await type({ value: 'a', color: 'red' }, { value: '', label: 'x' }, 5, {
        value: 'b',
        colour: '#000000',
      }),
    ).toEqual([
      'feedbackTypes/0/options/0/color must be a color like #3366cc',
      'feedbackTypes/0/options/1/value must not be empty',
      'feedbackTypes/0/options/2 must be a string or an object',
      'feedbackTypes/0/options/3/colour is an unknown field; did you mean "color"?',
    ]);
    expect(await type('a', { value: 'a', label: 'A' })).toEqual([
      'feedbackTypes/0/options/1 "a" is already in this list',
    ]);
  });

  it('keep those that a test uses', async () => {
    const goals = [{ feedbackType: 'nps', option: 'good' }];
    await shop.apply({ feedbackTypes: [{ id: 'nps', options }], splitTests: [{ ...HERO, goals }] });
    await shop.apply({ feedbackTypes: [{ id: 'nps', options: [{ value: 'good', label: 'Yes' }] }] });
    expect(await shop.mistakes({ feedbackTypes: [{ id: 'nps', options: ['okay'] }] })).toHaveLength(1);
  });
});

describe('rollout schedule', () => {
  const [past, recent, soon, later] = [-2, -1, 1, 2].map((hours) => Date.now() + hours * HOUR) as [
    number,
    number,
    number,
    number,
  ];
  const step = (at: number | string, percentage: number) => ({ at, percentage });

  it('keeps future steps; the export has their times as text', async () => {
    const schedule = [step(new Date(soon).toISOString(), 50), step(later, 100)];
    await applyRepeatedly(flag({ percentage: 10, by: 'userId', schedule }));
    expect(await rolloutOf()).toEqual({
      percentage: 10,
      by: 'userId',
      schedule: [step(soon, 50), step(later, 100)],
    });
    expect((await exported()).flags?.[0]?.environments?.production?.rules?.[0]?.rollout?.schedule).toEqual([
      step(new Date(soon).toISOString(), 50),
      step(new Date(later).toISOString(), 100),
    ]);
  });

  it('makes steps that are due, so that the same file can be applied again later', async () => {
    await applyRepeatedly(
      flag({ percentage: 1, schedule: [step(past, 10), step(recent, 20), step(later, 100)] }),
    );
    expect(await rolloutOf()).toEqual({ percentage: 20, schedule: [step(later, 100)] });
    await applyRepeatedly(flag({ percentage: 1, schedule: [step(past, 10), step(recent, 20)] }));
    expect(await rolloutOf()).toEqual({ percentage: 20 });
  });

  it('shows changed steps in the plan', async () => {
    await shop.apply(flag({ percentage: 1, schedule: [step(soon, 50), step(later, 100)] }));
    const change = (
      await shop.plan(flag({ percentage: 1, schedule: [step(soon, 60), step(later, 100)] }))
    ).at(-1);
    expect(change?.fields).toEqual([
      { field: 'environments.production.rules.r.rollout.schedule.0.percentage', from: 50, to: 60 },
    ]);
  });

  it('must be valid and ascending', async () => {
    const place = 'flags/0/environments/production/rules/0/rollout/schedule';
    expect(await shop.mistakes(flag({ percentage: 1, schedule: [] }))).toEqual([
      `${place} must have at least 1 item`,
    ]);
    const schedule = [step(soon, 101), step('soon', 1), step(later, 5), step(later, 6), step(soon, 7)];
    expect(await shop.mistakes(flag({ percentage: 1, schedule }))).toEqual([
      `${place}/0/percentage must be at most 100`,
      `${place}/1/at must be a time like 2026-01-31T12:00:00Z, or Unix milliseconds`,
      `${place}/3/at must be after the step before it`,
      `${place}/4/at must be after the step before it`,
    ]);
    const many = Array.from({ length: 51 }, (_, index) => step(soon + index, 1));
    expect(await shop.mistakes(flag({ percentage: 1, schedule: many }))).toEqual([
      `${place} must have at most 50 items`,
    ]);
  });
});
