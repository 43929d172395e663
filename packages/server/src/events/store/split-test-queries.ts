/**
 * Query for one phase of a split test. A session without a visitor is its own unit.
 *
 * A visitor enters the phase at the first exposure in it. Conversions from then on count, until `until` or until the
 * visitor is exposed in a later phase, whichever is first: so a conversion counts in at most one phase of a test. A
 * conversion of the same millisecond counts as after the exposure.
 */
export interface SplitTestQuery {
  propertyId: string;
  splitTestKey: string;
  /** In order; at most 120. Exposures to other variations are ignored. */
  variationKeys: readonly string[];
  /** Exposures without a phase are assigned by time: `from` inclusive, `to` exclusive. */
  phase: number;
  from: number;
  to: number;
  /** Exposures before this time are not of the test, but of an earlier one with the same key. Default: there was none. */
  beganAt?: number;
  /** When the phase started by the server's clock; 0 if it has not started. */
  startedAt: number;
  /**
   * Exposures from this time on are ignored, as are those received at or after `until`: what a browser shows after the
   * end of a phase does not change its results.
   */
  endsAt: number;
  /** Conversions before this time count. */
  until: number;
  /** Whether the test has phases before and after this one; without them, nothing needs to be looked up. */
  hasEarlierPhases: boolean;
  hasLaterPhases: boolean;
  /** `user`: visitors who are known to be the same user are one unit. Default: `visitor`. */
  unit?: SplitTestUnit;
  days: DayRange;
  goalIds: readonly string[];
  /** Revenue goals among them: after a partial refund the visitor still counts as converted. */
  revenueGoalIds?: readonly string[];
  /** Feedback that counts like conversions of a goal. */
  feedback?: readonly FeedbackGoal[];
  /** Visitors first exposed within this many days of the first exposure, by the server's clock, are early. */
  earlyDays: number;
  /**
   * What happened within this many days before a visitor's first exposure to any phase of the test, or of
   * `relatedTests`, is the covariate; 0: there is none.
   */
  preDays: number;
  /** Keys of other tests with the same seed: the visitor has seen the same variation there. */
  relatedTests?: readonly string[];
  /** Revenue goals of the property, for the covariate `revenue`; only with `preDays`. */
  covariateGoalIds?: readonly string[];
  /**
   * Amounts and counts beyond this quantile are capped to it. The quantile is that of the absolute values that are not
   * zero, of all counted visitors without crawlers, so both tails have the same cap, and so has the covariate.
   */
  winsorize?: number;
  /** Splits the visitors by attributes of their first exposure, by country, device, browser or os, or by another test. */
  by?: SegmentQuery;
}

/** For the entry of a visitor. */
export interface SplitTestEntryQuery extends SplitTestQuery {
  /** Counts only visitors of these variations; default: of all. */
  among?: readonly string[];
}

export type SplitTestUnit = 'visitor' | 'user';

/** Answers of a feedback type, or only those with an option; answers without a session are ignored. */
export interface FeedbackGoal {
  /** Id of the sums in the result; not the id of a goal. */
  goalId: string;
  feedbackTypeId: string;
  option?: string;
}

/**
 * The days of a series by what clocks show, as if it were UTC; both are midnights and inclusive. Earlier times count as
 * the day before `from`, later ones as `to`, because clients can send any date.
 */
export interface DayRange {
  from: number;
  to: number;
  /** Days per point, counted back from `to`; a point is labeled with its last day. */
  step: number;
  /** IANA name of the zone of the clocks; default: UTC. */
  timeZone?: string;
}

interface SegmentQuery {
  /** Literal names, not paths. With several, the segment is the JSON text of the array of their values. */
  attributes: readonly string[];
  /**
   * Instead of attributes, which are then empty: the variation that the visitor saw in a phase of another test; null
   * for visitors who are not in its results, and for crawlers there. Visitors are counted by the unit of the query.
   */
  test?: Omit<SplitTestPhase, 'unit'>;
  /** Number of segments counted separately, largest first; the others are combined. */
  max: number;
}

/** Longer attribute values are truncated to this length. */
export const MAX_SEGMENT_LENGTH = 200;

export interface SplitTestCounts {
  /** By day, UTC. */
  exposures: { at: number; variationKey: string; bot: boolean; exposures: number }[];
  groups: VisitorGroup[];
}

/** Visitors with the same variation and properties. */
export interface VisitorGroup {
  /** Null if they saw several variations in this phase; such visitors are excluded from results. */
  variationKey: string | null;
  /** What they saw first in this phase, the same as `variationKey` unless that is null; for the check of the split. */
  firstVariationKey: string;
  /** They saw another variation in an earlier phase, and are excluded from results; never for `variationKey` null. */
  moved: boolean;
  /** They were exposed in an earlier phase. */
  returning: boolean;
  bot: boolean;
  early: boolean;
  /** Attribute value; null if unknown, if `other` is set, or if the query is not segmented. */
  segment: string | null;
  /** The remaining segments, combined. */
  other: boolean;
  visitors: number;
  /** Of `visitors`; null without `preDays`. */
  before: VisitorsBefore | null;
  /** None for visitors who are excluded from results. */
  goals: GoalSums[];
}

/**
 * Sums over the visitors of a group, of what they did in the `preDays` before their first exposure to the test, in
 * sessions without such an exposure.
 */
export interface VisitorsBefore {
  /** Visitors with at least one session. */
  known: number;
  /** Number of sessions of a visitor. */
  sessions: number;
  sessionsSquares: number;
  /** Dollars of all `covariateGoalIds`; in all sessions. */
  revenue: number;
  revenueSquares: number;
  /** Dollars of the visitors with at least one session. */
  knownRevenue: number;
  /** Sessions times dollars. */
  product: number;
}

/** Sums over all visitors of a group; visitors without conversions count as zero. */
export interface GoalSums {
  goalId: string;
  /** Visitors with more conversions than reversals; for revenue goals, with positive net revenue. */
  converted: number;
  /** Conversions minus reversals. */
  conversions: ValueSums;
  /** Dollars minus refunds. */
  amount: ValueSums;
  /** Dollars of the converted visitors. */
  convertedAmount: number;
  /** Of the converted visitors: conversions, sessions and dollars before their first exposure; 1 for each who was known. */
  convertedCovariate: number;
  convertedKnown: number;
  convertedSessions: number;
  convertedRevenue: number;
}

/** `covariate` is the same value before the first exposure; the other members are as in `VisitorsBefore`. */
export interface ValueSums {
  sum: number;
  sumSquares: number;
  covariateSum: number;
  covariateSumSquares: number;
  /** Value times covariate. */
  covariateProduct: number;
  /** The value of visitors who were known, and its products with their sessions and revenue. */
  knownSum: number;
  sessionsProduct: number;
  revenueProduct: number;
  /** The covariate's products with the others. */
  covariateKnown: number;
  covariateSessions: number;
  covariateRevenue: number;
}

/** Daily increments; running totals give the state at the end of a day. Visitors who are excluded from results are not in it. */
export interface SplitTestSeries {
  visitors: { at: number; variationKey: string; bot: boolean; visitors: number }[];
  goals: GoalDay[];
}

export interface GoalDay {
  at: number;
  variationKey: string;
  bot: boolean;
  goalId: string;
  converted: number;
  conversions: { sum: number; sumSquares: number };
  amount: { sum: number; sumSquares: number };
}

/** What decides about the visitors of a phase, and about the time in which their outcomes count. */
export type SplitTestPhase = Pick<
  SplitTestQuery,
  | 'splitTestKey'
  | 'variationKeys'
  | 'phase'
  | 'from'
  | 'to'
  | 'beganAt'
  | 'endsAt'
  | 'until'
  | 'hasEarlierPhases'
  | 'hasLaterPhases'
  | 'unit'
>;

export type SplitTestFeedbackQuery = SplitTestPhase & {
  propertyId: string;
  /** Max messages per variation, latest first. */
  messages: number;
};

/** Feedback from visitors of a variation after their first exposure; excludes bots. */
export interface VariationFeedback {
  variationKey: string;
  options: { feedbackTypeId: string; option: string; count: number }[];
  messages: { feedbackTypeId: string; message: string; option: string | null; createdAt: number }[];
}
