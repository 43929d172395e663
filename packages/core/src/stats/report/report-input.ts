import type { StatisticsSettings } from '../../api/statistics.ts';
import type { Pause } from '../../lifecycle/phases.ts';

export type GoalRole = 'primary' | 'secondary' | 'guardrail';

/** A goal as the test looks at it. */
export interface ReportGoal {
  readonly id: string;
  readonly name: string;
  readonly kind: 'count' | 'revenue';
  readonly lowerIsBetter: boolean;
  readonly role: GoalRole;
}

/** Sums of one value per visitor, and of the same before the first exposure. */
export interface ReportSums {
  readonly sum: number;
  readonly sumSquares: number;
  readonly covariateSum: number;
  readonly covariateSumSquares: number;
  readonly covariateProduct: number;
}

export interface ReportGoalSums {
  readonly goalId: string;
  readonly converted: number;
  readonly conversions: ReportSums;
  readonly amount: ReportSums;
  readonly convertedAmount: number;
  readonly convertedCovariate: number;
}

/** Visitors alike in what they saw and are; those who saw several variations have none. */
export interface ReportGroup {
  readonly variationKey: string | null;
  readonly bot: boolean;
  /** Came in the first days of the phase. */
  readonly early: boolean;
  readonly visitors: number;
  readonly goals: readonly ReportGoalSums[];
}

/** All that a report is made of: from the same input it always comes out the same, anywhere. */
export interface ReportInput {
  readonly variations: readonly { readonly key: string; readonly weight: number }[];
  /** The primary goal first. */
  readonly goals: readonly ReportGoal[];
  readonly statistics: StatisticsSettings;
  /** Relative, of the primary goal. */
  readonly smallestEffect: number | null;
  /** Of all variations together. */
  readonly plannedVisitors: number | null;
  readonly includeBots: boolean;
  readonly groups: readonly ReportGroup[];
  /** By UTC day; all days before `startedAt` may be counted as one. */
  readonly exposures: readonly {
    readonly at: number;
    readonly variationKey: string;
    readonly bot: boolean;
    readonly exposures: number;
  }[];
  /** When the phase started by the server's clock, or a year ago if that is later; health ignores earlier days. */
  readonly startedAt: number;
  /** Null while the phase runs. */
  readonly endedAt: number | null;
  /** Of the phase; none when absent. */
  readonly pauses?: readonly Pause[];
  /** When the counts were taken. */
  readonly asOf: number;
}
