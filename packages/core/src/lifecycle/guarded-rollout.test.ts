import { describe, expect, it } from 'vitest';
import type { Rollout } from '../api/targeting.ts';
import { type GuardedRolloutPlan, resumedRollout } from './guarded-rollout.ts';

const DAY = 86_400_000;
const guardrails = ['signup'];
const schedule = [25, 50, 100].map((percentage, index) => ({ at: (index + 1) * DAY, percentage }));
const plan: GuardedRolloutPlan = {
  startedAt: 0,
  firstPhase: 1,
  percentage: 5,
  schedule,
  guardrails,
  ended: { action: 'rolled-back', at: 1.5 * DAY, from: 25, percentage: 0, words: 'Worse.' },
};
const stored: Rollout = { percentage: 0 };
const apply = (given: Rollout) => resumedRollout(given, stored, plan, 2 * DAY);
const later = (steps: typeof schedule, delay: number) =>
  steps.map((step) => ({ ...step, at: step.at + delay }));

describe('after a roll-back, a file', () => {
  it('with the rollout as it began begins nothing again', () => {
    expect(apply({ percentage: 5, schedule, guardrails })).toMatchObject({ percentage: 0 });
  });

  it('that was exported while it ran begins nothing again, however late its steps were', () => {
    const rest = schedule.slice(1);
    expect(apply({ percentage: 25, schedule: rest, guardrails })).toEqual({ percentage: 0 });
    expect(apply({ percentage: 25, schedule: later(rest, DAY), guardrails })).toEqual({ percentage: 0 });
  });

  it('with other times or guardrails begins another one', () => {
    const again = { percentage: 25, schedule: later(schedule.slice(1), 30 * DAY), guardrails };
    expect(apply(again)).toEqual(again);
    const other = { percentage: 25, schedule: schedule.slice(1), guardrails: ['revenue'] };
    expect(apply(other)).toEqual(other);
  });
});
