import { engines } from '@switchyard/testing/configuration/databases';
import {
  type MemoryConfiguration,
  openMemoryConfiguration,
} from '@switchyard/testing/configuration/memory-configuration';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exportConfiguration } from '../../features/provisioning/provision-export.ts';
import { runSchedule } from '../../features/split-testing/run-schedule.ts';
import { configurationModel } from '../../start/definitions.ts';

const GOALS = [
  { id: 'signup', name: 'Sign-ups', kind: 'count' },
  { id: 'errors', name: 'Errors', kind: 'count', lowerIsBetter: true },
];
const TEST = {
  key: 'hero',
  type: 'id',
  variations: ['control', 'b'].map((key) => ({ key, weight: 1 })),
  goals: ['signup'],
  guardrails: [{ goalId: 'errors', maxHarm: 0.01 }],
  smallestEffect: 0.02,
};

describe.each(engines())('$name', (engine) => {
  let shop: MemoryConfiguration;
  beforeEach(async () => {
    shop = await openMemoryConfiguration(engine);
    await shop.apply({ goals: GOALS, splitTests: [TEST] });
  });
  afterEach(() => shop.handle.close());

  const fixed = async () => (await shop.test('hero')).decisionRule;

  it('a draft has no rule; a start fixes what is in force then, in the same change', async () => {
    expect(await fixed()).toBeUndefined();
    const statistics = { engine: 'bayesian' };
    await shop.apply({ statistics, splitTests: [{ key: 'hero', status: 'running', smallestEffect: 0.03 }] });
    const { phases, decisionRule } = await shop.test('hero');
    expect(decisionRule).toMatchObject({
      fixedAt: phases[0]!.startedAt,
      rule: {
        primary: { id: 'signup', name: 'Sign-ups', kind: 'count' },
        guardrails: [{ id: 'errors', maxHarm: 0.01, lowerIsBetter: true }],
        variations: ['control', 'b'],
        smallestEffect: 0.03,
        plannedVisitors: null,
        statistics: { engine: 'bayesian', alpha: 0.05, shipWithOpenGuardrails: false },
      },
    });
    // It is no part of a file: applying the export changes nothing.
    const { file } = await exportConfiguration(shop.handle.database, configurationModel);
    const { id: _id, ...exported } = file.properties[0]!;
    expect(JSON.stringify(exported)).not.toContain('decisionRule');
    expect((await shop.plan({ ...exported })).filter(({ action }) => action !== 'unchanged')).toEqual([]);
  });

  it('stays as it is, whatever is changed later', async () => {
    await shop.apply({ splitTests: [{ key: 'hero', status: 'running' }] });
    const before = await fixed();
    const [a, b] = TEST.variations;
    await shop.apply({
      statistics: { alpha: 0.1 },
      splitTests: [{ key: 'hero', smallestEffect: 0.1, variations: [a, { ...b, weight: 3 }] }],
    });
    for (const status of ['paused', 'running', 'stopped'])
      await shop.apply({ splitTests: [{ key: 'hero', status }] });
    expect((await shop.test('hero')).phases).toHaveLength(2);
    expect(await fixed()).toEqual(before);
  });

  it('a schedule that is late fixes it as of the planned time', async () => {
    const startAt = Date.now() + 1_000_000;
    await shop.apply({ splitTests: [{ key: 'hero', startAt }] });
    await runSchedule(shop.writer, [(await shop.property())!], startAt + 3_600_000);
    expect((await fixed())?.fixedAt).toBe(startAt);
  });

  it('a test that started before rules were fixed gets none, not even by a later phase', async () => {
    await shop.apply({ splitTests: [{ key: 'hero', status: 'running' }] });
    await shop.handle.database.updateTable('split_tests').set({ decision_rule: null }).execute();
    const [a, b] = TEST.variations;
    await shop.apply({ splitTests: [{ key: 'hero', variations: [a, { ...b, weight: 3 }] }] });
    expect((await shop.test('hero')).phases).toHaveLength(2);
    expect(await fixed()).toBeUndefined();
  });
});
