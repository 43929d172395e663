import type { StatisticsSettings } from '../../api/statistics.ts';
import type { Pause } from '../../lifecycle/phases.ts';

export type GoalRole = 'primary' | 'secondary' | 'guardrail';

/** A goal, or feedback, and its role in the test. */
export type ReportGoal = {
  readonly id: string;
  readonly name: string;
  readonly lowerIsBetter: boolean;
  readonly role: GoalRole;
  /** For guardrails: the relative harm that must be excluded; default: the smallest effect of the test. */
  readonly maxHarm?: number | undefined;
} & (
  | { readonly kind: 'count' | 'revenue' }
  | {
      readonly kind: 'feedback';
      readonly feedbackTypeId: string;
      /** The share of this option among those who answered; null: the share of visitors who answered. */
      readonly option: string | null;
    }
  | {
      readonly kind: 'metric';
      /** `metric:<id>` is the id of the goal; this is the id of the metric alone. */
      readonly metricId: string;
      readonly definition: ReportMetric;
    }
);

export type MetricGoal = Extract<ReportGoal, { kind: 'metric' }>;

/** Everything else, which is counted together with the visitors. */
export type CountedGoal = Exclude<ReportGoal, { kind: 'metric' }>;

/** What a report needs to know about a metric. */
export interface ReportMetric {
  readonly kind: 'count' | 'sum' | 'ratio' | 'retention' | 'funnel' | 'quantile' | 'page' | 'event';
  /** Of pages: `visitors` (default), `views` or `bounce`. Of events: `visitors` (default) or `count`. */
  readonly of?: 'visitors' | 'views' | 'bounce' | 'count';
  readonly quantile?: number;
  readonly format: 'number' | 'money' | 'seconds' | 'percent';
  /** Names of the steps of a funnel. */
  readonly steps?: readonly string[];
  /** Days after the first exposure; null: until the end of the phase. */
  readonly withinDays: number | null;
  /** Of retention: the first day. */
  readonly fromDay?: number;
  /** Of retention: the name of the goal that is reached then; missing for any visit. */
  readonly goalName?: string;
}

/** Sums of one value per visitor. */
export interface MetricValueSums {
  readonly sum: number;
  readonly sumSquares: number;
}

/** Visitors with the same variation and properties; only those who count in the results of the phase. */
export interface ReportMetricGroup {
  readonly metricId: string;
  readonly variationKey: string;
  readonly returning: boolean;
  readonly bot: boolean;
  /** Whose window is over; all, without a window. The sums are theirs. */
  readonly visitors: number;
  /** Whose window is not over yet: they are in no sum. */
  readonly pending: number;
  /** With a value above 0; of a funnel: who completed it. */
  readonly reached: number;
  /** Of a ratio and of bounces: the numerator. Sums in dollars. */
  readonly value: MetricValueSums;
  /** Only of ratios and bounces; otherwise zeros. */
  readonly denominator: MetricValueSums;
  readonly product: number;
  /** Only of funnels: visitors who reached each step. */
  readonly steps?: readonly number[];
}

/** A quantile of the values of all visitors of a variation, whose values are not independent. */
export interface ReportQuantile {
  readonly metricId: string;
  readonly variationKey: string;
  /** With or without crawlers: there are estimates for both. */
  readonly includeBots: boolean;
  /** With at least one value. */
  readonly visitors: number;
  readonly pending: number;
  readonly values: number;
  /** Null without values. */
  readonly value: number | null;
  /** By visitor; null with fewer than two visitors with values. */
  readonly standardError: number | null;
}

/** What was counted for the goals of the kind `metric`. */
export interface ReportMetrics {
  readonly groups: readonly ReportMetricGroup[];
  readonly quantiles: readonly ReportQuantile[];
}

/**
 * Sums of one value per visitor, and of the same value before the first exposure (the covariate). The optional members
 * are sums of products with what the visitor did before, see `VisitorsBefore`; default: 0.
 */
export interface ReportSums {
  readonly sum: number;
  readonly sumSquares: number;
  readonly covariateSum: number;
  readonly covariateSumSquares: number;
  readonly covariateProduct: number;
  readonly knownSum?: number;
  readonly sessionsProduct?: number;
  readonly revenueProduct?: number;
  readonly covariateKnown?: number;
  readonly covariateSessions?: number;
  readonly covariateRevenue?: number;
}

export interface ReportGoalSums {
  readonly goalId: string;
  readonly converted: number;
  readonly conversions: ReportSums;
  readonly amount: ReportSums;
  readonly convertedAmount: number;
  readonly convertedCovariate: number;
  readonly convertedKnown?: number;
  readonly convertedSessions?: number;
  readonly convertedRevenue?: number;
}

/** Sums over visitors, of what they did in the days before their first exposure to the test. */
export interface VisitorsBefore {
  /** Visitors with at least one session. */
  readonly known: number;
  readonly sessions: number;
  readonly sessionsSquares: number;
  readonly revenue: number;
  readonly revenueSquares: number;
  /** Revenue of the visitors with at least one session. */
  readonly knownRevenue: number;
  /** Sessions times revenue. */
  readonly product: number;
}

/** Visitors with the same variation and attributes; `variationKey` is null for those who saw several variations. */
export interface ReportGroup {
  readonly variationKey: string | null;
  /** What they saw first; default: `variationKey`. */
  readonly firstVariationKey?: string;
  /** They saw another variation in an earlier phase, and are not counted; default: false. */
  readonly moved?: boolean;
  /** They were exposed in an earlier phase; default: false. */
  readonly returning?: boolean;
  readonly bot: boolean;
  /** First exposed in the first days of the phase. */
  readonly early: boolean;
  /** What `stratify` separates them by; null if unknown. Default: null. */
  readonly segment?: string | null;
  /** One of many small segments that are counted together; default: false. */
  readonly other?: boolean;
  readonly visitors: number;
  readonly before?: VisitorsBefore | null;
  readonly goals: readonly ReportGoalSums[];
}

/** A normal prior of the relative effect, and the number of finished tests it was learnt from. */
export interface LearnedPrior {
  readonly mean: number;
  readonly sd: number;
  readonly tests: number;
}

export interface ReportVariation {
  readonly key: string;
  readonly weight: number;
  /** Taken out of the test: it is still compared, but nothing is decided or checked about it. */
  readonly retired?: boolean | undefined;
}

/** The complete input of a report: the same input always gives the same report. */
export interface ReportInput {
  readonly variations: readonly ReportVariation[];
  /** The primary goal first. */
  readonly goals: readonly ReportGoal[];
  readonly statistics: StatisticsSettings;
  /** Relative effect on the primary goal. */
  readonly smallestEffect: number | null;
  /** For all variations together, without those that are retired. */
  readonly plannedVisitors: number | null;
  readonly includeBots: boolean;
  /** Code of the currency that amounts are shown in, without conversion; default: USD. */
  readonly currency?: string;
  readonly groups: readonly ReportGroup[];
  /** Missing if no goal is a metric. */
  readonly metrics?: ReportMetrics;
  /**
   * When the planned number of visitors was reached, and the counts of the visitors until then: a method that relies on
   * the plan decides with these, because going on would raise its error rate. Missing until then.
   */
  readonly plannedEnd?: {
    readonly at: number;
    readonly groups: readonly ReportGroup[];
    /** Of the same visitors, as of now: windows that end later are waited for. */
    readonly metrics?: ReportMetrics;
  };
  /** For the Bayesian method, if the settings have no prior; default: a weak one. */
  readonly learnedPrior?: LearnedPrior;
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
