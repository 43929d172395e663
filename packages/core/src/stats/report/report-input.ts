import type { StatisticsSettings } from '../../api/statistics.ts';
import type { Pause } from '../../lifecycle/phases.ts';

export type GoalRole = 'primary' | 'secondary' | 'guardrail';

/** A goal, or feedback, and its role in the test. */
export type ReportGoal = {
  readonly id: string;
  readonly name: string;
  readonly lowerIsBetter: boolean;
  readonly role: GoalRole;
} & (
  | { readonly kind: 'count' | 'revenue' }
  | {
      readonly kind: 'feedback';
      readonly feedbackTypeId: string;
      /** The share of this option among those who answered; null: the share of visitors who answered. */
      readonly option: string | null;
    }
);

/** Sums of one value per visitor, and of the same value before the first exposure (the covariate). */
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

/** Visitors with the same variation and attributes; `variationKey` is null for those who saw several variations. */
export interface ReportGroup {
  readonly variationKey: string | null;
  readonly bot: boolean;
  /** First exposed in the first days of the phase. */
  readonly early: boolean;
  readonly visitors: number;
  readonly goals: readonly ReportGoalSums[];
}

/** The complete input of a report: the same input always gives the same report. */
export interface ReportInput {
  readonly variations: readonly { readonly key: string; readonly weight: number }[];
  /** The primary goal first. */
  readonly goals: readonly ReportGoal[];
  readonly statistics: StatisticsSettings;
  /** Relative effect on the primary goal. */
  readonly smallestEffect: number | null;
  /** For all variations together. */
  readonly plannedVisitors: number | null;
  readonly includeBots: boolean;
  /** Code of the currency that amounts are shown in, without conversion; default: USD. */
  readonly currency?: string;
  readonly groups: readonly ReportGroup[];
  /** By UTC day; all days before `startedAt` may be counted as one. */
  readonly exposures: readonly {
    readonly at: number;
    readonly variationKey: string;
    readonly bot: boolean;
    readonly exposures: number;
  }[];
  /** Start of the phase by the server clock, at most a year ago; health ignores earlier days. */
  readonly startedAt: number;
  /** Null while the phase is running. */
  readonly endedAt: number | null;
  /** Pauses of the phase; default: none. */
  readonly pauses?: readonly Pause[];
  /** Time of the counts. */
  readonly asOf: number;
}
