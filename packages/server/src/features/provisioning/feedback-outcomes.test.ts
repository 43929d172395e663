import {
  type MemoryConfiguration,
  openMemoryConfiguration,
} from '@switchyard/testing/configuration/memory-configuration';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const SHOP = {
  goals: [{ id: 'signup', kind: 'count' }],
  feedbackTypes: [
    { id: 'nps', name: 'NPS', options: ['good', 'bad'] },
    { id: 'bug', textInput: true },
  ],
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
const BAD = { feedbackType: 'nps', option: 'bad', lowerIsBetter: true };

let shop: MemoryConfiguration;
beforeEach(async () => {
  shop = await openMemoryConfiguration();
});
afterEach(() => shop.handle.close());

const create = (fields: object) => shop.apply({ ...SHOP, splitTests: [{ ...HERO, ...fields }] });
const change = (fields: object) => shop.apply({ splitTests: [{ key: 'hero', ...fields }] });
const refused = (fields: object) => shop.mistakes({ splitTests: [{ key: 'hero', ...fields }] });

describe('feedback in the goals and guardrails of a test', () => {
  it('is stored in the order of the file, mixed with goals', async () => {
    await create({ goals: [{ feedbackType: 'bug' }, 'signup', { feedbackType: 'nps' }], guardrails: [BAD] });
    expect(await shop.test('hero')).toMatchObject({
      goals: [
        { feedbackType: 'bug', lowerIsBetter: false },
        'signup',
        { feedbackType: 'nps', lowerIsBetter: false },
      ],
      guardrails: [BAD],
    });
    await change({ goals: ['signup'], guardrails: [{ feedbackType: 'bug' }] });
    expect(await shop.test('hero')).toMatchObject({
      goals: ['signup'],
      guardrails: [{ feedbackType: 'bug', lowerIsBetter: false }],
    });
  });

  it('applying the same file again changes nothing, and a plan shows changes', async () => {
    const fields = { goals: ['signup'], guardrails: [{ feedbackType: 'nps' }] };
    await create(fields);
    const { changes } = await create(fields);
    expect(changes.every(({ action }) => action === 'unchanged')).toBe(true);
    const planned = await shop.plan({ splitTests: [{ key: 'hero', guardrails: [BAD] }] });
    expect(planned.find(({ entity }) => entity === 'splitTest')?.fields).toEqual([
      { field: 'guardrails', from: [{ feedbackType: 'nps', lowerIsBetter: false }], to: [BAD] },
    ]);
  });

  it('must exist, once, as goal or guardrail', async () => {
    const test = {
      ...HERO,
      goals: ['signup', { feedbackType: 'ghost' }, { feedbackType: 'nps', option: 'awful' }, BAD],
      guardrails: [
        { feedbackType: 'bug', option: 'any' },
        { feedbackType: 'nps' },
        { feedbackType: 'nps', lowerIsBetter: true },
        { feedbackType: 'nps', option: 'bad' },
      ],
    };
    expect(await shop.mistakes({ ...SHOP, splitTests: [test] })).toEqual([
      'splitTests/0/goals/1/feedbackType "ghost" is not a feedback type of this property',
      'splitTests/0/goals/2/option "awful" is not an option of the feedback type "nps"',
      'splitTests/0/guardrails/0/option "any" is not an option of the feedback type "bug"',
      'splitTests/0/guardrails/2 feedback "nps" is already in this list',
      'splitTests/0/guardrails/3 feedback "nps" with option "bad" cannot be both a goal and a guardrail of one test',
    ]);
  });

  it('may refer to stored feedback types and options, or to new ones of the same file', async () => {
    await create({});
    await change({ goals: [BAD] });
    await shop.apply({
      feedbackTypes: [{ id: 'nps', options: ['good', 'bad', 'awful'] }],
      splitTests: [{ key: 'hero', guardrails: [{ feedbackType: 'nps', option: 'awful' }] }],
    });
    expect((await shop.test('hero')).guardrails).toMatchObject([{ option: 'awful' }]);
  });

  it('mistakes in the shape are explained', async () => {
    await create({});
    expect(
      await refused({
        goals: [{ option: 'bad' }, 3, { feedbackType: 'nps', options: 'bad' }, 'feedback:nps'],
        guardrails: [{ feedbackType: 'nps', lowerIsBetter: 'yes' }],
      }),
    ).toEqual([
      'splitTests/0/goals/0 is missing "feedbackType"',
      'splitTests/0/goals/1 must be a string or an object',
      'splitTests/0/goals/2/options is an unknown field; did you mean "option"?',
      'splitTests/0/goals/3 must be 1 to 128 letters, digits, ".", "_" or "-", and start with a letter or digit',
      'splitTests/0/guardrails/0/lowerIsBetter must be true or false, not a string',
    ]);
  });
});

describe('a test that uses feedback', () => {
  it('keeps its options', async () => {
    await create({ guardrails: [BAD], status: 'archived' });
    const without = { feedbackTypes: [{ id: 'nps', options: ['good'] }] };
    expect(await shop.mistakes(without)).toEqual([
      'feedbackTypes/0/options must keep "bad": the split test "hero" uses it',
    ]);
    await shop.apply({ feedbackTypes: [{ id: 'nps', name: 'Score', options: ['bad', 'fine'] }] });
    expect((await shop.property())?.feedbackTypes[0]?.options).toEqual(['bad', 'fine']);
  });

  it('can be changed together with the options', async () => {
    await create({ guardrails: [BAD] });
    const options = ['good', 'poor'];
    const file = (guardrails: unknown[]) => ({
      feedbackTypes: [{ id: 'nps', options }],
      splitTests: [{ key: 'hero', guardrails }],
    });
    expect(await shop.mistakes(file([BAD]))).toEqual([
      'splitTests/0/guardrails/0/option "bad" is not an option of the feedback type "nps"',
    ]);
    await shop.apply(file([{ ...BAD, option: 'poor' }]));
    expect((await shop.test('hero')).guardrails).toEqual([{ ...BAD, option: 'poor' }]);
  });

  it('keeps its primary goal while it runs', async () => {
    await create({ goals: [BAD], status: 'running' });
    const because = 'the primary goal cannot change, the test has started and is running';
    const message = `splitTests/0/goals must start with feedback "nps" with option "bad": ${because}`;
    expect(await refused({ goals: [{ feedbackType: 'nps' }] })).toEqual([message]);
    expect(await refused({ goals: [] })).toEqual([message]);
    await change({ goals: [BAD, { feedbackType: 'nps' }] });
    await change({ status: 'stopped' });
    expect(await refused({ goals: [{ ...BAD, lowerIsBetter: false }] })).toHaveLength(1);
  });
});
