import {
  type MemoryConfiguration,
  openMemoryConfiguration,
} from '@switchyard/testing/configuration/memory-configuration';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const STATUSES = ['draft', 'running', 'paused', 'stopped', 'archived'] as const;
const variations = [
  { key: 'control', weight: 1, value: 'Buy' },
  { key: 'b', weight: 1, value: 'Get it' },
];
const goals = ['signup', 'revenue', 'refunds', 'errors'].map((id) => ({ id, kind: 'count' }));
const HERO = { key: 'hero', type: 'text', hashSeed: 's1', variations, goals: ['signup', 'revenue'] };

let shop: MemoryConfiguration;
beforeEach(async () => {
  shop = await openMemoryConfiguration();
});
afterEach(() => shop.handle.close());

const create = (fields: object) => shop.apply({ goals, splitTests: [{ ...HERO, ...fields }] });
const change = (fields: object) => shop.apply({ splitTests: [{ key: 'hero', ...fields }] });
const refused = (fields: object) => shop.mistakes({ splitTests: [{ key: 'hero', ...fields }] });
const phases = async () => (await shop.test('hero')).phases;

describe('status changes', () => {
  const ALLOWED: Record<string, string[]> = {
    draft: ['running', 'archived'],
    running: ['paused', 'stopped'],
    paused: ['running', 'stopped'],
    stopped: ['archived'],
    archived: [],
  };

  it.each(STATUSES)('from %s', async (from) => {
    const key = (to: string) => `to-${to}`;
    await shop.apply({
      splitTests: STATUSES.map((to) => ({ ...HERO, goals: [], key: key(to), status: from })),
    });
    for (const to of STATUSES) {
      const file = { splitTests: [{ key: key(to), status: to }] };
      if (to === from || ALLOWED[from]!.includes(to)) {
        await shop.apply(file);
        expect((await shop.test(key(to))).status).toBe(to);
      } else {
        const hint = ALLOWED[from]!.length ? `allowed: ${ALLOWED[from]!.join(', ')}` : 'no change is allowed';
        expect(await shop.mistakes(file)).toEqual([
          `splitTests/0/status cannot change from ${from} to ${to}; ${hint}`,
        ]);
      }
    }
  });

  it('applying a file twice changes nothing, in any status', async () => {
    for (const status of STATUSES) {
      const file = { splitTests: [{ ...HERO, goals: [], key: status, status }] };
      await shop.apply(file);
      const before = await shop.property();
      const { changes } = await shop.apply(file);
      expect(changes.every(({ action }) => action === 'unchanged')).toBe(true);
      expect(await shop.property()).toEqual(before);
    }
  });
});

describe('allowed changes', () => {
  const OTHERS = {
    type: 'id',
    hashSeed: 's2',
    trafficAllocation: 40,
    variations: [variations[1]!, variations[0]!],
    exclusion: { group: 'g', share: 10 },
    startAt: 1_000_000,
    stopAt: 2_000_000_000_000,
    goals: ['revenue'],
    guardrails: ['errors'],
    attributionDays: 3,
    plannedVisitors: 10_000,
    smallestEffect: 0.02,
  };
  const DEFINITION = Object.keys(OTHERS);
  const NOTES = {
    name: 'Hero',
    description: 'The button',
    hypothesis: 'Shorter is better',
    tags: ['q3', 'checkout'],
    owner: 'ada@shop.example',
  };
  const DECISION = { outcome: 'ship', reason: 'b sells more' };
  const fieldsOf = (mistakes: string[]) => mistakes.map((mistake) => mistake.split(/[/ ]/)[2]).sort();

  it('draft: everything', async () => {
    await create({ status: 'draft' });
    await change({ ...OTHERS, ...NOTES });
    const { exclusion, ...others } = OTHERS;
    expect(await shop.test('hero')).toMatchObject({ ...others, ...NOTES });
    expect((await shop.test('hero')).exclusion).toEqual({ ...exclusion, from: 0, to: 10 });
  });

  it.each(['running', 'paused'])('%s: everything except type, start and primary goal', async (status) => {
    await create({ status });
    expect(await refused(OTHERS)).toEqual([
      `splitTests/0/type cannot change: the test has started and is ${status}`,
      `splitTests/0/startAt cannot change: the test has started and is ${status}`,
      `splitTests/0/goals must start with "signup": the primary goal cannot change, the test has started and is ${status}`,
    ]);
    const { type: _type, startAt: _startAt, ...others } = OTHERS;
    await change({ ...others, goals: ['signup', 'refunds'], ...NOTES });
    expect(await shop.test('hero')).toMatchObject({
      goals: ['signup', 'refunds'],
      guardrails: ['errors'],
      ...NOTES,
    });
  });

  it('a running test without goals can be given its first goal', async () => {
    await create({ status: 'running', goals: [] });
    await change({ goals: ['revenue'] });
    expect(await refused({ goals: [] })).toHaveLength(1);
  });

  it.each([
    ['while being stopped', 'running', { status: 'stopped' }],
    ['stopped', 'stopped', {}],
    ['while being archived', 'stopped', { status: 'archived' }],
  ])('%s: only words about the test, winner and decision', async (_when, status, step) => {
    await create({ status });
    expect(fieldsOf(await refused({ ...step, ...OTHERS }))).toEqual([...DEFINITION].sort());
    await change({ ...step, ...NOTES, winner: 'b', decision: DECISION });
    expect(await shop.test('hero')).toMatchObject({ ...NOTES, winner: 'b', decision: DECISION });
  });

  it('archived: only the decision', async () => {
    await create({ status: 'archived' });
    const fields = { ...OTHERS, ...NOTES, winner: 'b' };
    expect(fieldsOf(await refused(fields))).toEqual([...DEFINITION, ...Object.keys(NOTES), 'winner'].sort());
    await change({ decision: DECISION });
    expect((await shop.test('hero')).decision).toMatchObject(DECISION);
  });

  it.each(['draft', 'running', 'paused'])('%s: no decision yet', async (status) => {
    await create({ status });
    expect(await refused({ decision: DECISION })).toEqual([
      `splitTests/0/decision can only be set when the test is stopped; it is ${status}`,
    ]);
  });
});

describe('phases', () => {
  it('start opens the first phase, stop ends it', async () => {
    await create({ status: 'draft' });
    expect(await phases()).toEqual([]);
    const before = Date.now();
    await change({ status: 'running' });
    const [first] = await phases();
    expect(first).toEqual({
      number: 1,
      startedAt: expect.any(Number),
      endedAt: null,
      reasons: ['started'],
      definition: {
        hashSeed: 's1',
        trafficAllocation: 100,
        variations,
        exclusion: null,
        holdout: null,
        unit: 'visitor',
      },
    });
    expect(first!.startedAt).toBeGreaterThanOrEqual(before);
    expect(first!.startedAt).toBeLessThanOrEqual(Date.now());
    await change({ status: 'stopped' });
    expect(await phases()).toEqual([{ ...first, endedAt: expect.any(Number) }]);
    await change({ winner: 'b', status: 'archived' });
    expect(await phases()).toHaveLength(1);
  });

  it('a change that reassigns visitors starts a new phase, and plan and apply report it', async () => {
    await create({ status: 'running' });
    const fields = { variations: [{ ...variations[0]!, weight: 3 }, variations[1]!], trafficAllocation: 20 };
    const note = 'starts phase 2 (less traffic, new weights); results of each phase are reported separately';
    const planned = await shop.plan({ splitTests: [{ key: 'hero', ...fields }] });
    expect(planned.find(({ id }) => id === 'hero')?.notes).toEqual([note]);
    expect(await phases()).toHaveLength(1);
    const { changes } = await change(fields);
    expect(changes.find(({ id }) => id === 'hero')?.notes).toEqual([note]);
    const [first, second] = await phases();
    expect(second).toMatchObject({ number: 2, endedAt: null, reasons: ['traffic', 'weights'] });
    expect(second!.startedAt).toBe(first!.endedAt);
    expect(second!.definition).toMatchObject(fields);
  });

  it('more traffic, another name and other goals start no phase', async () => {
    await create({ status: 'running', trafficAllocation: 10 });
    const { changes } = await change({ trafficAllocation: 60, name: 'Hero', goals: ['signup'] });
    expect(changes.some(({ notes }) => notes !== undefined)).toBe(false);
    expect(await phases()).toMatchObject([
      { number: 1, endedAt: null, definition: { trafficAllocation: 60 } },
    ]);
  });

  it('a change during a pause takes effect on resume', async () => {
    await create({ status: 'running' });
    await change({ status: 'paused' });
    await change({ hashSeed: 's2' });
    expect(await phases()).toHaveLength(1);
    const { changes } = await change({ status: 'running' });
    expect(changes.find(({ id }) => id === 'hero')?.notes?.[0]).toMatch(/^starts phase 2 \(new seed\);/);
    expect(await phases()).toHaveLength(2);
    await change({ status: 'paused' });
    await change({ status: 'running' });
    expect(await phases()).toHaveLength(2);
  });

  it('a larger holdout starts a phase in every running test, even if the file does not name it', async () => {
    await create({ status: 'running' });
    await shop.apply({ splitTests: [{ ...HERO, goals: [], key: 'draft' }] });
    const { changes } = await shop.apply({ holdout: 10, splitTests: [{ key: 'hero' }] });
    expect(changes.find(({ entity }) => entity === 'property')?.notes).toEqual([
      'split test hero starts phase 2 (larger holdout); results of each phase are reported separately',
    ]);
    const { hashSeed } = (await shop.property())!;
    expect((await phases())[1]).toMatchObject({
      reasons: ['holdout'],
      definition: { holdout: { seed: hashSeed, percentage: 10 } },
    });
    await shop.apply({ holdout: 5 });
    expect(await phases()).toHaveLength(2);
    expect((await phases())[1]?.definition.holdout?.percentage).toBe(5);
    expect((await shop.test('draft')).phases).toEqual([]);
  });
});

describe('schedule', () => {
  const past = Date.now() - 60_000;
  const future = Date.now() + 3_600_000;

  it.each([
    ['2026-01-31T12:00:00Z', 1_769_860_800_000],
    ['2026-01-31T12:00:00+01:00', 1_769_857_200_000],
    ['2026-01-31', 1_769_817_600_000],
    [1_769_860_800_000, 1_769_860_800_000],
  ])('%s is %s', async (startAt, expected) => {
    await create({ startAt });
    expect((await shop.test('hero')).startAt).toBe(expected);
    const [, planned] = await shop.plan({ splitTests: [{ key: 'hero', startAt: null, stopAt: 1.9e12 }] });
    expect(planned?.fields).toEqual([
      { field: 'startAt', from: new Date(expected).toISOString(), to: null },
      { field: 'stopAt', from: null, to: '2030-03-17T17:46:40.000Z' },
    ]);
    await change({ startAt: null });
    expect((await shop.test('hero')).startAt).toBeNull();
  });

  it.each(['tomorrow', '2026-02-30', -1, 1.5, 1e15])('%s is not a valid time', async (startAt) => {
    expect(await shop.mistakes({ splitTests: [{ ...HERO, goals: [], startAt }] })).toEqual([
      'splitTests/0/startAt must be a time like 2026-01-31T12:00:00Z, or Unix milliseconds',
    ]);
  });

  it('must not stop before it starts', async () => {
    await create({ startAt: 2000 });
    expect(await refused({ stopAt: 2000 })).toEqual(['splitTests/0/stopAt must be after startAt']);
    await change({ stopAt: 3000 });
    expect(await refused({ startAt: 3000 })).toEqual(['splitTests/0/startAt must be before stopAt']);
  });

  it('a file can be applied again after its schedule has changed the status', async () => {
    // The server does this at the scheduled time.
    const files = [
      { file: { status: 'draft', startAt: past }, step: 'running' },
      { file: { status: 'running', stopAt: past }, step: 'stopped' },
    ];
    for (const [index, { file, step }] of files.entries()) {
      const test = { ...HERO, goals: [], key: `t${index}`, ...file };
      await shop.apply({ splitTests: [test] });
      await shop.apply({ splitTests: [{ key: test.key, status: step }] });
      const { changes } = await shop.apply({ splitTests: [test] });
      expect(changes.every(({ action }) => action === 'unchanged')).toBe(true);
      expect((await shop.test(test.key)).status).toBe(step);
    }
  });

  it('in the future does not allow other status changes', async () => {
    await create({ status: 'running', stopAt: future });
    await change({ status: 'stopped' });
    expect(await refused({ status: 'running' })).toHaveLength(1);
  });
});

describe('goals and winner', () => {
  it('all mistakes are reported at once', async () => {
    const test = {
      ...HERO,
      goals: ['signup', 'ghost'],
      guardrails: ['errors', 'errors', 'signup'],
      winner: 'z',
    };
    expect(await shop.mistakes({ goals, splitTests: [test] })).toEqual([
      'splitTests/0/goals/1 "ghost" is not a goal of this property',
      'splitTests/0/guardrails/1 "errors" is already in this list',
      'splitTests/0/guardrails/2 "signup" cannot be both a goal and a guardrail of one test',
      'splitTests/0/winner can only be set when the test is stopped; it is draft',
      'splitTests/0/winner "z" is not a variation of this test',
    ]);
  });

  it('a goal cannot also be a guardrail', async () => {
    await create({ guardrails: ['errors'] });
    expect(await refused({ goals: ['signup', 'errors'] })).toEqual([
      'splitTests/0/goals/1 "errors" cannot be both a goal and a guardrail of one test',
    ]);
    await change({ goals: ['signup', 'errors'], guardrails: ['revenue'] });
    expect(await shop.test('hero')).toMatchObject({ goals: ['signup', 'errors'], guardrails: ['revenue'] });
  });

  it('a goal can be marked as lower is better', async () => {
    await shop.apply({
      goals: [
        { id: 'errors', kind: 'count', lowerIsBetter: true },
        { id: 'signup', kind: 'count' },
      ],
    });
    expect((await shop.property())?.goals).toMatchObject([{ lowerIsBetter: true }, { lowerIsBetter: false }]);
    await shop.apply({ goals: [{ id: 'errors', lowerIsBetter: false }] });
    expect((await shop.property())?.goals).toMatchObject([
      { lowerIsBetter: false },
      { lowerIsBetter: false },
    ]);
  });

  it('a winner can be removed', async () => {
    await create({ status: 'stopped', winner: 'b' });
    await change({ winner: null });
    expect((await shop.test('hero')).winner).toBeNull();
  });
});

describe('statistics settings', () => {
  it('missing settings have defaults, stored ones are kept', async () => {
    await shop.apply({ statistics: { engine: 'bayesian', prior: { mean: 0, sd: 0.1 }, winsorize: 0.99 } });
    const { changes } = await shop.apply({ statistics: { alpha: 0.01, winsorize: null } });
    expect(changes[0]?.fields).toEqual([
      { field: 'statistics.alpha', from: 0.05, to: 0.01 },
      { field: 'statistics.winsorize', from: 0.99, to: null },
    ]);
    expect((await shop.property())?.statistics).toEqual({
      engine: 'bayesian',
      spending: 'obrien-fleming',
      alpha: 0.01,
      sequentialN: 5000,
      correction: 'holm',
      cuped: false,
      preDays: 14,
      winsorize: null,
      prior: { mean: 0, sd: 0.1 },
      stratify: [],
      shipWithOpenGuardrails: false,
    });
  });

  it('mistakes are reported', async () => {
    const statistics = {
      engine: 'magic',
      alpha: 0.5,
      sequentialN: 0,
      correction: 'some',
      cuped: 1,
      preDays: 91,
      winsorize: 0.5,
      prior: { mean: 0, sd: 0 },
    };
    expect(await shop.mistakes({ holdout: 101, statistics, hashSeed: '' })).toEqual([
      'hashSeed must not be empty',
      'holdout must be at most 100',
      'statistics/engine must be one of auto, sequential, group-sequential, frequentist, bayesian',
      'statistics/alpha must be at most 0.2',
      'statistics/sequentialN must be at least 1',
      'statistics/correction must be one of none, holm, benjamini-hochberg',
      'statistics/cuped must be true or false, not 1',
      'statistics/preDays must be at most 90',
      'statistics/winsorize must be above 0.5',
      'statistics/prior/sd must be above 0',
    ]);
  });
});
