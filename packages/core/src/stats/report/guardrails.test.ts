import { describe, expect, it } from 'vitest';
import { DEFAULT_STATISTICS } from '../../api/statistics.ts';
import { DAY_MS } from '../../time.ts';
import { buildReport } from './report.ts';
import { noGoalSums } from './report-counts.ts';
import type { ReportGroup, ReportInput } from './report-input.ts';

const START = Date.UTC(2026, 0, 1);
const DAYS = 10;

interface Arms {
  visitors: number;
  /** Converted visitors of the control and of the variation. */
  primary: readonly [number, number];
  guardrail: readonly [number, number];
}

function test({ visitors, primary, guardrail }: Arms, more: Partial<ReportInput> = {}): ReportInput {
  const sums = (goalId: string, converted: number) => ({
    ...noGoalSums(goalId),
    converted,
    conversions: { ...noGoalSums(goalId).conversions, sum: converted, sumSquares: converted },
  });
  const group = (variationKey: string, index: 0 | 1): ReportGroup => ({
    variationKey,
    bot: false,
    early: false,
    visitors,
    goals: [sums('signup', primary[index]), sums('renewal', guardrail[index])],
  });
  return {
    variations: ['control', 'b'].map((key) => ({ key, weight: 1 })),
    goals: [
      { id: 'signup', name: 'Sign-ups', kind: 'count', lowerIsBetter: false, role: 'primary' },
      {
        id: 'renewal',
        name: 'Renewals',
        kind: 'count',
        lowerIsBetter: false,
        role: 'guardrail',
        maxHarm: 0.1,
      },
    ],
    statistics: DEFAULT_STATISTICS,
    smallestEffect: null,
    plannedVisitors: null,
    includeBots: false,
    groups: [group('control', 0), group('b', 1)],
    exposures: Array.from({ length: DAYS }, (_, day) =>
      ['control', 'b'].map((variationKey) => ({
        at: START + day * DAY_MS,
        variationKey,
        bot: false,
        exposures: visitors / DAYS,
      })),
    ).flat(),
    startedAt: START,
    endedAt: null,
    asOf: START + DAYS * DAY_MS,
    ...more,
  };
}

const BETTER = { visitors: 5000, primary: [500, 700] } as const;
const verdictOf = (input: ReportInput) => buildReport(input).verdict!;
const stateOf = (input: ReportInput) => buildReport(input).goals[1]!.state;

describe('a guardrail', () => {
  const open = test({ ...BETTER, guardrail: [50, 49] });

  it('is open while its interval includes harm beyond the margin, and says until when', () => {
    const verdict = verdictOf(open);
    expect(stateOf(open)).toBe('open');
    expect(verdict).toMatchObject({ decision: 'keep-going', reason: 'open-guardrail' });
    expect(verdict.sentences.decision).toBe(
      'Keep "b" going: it is better than the control, but there is not enough data on the guardrail "Renewals" yet.',
    );
    const short = verdictOf(test({ ...BETTER, guardrail: [1500, 1480] }));
    expect(short.guardrails[0]).toMatchObject({ state: 'open' });
    expect(short.daysLeft).toBeGreaterThan(0);
    expect(short.sentences.guardrails).toMatch(
      /^Guardrails: not enough data yet to exclude harm beyond 10 % in Renewals \(about \d+ more days?\)\.$/,
    );
  });

  it('does not hold up a variation if the settings say so', () => {
    const statistics = { ...DEFAULT_STATISTICS, shipWithOpenGuardrails: true };
    expect(verdictOf({ ...open, statistics }).decision).toBe('ship');
  });

  it('is safe once harm beyond the margin is excluded, even if a smaller harm is certain', () => {
    expect(verdictOf(test({ ...BETTER, guardrail: [2500, 2500] }))).toMatchObject({
      decision: 'ship',
      sentences: { guardrails: 'Guardrails: no harm beyond 10 % in Renewals.' },
    });
    const certain = test({ visitors: 200_000, primary: [20_000, 22_000], guardrail: [100_000, 97_000] });
    expect(buildReport(certain).goals[1]!.metrics[0]!.variations[1]!.adjustedPValue).toBeLessThan(1e-9);
    expect(stateOf(certain)).toBe('safe');
  });

  it('is harmed when it is proven to be worse', () => {
    const harmed = test({ ...BETTER, guardrail: [2500, 2000] });
    expect(stateOf(harmed)).toBe('harmed');
    expect(verdictOf(harmed)).toMatchObject({ decision: 'roll-back', reason: 'guardrail' });
  });

  it('is judged without a primary goal too, as in rollouts that only have guardrails', () => {
    const withoutPrimary = (guardrail: readonly [number, number]) => {
      const input = test({ ...BETTER, guardrail });
      const report = buildReport({ ...input, goals: input.goals.slice(1) });
      expect(report.verdict).toBeNull();
      return report.goals[0]!.state;
    };
    expect(withoutPrimary([2500, 2000])).toBe('harmed');
    expect(withoutPrimary([2500, 2500])).toBe('safe');
    expect(withoutPrimary([50, 49])).toBe('open');
  });

  it('has the margin of the smallest effect by default, or 5 %', () => {
    const goals = open.goals.map(({ maxHarm: _, ...goal }) => goal);
    const marginOf = (smallestEffect: number | null) =>
      buildReport({ ...open, goals, smallestEffect }).goals[1]!.maxHarm;
    expect(marginOf(0.02)).toBe(0.02);
    expect(marginOf(null)).toBe(0.05);
  });
});

it.each(['frequentist', 'bayesian', 'group-sequential'] as const)(
  'guardrails are compared by an always-valid test if the method is %s',
  (engine) => {
    const input = test({ ...BETTER, guardrail: [500, 520] }, { plannedVisitors: 20_000 });
    const of = (method: typeof engine | 'sequential') =>
      buildReport({ ...input, statistics: { ...DEFAULT_STATISTICS, engine: method } }).goals;
    expect(of(engine)[1]!.metrics).toEqual(of('sequential')[1]!.metrics);
    expect(of(engine)[0]!.metrics).not.toEqual(of('sequential')[0]!.metrics);
  },
);
