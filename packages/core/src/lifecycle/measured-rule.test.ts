import { describe, expect, it } from 'vitest';
import type { FlagConfiguration, Rule } from '../api/targeting.ts';
import { advanceMeasuredRules, type MeasuredRule } from './measured-rule.ts';
import { measuredStatus } from './measured-status.ts';
import { promotedRule } from './promote-rule.ts';

const HALF: Rule = { id: 'half', rollout: { percentage: 50 }, value: true, measure: { goals: ['signup'] } };
const SPLIT: Rule = {
  id: 'parts',
  split: [
    { key: 'a', value: 'A', weight: 1 },
    { value: 'B', weight: 3 },
  ],
  measure: { goals: ['signup'] },
};

const inFlag = (rules: Rule[], more: Partial<FlagConfiguration> = {}): FlagConfiguration => ({
  enabled: true,
  value: false,
  rules,
  prerequisites: [],
  ...more,
});
const after = (before: readonly MeasuredRule[], configuration: FlagConfiguration, at: number) =>
  advanceMeasuredRules(before, configuration, { flagKey: 'f', segments: [], at, now: at });
/** Phases after each of several configurations, by their reasons; open ones end with an ellipsis. */
function reasonsAfter(...steps: FlagConfiguration[]): string[] {
  let measured: readonly MeasuredRule[] = [];
  for (const [index, step] of steps.entries()) measured = after(measured, step, index + 1);
  return (measured[0]?.phases ?? []).map(
    ({ reasons, endedAt }) => reasons.join() + (endedAt === null ? '…' : ''),
  );
}

describe('a measured rule', () => {
  it('has its variations, their weights and the unit of the draw', () => {
    const [{ phases } = { phases: [] }] = after([], inFlag([SPLIT]), 1);
    expect(phases).toMatchObject([
      {
        number: 1,
        startedAt: 1,
        endedAt: null,
        definition: {
          hashSeed: 'f:parts',
          unit: 'user',
          variations: [
            { key: 'a', weight: 1, value: '"A"' },
            { key: '1', weight: 3, value: '"B"' },
          ],
        },
      },
    ]);
    const byVisitor = { ...HALF, rollout: { percentage: 20, by: 'visitorId' } };
    expect(after([], inFlag([byVisitor]), 1)[0]!.phases[0]!.definition).toMatchObject({
      hashSeed: 'f:half by visitorId',
      unit: 'visitor',
      variations: [
        { key: 'off', weight: 80 },
        { key: 'on', weight: 20 },
      ],
    });
  });

  it('is the same object while nothing changes, whatever the name or an unrelated rule does', () => {
    const unrelated = { id: 'later', conditions: [], value: true };
    const before = after([], inFlag([SPLIT, unrelated]), 1);
    expect(after(before, inFlag([SPLIT, unrelated]), 2)).toBe(before);
    const renamed = after(
      before,
      inFlag([
        { ...SPLIT, name: 'New' },
        { ...unrelated, value: false },
      ]),
      3,
    );
    expect(renamed).toBe(before);
  });

  it('starts a phase when something before it, or what those outside get, changes', () => {
    const first = { id: 'first', conditions: [{ attribute: 'a', operator: 'isSet' as const }], value: true };
    expect(reasonsAfter(inFlag([HALF]), inFlag([first, HALF]))).toEqual(['started', 'rules…']);
    expect(
      reasonsAfter(inFlag([first, HALF]), inFlag([{ ...first, name: 'N', value: false }, HALF])),
    ).toEqual(['started…']);
    expect(reasonsAfter(inFlag([HALF]), inFlag([HALF], { value: true }))).toEqual(['started', 'rules…']);
    expect(reasonsAfter(inFlag([SPLIT]), inFlag([SPLIT], { value: 'x' }))).toEqual(['started…']);
    const required = { prerequisites: [{ flag: 'g', value: true }] };
    expect(reasonsAfter(inFlag([SPLIT]), inFlag([SPLIT], required))).toEqual(['started', 'rules…']);
    // Turned off, a rule takes nobody.
    expect(reasonsAfter(inFlag([SPLIT]), inFlag([{ ...first, enabled: false }, SPLIT]))).toEqual([
      'started…',
    ]);
  });

  it('is over when a schedule has reached everybody, with the winner that is served', () => {
    const scheduled = after([], inFlag([HALF]), 1);
    const whole = { ...HALF, rollout: { percentage: 100 } };
    const over = after(scheduled, inFlag([whole]), 2);
    expect(over).toMatchObject([{ winner: 'on', phases: [{ endedAt: 2 }] }]);
    expect(measuredStatus(inFlag([whole]), 'half', true)).toBe('stopped');
    expect(after(over, inFlag([whole]), 3)).toBe(over);
    // Measured again, it has a new phase and no winner yet.
    expect(after(over, inFlag([HALF]), 4)).toMatchObject([
      { winner: null, phases: [{ endedAt: 2 }, { number: 2, reasons: ['started'], endedAt: null }] },
    ]);
  });

  it('that was never on has no phases, and goes with its rule', () => {
    expect(after([], inFlag([HALF], { enabled: false }), 1)).toEqual([]);
    expect(measuredStatus(inFlag([HALF], { enabled: false }), 'half', false)).toBe('draft');
    const before = after([], inFlag([HALF]), 1);
    expect(after(before, inFlag([]), 2)).toEqual([]);
  });
});

describe('promoting', () => {
  it('serves one variation to everybody who matches', () => {
    const conditions = [{ attribute: 'a', operator: 'isSet' as const }];
    expect(promotedRule({ ...SPLIT, conditions, rollout: { percentage: 10 } }, '1')).toEqual({
      id: 'parts',
      conditions,
      value: 'B',
    });
    const scheduled = { percentage: 10, by: 'plan', schedule: [{ at: 5, percentage: 50 }] };
    expect(promotedRule({ ...HALF, rollout: scheduled }, 'off')).toEqual({
      id: 'half',
      rollout: { percentage: 0, by: 'plan' },
      value: true,
    });
    expect(promotedRule(HALF, 'on')).toEqual({ id: 'half', value: true });
    expect(promotedRule(HALF, 'a')).toBeUndefined();
    expect(promotedRule(SPLIT, 'on')).toBeUndefined();
  });
});
