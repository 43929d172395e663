import { DEFAULT_STATISTICS } from '../api/statistics.ts';
import { type Comparison, NO_COMPARISON } from '../stats/comparison.ts';
import {
  NONE_BEFORE,
  noGoalSums,
  type VariationCounts,
  type VisitorCounts,
} from '../stats/report/report-counts.ts';
import type {
  CountedGoal,
  ReportGoalSums,
  ReportGroup,
  ReportInput,
  ReportSums,
} from '../stats/report/report-input.ts';
import type { MetricName } from '../stats/report/report-metrics.ts';
import { DAY_MS } from '../time.ts';

export const START = Date.UTC(2026, 0, 1);

export const dayAt = (day: number) => START + day * DAY_MS;

export const goalOf = (id: string, more: Partial<CountedGoal> = {}): CountedGoal =>
  ({ id, name: `Goal ${id}`, kind: 'count', lowerIsBetter: false, role: 'primary', ...more }) as CountedGoal;

/** Zero but for the given members. */
export function sumsOf(
  goalId: string,
  { conversions, amount, ...more }: GivenSums | Partial<ReportGoalSums> = {},
): ReportGoalSums {
  const none = noGoalSums(goalId);
  return {
    ...none,
    ...more,
    conversions: { ...none.conversions, ...conversions },
    amount: { ...none.amount, ...amount },
  };
}

type GivenSums = Partial<Omit<ReportGoalSums, 'conversions' | 'amount'>> & {
  readonly conversions?: Partial<ReportSums>;
  readonly amount?: Partial<ReportSums>;
};

/** Visitors who converted once each. */
export const convertedOnce = (goalId: string, converted: number): ReportGoalSums =>
  sumsOf(goalId, { converted, conversions: { sum: converted, sumSquares: converted } });

export const groupOf = (
  variationKey: string | null,
  visitors: number,
  more: Partial<ReportGroup> = {},
): ReportGroup => ({ variationKey, bot: false, early: false, visitors, goals: [], ...more });

export const countsOf = (
  key: string,
  visitors: number,
  more: Partial<VisitorCounts> & { strata?: readonly VisitorCounts[] } = {},
): VariationCounts => ({ key, visitors, before: NONE_BEFORE, goals: new Map(), strata: [], ...more });

/** A test of "control" and "b", without any exposure, ten days after its start. */
export const inputOf = (groups: readonly ReportGroup[], more: Partial<ReportInput> = {}): ReportInput => ({
  variations: ['control', 'b'].map((key) => ({ key, weight: 1 })),
  goals: [goalOf('signup')],
  statistics: DEFAULT_STATISTICS,
  smallestEffect: null,
  plannedVisitors: null,
  includeBots: false,
  groups,
  exposures: [],
  startedAt: START,
  endedAt: null,
  asOf: dayAt(10),
  ...more,
});

/** A goal whose metric decides; next to it is one that does not. */
export const comparedGoalOf = (
  name: string,
  metric: MetricName,
  variations: readonly ({ key: string; mean: number | null } & Partial<Comparison>)[],
) => ({
  goal: goalOf('x', { name, kind: metric === 'conversion-rate' ? 'count' : 'revenue' }),
  counts: [],
  metrics: [
    { metric: 'conversions-per-visitor' as const, decides: false, variations: [] },
    {
      metric,
      decides: true,
      variations: variations.map((given) => ({ ...NO_COMPARISON, n: 1, adjustedPValue: null, ...given })),
    },
  ],
});
