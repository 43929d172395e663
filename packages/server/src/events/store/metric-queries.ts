import type { SplitTestQuery } from './split-test-queries.ts';

/** What is added up per visitor. */
export type MetricValue =
  | { readonly goalId: string; readonly of: 'count' | 'sum' }
  /** Page views; null: of any page, also without a URL. See `pageExpression`. */
  | { readonly path: string | null }
  /** Custom events with this name. */
  | { readonly event: string };

/**
 * Amounts of conversions in dollars, without reversals, or a numeric property of custom events: a JSON number, by its
 * literal name. Events without one have no value.
 */
export type MeasuredValue =
  | { readonly goalId: string }
  | { readonly event: string; readonly property: string };

/** Reversals of a goal are no step. */
export type FunnelStep = { readonly goalId: string } | { readonly path: string } | { readonly event: string };

/** A metric of the visitors of a phase. Times are counted from the first exposure of each visitor, in milliseconds. */
export type MetricTerm = {
  readonly metricId: string;
} & (
  | {
      readonly kind: 'mean';
      readonly value: MetricValue;
      /** Only what happened before this; null: until the end of the phase, as for goals. */
      readonly withinMs: number | null;
      /** Larger values of a visitor count as this; null: no cap. In dollars for sums. */
      readonly cap: number | null;
    }
  | {
      readonly kind: 'ratio';
      readonly numerator: MetricValue;
      readonly denominator: MetricValue;
      readonly withinMs: number | null;
      /** Of the numerator. */
      readonly cap: number | null;
    }
  /**
   * Active (or with a conversion of the goal, also if it is reversed later) from `fromMs` inclusive to `toMs` exclusive.
   * Exposures to any test and what pages collect are activity; conversions and feedback, which servers send, are not.
   */
  | {
      readonly kind: 'retention';
      readonly fromMs: number;
      readonly toMs: number;
      readonly goalId: string | null;
    }
  /**
   * Steps in this order, each at the time of the one before it or later. An event is one step at most: each step takes
   * the earliest event that is left; of several at the same time, the one that matches the fewest last steps.
   */
  | { readonly kind: 'funnel'; readonly steps: readonly FunnelStep[]; readonly withinMs: number }
  /**
   * Sessions with a single page view, of sessions that begin with a page view (of this path; null: any) after the
   * exposure. Only page views within the time of the visitor count.
   */
  | { readonly kind: 'bounce'; readonly path: string | null; readonly withinMs: number | null }
  | {
      readonly kind: 'quantile';
      readonly quantile: number;
      readonly value: MeasuredValue;
      readonly withinMs: number | null;
    }
);

export interface SplitTestMetricsQuery
  extends Omit<
    SplitTestQuery,
    'goalIds' | 'revenueGoalIds' | 'feedback' | 'by' | 'winsorize' | 'preDays' | 'earlyDays'
  > {
  /** Each with another `metricId`. */
  readonly metrics: readonly MetricTerm[];
  /** Visitors whose window is not over at this time are pending. */
  readonly now: number;
}

/** In any order. */
export interface MetricCounts {
  /** None for quantiles. */
  readonly groups: readonly MetricGroup[];
  /** One per quantile, variation and `includeBots`, also without visitors. */
  readonly quantiles: readonly QuantileEstimate[];
}

/** Visitors with the same variation and properties; only those who count in the results of the phase. */
export interface MetricGroup extends MetricSums {
  readonly metricId: string;
  readonly variationKey: string;
  readonly returning: boolean;
  readonly bot: boolean;
}

export interface MetricSums {
  /** Whose window is over; all, without a window. The sums are theirs. */
  readonly visitors: number;
  /** Whose window is not over yet: they are in no sum. */
  readonly pending: number;
  /** With a value above 0; of a funnel: who completed it. */
  readonly reached: number;
  /** Of a ratio and of bounces: the numerator. Sums in dollars. 1 for who was retained or completed a funnel. */
  readonly value: { readonly sum: number; readonly sumSquares: number };
  /** Only of ratios and bounces; otherwise zeros. */
  readonly denominator: { readonly sum: number; readonly sumSquares: number };
  readonly product: number;
  /** Only of funnels: visitors who reached each step. */
  readonly steps?: readonly number[];
}

/** A quantile of the values of all visitors of a variation, whose values are not independent. */
export interface QuantileEstimate extends QuantileSpread {
  readonly metricId: string;
  readonly variationKey: string;
  /** With or without crawlers: there are estimates for both. */
  readonly includeBots: boolean;
  readonly pending: number;
}

export interface QuantileSpread {
  /** With at least one value. */
  readonly visitors: number;
  readonly values: number;
  /** Null without values. */
  readonly value: number | null;
  /** By visitor; null with fewer than two visitors with values. */
  readonly standardError: number | null;
}

/**
 * A metric across a property, regardless of tests; input for planning a test. The time of a visitor, also of a crawler,
 * starts with their first session in the period. Only events before `to` count, and windows that are over by then.
 */
export interface MetricBaselineQuery {
  readonly propertyId: string;
  readonly metric: MetricTerm;
  /** Visitors with a session that started from this time on, */
  readonly from: number;
  /** and before this time. */
  readonly to: number;
}

/** Of a quantile, its spread. */
export type MetricBaseline = MetricSums | QuantileSpread;
