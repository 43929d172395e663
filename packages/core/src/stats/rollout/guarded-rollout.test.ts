import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../time.ts';
import { decideRollout, type GuardedRollout, type RolloutPhase } from './guarded-rollout.ts';
import { NO_EFFECT_YET, type PhaseEffect } from './phase-effect.ts';

const NOW = 100 * DAY_MS;

const effect = (improvement: number, standardError: number) => ({ improvement, standardError });
const UNKNOWN = effect(0, 1);
const HARM = effect(-0.2, 0.03);
/** Excludes harm of 2 %. */
const SAFE = effect(0, 0.003);

const phaseWith = (
  percentage: number,
  effects: RolloutPhase['effects'],
  more: Partial<RolloutPhase> = {},
): RolloutPhase => ({ percentage, visitorsInside: 500, isComparable: true, effects, ...more });
/** All visitors come for the first time. */
const phase = (percentage: number, effects: readonly PhaseEffect[], more: Partial<RolloutPhase> = {}) =>
  phaseWith(
    percentage,
    effects.map((effect) => ({ everybody: effect, newcomers: effect })),
    more,
  );
/** All visitors have come before. */
const again = (percentage: number, ...effects: readonly PhaseEffect[]) =>
  phaseWith(
    percentage,
    effects.map((everybody) => ({ everybody, newcomers: NO_EFFECT_YET })),
  );
const decide = (phases: readonly RolloutPhase[], more: Partial<GuardedRollout> = {}) =>
  decideRollout(
    {
      guardrails: phases[0]!.effects.map((_, at) => ({ id: `g${at}`, maxHarm: 0.02 })),
      phases,
      skippedPhases: 0,
      plannedPhases: 4,
      next: { percentage: 25, at: NOW },
      minVisitors: null,
      maxWaitDays: 7,
      ...more,
    },
    NOW,
  );

describe('the next step of a rollout', () => {
  it('is made when it is due and harm beyond the margins is excluded', () => {
    expect(decide([phase(5, [SAFE])])).toEqual({ action: 'go', percentage: 25, reason: 'safe' });
    const later = { next: { percentage: 25, at: NOW + 1 } };
    expect(decide([phase(5, [SAFE])], later)).toEqual({ action: 'wait', reason: 'not-due' });
    expect(decide([phase(5, [SAFE, UNKNOWN])])).toEqual({ action: 'wait', reason: 'not-enough-data' });
  });

  it('may be safe by the data of all phases together', () => {
    const slight = effect(0, 0.006);
    expect(decide([phase(5, [slight])]).action).toBe('wait');
    expect(decide([slight, slight, slight, slight].map((it) => phase(5, [it]))).action).toBe('go');
  });

  it('waits while the present phase has no data, or looks worse than the margin', () => {
    const actionWith = (present: PhaseEffect) => decide([phase(1, [SAFE]), phase(5, [present])]).action;
    expect(actionWith(effect(-0.01, 0.04))).toBe('go');
    expect(actionWith(effect(-0.05, 0.04))).toBe('wait');
    expect(actionWith(NO_EFFECT_YET)).toBe('wait');
  });

  it('is also made with enough visitors in this phase, if the plan says so', () => {
    const rollout = [phase(1, [UNKNOWN]), phase(5, [UNKNOWN])];
    const enough = { action: 'go', percentage: 25, reason: 'enough-visitors' };
    expect(decide(rollout, { minVisitors: 500 })).toEqual(enough);
    expect(decide(rollout, { minVisitors: 501 })).toEqual({ action: 'wait', reason: 'not-enough-data' });
    // A guardrail that nobody reaches, such as errors, is no reason to wait.
    expect(decide([phase(5, [NO_EFFECT_YET])], { minVisitors: 500 })).toEqual(enough);
  });

  it('waits as long as the plan allows, and then for somebody', () => {
    const due = (days: number) => ({ next: { percentage: 25, at: NOW - days * DAY_MS } });
    expect(decide([phase(5, [UNKNOWN])], due(6.9)).action).toBe('wait');
    expect(decide([phase(5, [UNKNOWN])], due(7))).toEqual({ action: 'stay', reason: 'not-enough-data' });
    const broken = [phase(5, [SAFE], { isComparable: false })];
    expect(decide(broken, { minVisitors: 1 })).toEqual({ action: 'wait', reason: 'not-comparable' });
    expect(decide(broken, due(7))).toEqual({ action: 'stay', reason: 'not-comparable' });
  });
});

describe('people who come back in every phase', () => {
  const slight = effect(-0.12, 0.055);

  it('are no further evidence of harm: what they did before is counted already', () => {
    const newcomers = [5, 10, 25, 50].map((percentage) => phase(percentage, [slight]));
    expect(decide(newcomers).action).toBe('roll-back');
    const same = [phase(5, [slight]), ...[10, 25, 50].map((percentage) => again(percentage, slight))];
    expect(decide(same).action).toBe('wait');
  });

  it('are no further evidence of safety either', () => {
    const safe = effect(0, 0.0075);
    const newcomers = [5, 10, 25].map((percentage) => phase(percentage, [safe]));
    expect(decide(newcomers)).toMatchObject({ action: 'go', reason: 'safe' });
    expect(decide([phase(5, [safe]), again(10, safe), again(25, safe)]).action).toBe('wait');
  });

  it('show harm that came with a later percentage, by what they did in that phase', () => {
    const good = phase(5, [effect(0.1, 0.01)]);
    expect(decide([good, again(25, effect(-0.2, 0.03))]).action).toBe('roll-back');
    expect(decide([good, again(25, effect(0, 0.003))])).toMatchObject({ action: 'go', reason: 'safe' });
  });

  it('share the error rate among the phases that are planned', () => {
    const phases = [phase(5, [UNKNOWN]), again(25, effect(-0.2, 0.05))];
    const actionOf = (plannedPhases: number) => decide(phases, { plannedPhases }).action;
    expect([2, 4, 51].map(actionOf)).toEqual(['roll-back', 'roll-back', 'wait']);
  });

  it('are compared in phases on top of the plan too, with less and less of the error rate', () => {
    const harmIn = (extra: number, improvement: number) =>
      decide(
        [phase(5, [UNKNOWN]), ...Array(extra).fill(again(5, UNKNOWN)), again(5, effect(improvement, 0.045))],
        {
          plannedPhases: 1,
        },
      ).action;
    expect([harmIn(0, -0.2), harmIn(20, -0.2), harmIn(20, -0.25)]).toEqual([
      'roll-back',
      'wait',
      'roll-back',
    ]);
  });

  it('have less of the error rate if phases came before those that are known', () => {
    const phases = [phase(10, [UNKNOWN]), again(25, effect(-0.2, 0.045))];
    const actionOf = (skippedPhases: number) => decide(phases, { plannedPhases: 2, skippedPhases }).action;
    expect([0, 20].map(actionOf)).toEqual(['roll-back', 'wait']);
  });
});

describe('a rollout that does harm', () => {
  it('is rolled back at any time, even before a step is due, and after the last one', () => {
    const back = { action: 'roll-back', percentage: 0, harmed: ['g0'] };
    for (const next of [{ percentage: 25, at: NOW }, { percentage: 25, at: NOW + DAY_MS }, null])
      expect(decide([phase(5, [HARM])], { next, minVisitors: 1 })).toEqual(back);
    expect(decide([phase(5, [UNKNOWN])], { next: null })).toEqual({ action: 'wait', reason: 'last-step' });
  });

  it('goes back to the last percentage that was proven safe, not to one that only had enough visitors', () => {
    const backTo = (...before: RolloutPhase[]) => {
      const decision = decide([...before, phase(25, [effect(-0.5, 0.03)])]);
      return decision.action === 'roll-back' && decision.percentage;
    };
    expect(backTo(phase(1, [UNKNOWN]), phase(5, [UNKNOWN]))).toBe(0);
    expect(backTo(phase(1, [effect(0, 0.007)]), phase(5, [UNKNOWN]))).toBe(0);
    const safe = effect(0.01, 0.006);
    expect(backTo(phase(1, [safe]), phase(5, [UNKNOWN]))).toBe(1);
    expect(backTo(phase(1, [safe]), phase(5, [safe]))).toBe(5);
    expect(backTo(phase(1, [safe]), phase(50, [safe]))).toBe(1);
    expect(backTo(phase(1, [safe]), phase(5, [safe], { isComparable: false }))).toBe(1);
  });

  it('has harm that adds up over the phases, or that begins with one of them', () => {
    const slight = phase(5, [effect(-0.12, 0.05)]);
    expect(decide([slight]).action).toBe('wait');
    expect(decide([slight, slight, slight]).action).toBe('roll-back');
    const good = phase(5, [effect(0.1, 0.03)]);
    expect(decide([good, good, phase(25, [HARM])]).action).toBe('roll-back');
  });

  it('names what got worse, the clearest first', () => {
    const decision = decide([phase(5, [HARM, UNKNOWN, effect(-0.5, 0.03), SAFE])]);
    expect(decision).toEqual({ action: 'roll-back', percentage: 0, harmed: ['g2', 'g0'] });
  });

  it('takes more evidence with more guardrails', () => {
    const clear = effect(-0.2, 0.055);
    expect(decide([phase(5, [clear])]).action).toBe('roll-back');
    expect(decide([phase(5, [clear, ...Array(9).fill(UNKNOWN)])]).action).toBe('wait');
  });

  it('is none within the margin, even if it is certain', () => {
    expect(decide([phase(5, [effect(-0.01, 0.001)])])).toMatchObject({ action: 'go', reason: 'safe' });
    expect(decide([phase(5, [effect(-0.03, 0.001)])]).action).toBe('roll-back');
  });

  it('is not judged while visitors cannot be compared, nor by a phase in which they could not', () => {
    expect(decide([phase(5, [HARM], { isComparable: false })]).action).toBe('wait');
    const before = phase(5, [HARM], { isComparable: false });
    expect(decide([before, phase(25, [UNKNOWN])]).action).toBe('wait');
  });
});
