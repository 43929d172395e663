import { AA_VARIATIONS } from '../lifecycle/aa-test.ts';
import { AA_STATISTICS } from '../stats/report/aa-method.ts';
import { type AaVerdictInput, aaVerdict } from '../stats/report/aa-verdict.ts';
import { buildReport } from '../stats/report/report.ts';
import type { ReportGoal, ReportInput } from '../stats/report/report-input.ts';
import { DAY_MS } from '../time.ts';
import { goalOf, START, sumsOf } from './report-cases.ts';

export const aaGoal = (id: string, kind: 'count' | 'revenue' = 'count'): ReportGoal =>
  goalOf(id, { name: id, kind, role: 'secondary' });

/** What was counted of one variation. */
export interface Side {
  visitors: number;
  /** Converted visitors by goal. */
  converted?: Record<string, number>;
  /** Dollars of each converted visitor. */
  dollars?: number;
}

/** The verdict on a round of ten days. */
export function aaVerdictOn(
  [a, b]: readonly [Side, Side],
  goals: readonly ReportGoal[] = [aaGoal('signup')],
  more: Partial<AaVerdictInput> & { mixed?: number; exposures?: ReportInput['exposures'] } = {},
) {
  const { mixed = 0, exposures = [], mode = 'assignment', share = 1 } = more;
  const groups = [a, b].map(({ visitors, converted = {}, dollars = 0 }, index) => ({
    variationKey: AA_VARIATIONS[index]!.key as string | null,
    bot: false,
    early: false,
    visitors,
    goals: Object.entries(converted).map(([id, number]) =>
      sumsOf(id, {
        converted: number,
        conversions: { sum: number, sumSquares: number },
        amount: { sum: number * dollars, sumSquares: number * dollars ** 2 },
      }),
    ),
  }));
  const report = buildReport({
    variations: AA_VARIATIONS,
    goals,
    statistics: AA_STATISTICS,
    exposures,
    smallestEffect: null,
    plannedVisitors: null,
    includeBots: false,
    endedAt: null,
    groups: [...groups, { ...groups[0]!, variationKey: null, visitors: mixed, goals: [] }],
    startedAt: START,
    asOf: START + 10 * DAY_MS,
  });
  return aaVerdict({ mode, share, report });
}

export const side = (visitors: number, signup: number, more: Record<string, number> = {}): Side => ({
  visitors,
  converted: { signup, ...more },
});
