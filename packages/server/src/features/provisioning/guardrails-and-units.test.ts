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

const SHOP = {
  goals: ['signup', 'refund', 'visit'].map((id) => ({ id, kind: 'count' })),
  feedbackTypes: [{ id: 'nps', name: 'NPS', options: ['good', 'bad'] }],
};
const HERO = {
  key: 'hero',
  type: 'id',
  hashSeed: 's1',
  variations: [
    { key: 'control', weight: 1 },
    { key: 'b', weight: 1 },
  ],
};
const GUARDRAILS = [
  'visit',
  { goalId: 'refund', maxHarm: 0.02 },
  { feedbackType: 'nps', option: 'bad', lowerIsBetter: true, maxHarm: 0.1 },
  { feedbackType: 'nps', lowerIsBetter: false },
];

const create = (fields: object) => shop.apply({ ...SHOP, splitTests: [{ ...HERO, ...fields }] });
const change = (fields: object) => shop.apply({ splitTests: [{ key: 'hero', ...fields }] });
const refused = (fields: object) => shop.mistakes({ splitTests: [{ key: 'hero', ...fields }] });
const exported = async () => (await exportConfiguration(shop.handle.database, model)).file.properties[0]!;

/** Applies the fields; then neither the same file nor the export may change anything. */
async function applyRepeatedly(fields: Record<string, unknown>): Promise<void> {
  await shop.apply(fields);
  const { id: _id, ...file } = await exported();
  for (const again of [fields, file]) {
    expect((await shop.plan({ ...again })).filter(({ action }) => action !== 'unchanged')).toEqual([]);
  }
}

describe('guardrails with a margin', () => {
  it('are stored and exported as they were given', async () => {
    const test = { ...HERO, goals: ['signup'], guardrails: GUARDRAILS };
    await applyRepeatedly({ ...SHOP, splitTests: [test] });
    expect((await shop.test('hero')).guardrails).toEqual(GUARDRAILS);
    expect((await exported()).splitTests?.[0]?.guardrails).toEqual(GUARDRAILS);
    await change({ guardrails: ['refund', { goalId: 'visit', maxHarm: 10 }] });
    expect((await shop.test('hero')).guardrails).toEqual(['refund', { goalId: 'visit', maxHarm: 10 }]);
  });

  it('must be goals or feedback of the property, once', async () => {
    await create({ goals: ['signup'] });
    const guardrails = [
      { goalId: 'ghost', maxHarm: 0.1 },
      'refund',
      { goalId: 'refund', maxHarm: 0.1 },
      { goalId: 'signup', maxHarm: 0.1 },
      { feedbackType: 'nps', option: 'awful', maxHarm: 0.1 },
    ];
    expect(await refused({ guardrails })).toEqual([
      'splitTests/0/guardrails/0/goalId "ghost" is not a goal of this property',
      'splitTests/0/guardrails/2 "refund" is already in this list',
      'splitTests/0/guardrails/4/option "awful" is not an option of the feedback type "nps"',
      'splitTests/0/guardrails/3 "signup" cannot be both a goal and a guardrail of one test',
    ]);
    expect((await shop.test('hero')).guardrails).toEqual([]);
  });

  it('mistakes in their shape name the field', async () => {
    await create({});
    const guardrails = [
      { goalId: 'refund' },
      { goalId: 'refund', maxHarm: 0 },
      { goalId: 'refund', maxHarm: 10.1 },
      { goalId: 'refund', maxHarm: '2 %' },
      { goal: 'refund', maxHarm: 0.1 },
      { feedbackType: 'nps', maxHarm: -1 },
      { goalId: 'refund', maxHarm: 0.1, option: 'bad' },
      7,
    ];
    expect(await refused({ goals: [{ goalId: 'signup', maxHarm: 0.1 }], guardrails })).toEqual([
      'splitTests/0/goals/0 is missing "feedbackType"',
      'splitTests/0/goals/0/goalId is an unknown field; known fields: feedbackType, option, lowerIsBetter',
      'splitTests/0/goals/0/maxHarm is an unknown field; known fields: feedbackType, option, lowerIsBetter',
      'splitTests/0/guardrails/0 is missing "maxHarm"',
      'splitTests/0/guardrails/1/maxHarm must be above 0',
      'splitTests/0/guardrails/2/maxHarm must be at most 10',
      'splitTests/0/guardrails/3/maxHarm must be a number, not a string',
      'splitTests/0/guardrails/4 is missing "goalId"',
      'splitTests/0/guardrails/4/goal is an unknown field; did you mean "goalId"?',
      'splitTests/0/guardrails/5/maxHarm must be above 0',
      'splitTests/0/guardrails/6/option is an unknown field; known fields: goalId, maxHarm',
      'splitTests/0/guardrails/7 must be a string or an object',
    ]);
  });

  it('keep the options of feedback', async () => {
    await create({ guardrails: GUARDRAILS });
    expect(await shop.mistakes({ feedbackTypes: [{ id: 'nps', options: ['good'] }] })).toEqual([
      'feedbackTypes/0/options must keep "bad": the split test "hero" uses it',
    ]);
  });

  it('start no phase when their margin changes, and cannot change once the test is stopped', async () => {
    await create({ status: 'running', guardrails: GUARDRAILS });
    await change({ guardrails: [{ goalId: 'refund', maxHarm: 0.03 }] });
    expect((await shop.test('hero')).phases).toHaveLength(1);
    await change({ status: 'stopped' });
    expect(await refused({ guardrails: ['refund'] })).toEqual([
      expect.stringMatching(/^splitTests\/0\/guardrails cannot change: the test is stopped/),
    ]);
  });
});

describe('the unit of a test', () => {
  it('is the visitor unless the file says user, and is exported', async () => {
    await create({});
    expect((await shop.test('hero')).unit).toBe('visitor');
    await applyRepeatedly({ ...SHOP, splitTests: [{ ...HERO, unit: 'user' }] });
    await change({ name: 'Hero' });
    expect((await shop.test('hero')).unit).toBe('user');
    expect((await exported()).splitTests?.[0]?.unit).toBe('user');
  });

  it('is one of two', async () => {
    await create({});
    expect(await refused({ unit: 'session' })).toEqual(['splitTests/0/unit must be one of visitor, user']);
  });

  it('starts a new phase when it changes, and cannot change once the test is stopped', async () => {
    await create({ status: 'running' });
    const { changes } = await change({ unit: 'user' });
    expect(changes.find(({ id }) => id === 'hero')?.notes).toEqual([
      'starts phase 2 (another unit); results of each phase are reported separately',
    ]);
    expect((await shop.test('hero')).phases).toMatchObject([
      { endedAt: expect.any(Number), definition: { unit: 'visitor' } },
      { endedAt: null, reasons: ['unit'], definition: { unit: 'user' } },
    ]);
    await change({ status: 'stopped' });
    expect(await refused({ unit: 'visitor' })).toEqual([
      expect.stringMatching(/^splitTests\/0\/unit cannot change: the test is stopped/),
    ]);
  });
});

describe('statistics settings', () => {
  it('can stratify and ship with open guardrails', async () => {
    const statistics = { stratify: ['device', 'country'], shipWithOpenGuardrails: true };
    await applyRepeatedly({ statistics });
    expect((await shop.property())?.statistics).toMatchObject(statistics);
    expect((await exported()).statistics).toMatchObject(statistics);
    await applyRepeatedly({ statistics: { stratify: [], shipWithOpenGuardrails: false } });
    expect((await shop.property())?.statistics).toMatchObject({
      stratify: [],
      shipWithOpenGuardrails: false,
    });
  });

  it('mistakes name the field', async () => {
    const mistakes = (statistics: object) => shop.mistakes({ statistics });
    expect(await mistakes({ stratify: ['browser'], shipWithOpenGuardrails: 'yes' })).toEqual([
      'statistics/stratify/0 must be one of country, device',
      'statistics/shipWithOpenGuardrails must be true or false, not a string',
    ]);
    expect(await mistakes({ stratify: ['country', 'country'] })).toEqual([
      'statistics/stratify contains the same value twice (items 1 and 2)',
    ]);
    expect(await mistakes({ stratify: 'country' })).toEqual([
      'statistics/stratify must be a list, not a string',
    ]);
  });
});
