import type { ZonedInterval } from './goal-buckets.ts';

/** All conditions must match. */
export interface FeedbackFilter {
  propertyId: string;
  feedbackTypeId?: string;
  option?: string;
  hasMessage?: boolean;
  /** Part of the message; ignores case. */
  search?: string;
  sessionId?: string;
  /** Entries of sessions whose latest visitor is this one. */
  visitorId?: string;
  /** Entries of sessions whose latest user is this one. */
  userId?: string;
  /**
   * Entries of visitors who had been exposed to this test when they submitted them; a session without a visitor is its
   * own visitor.
   */
  splitTestKey?: string;
  /** With `splitTestKey`: who had been exposed to this variation. */
  variationKey?: string;
  /** Only entries of crawlers' sessions, or only the others; those without a session are nobody's. */
  bot?: boolean;
  /** Inclusive. */
  from?: number;
  /** Exclusive. */
  to?: number;
  /** Only these entries. */
  ids?: readonly string[];
  /** All but these entries. */
  exceptIds?: readonly string[];
}

export interface FeedbackSummaryQuery extends FeedbackFilter, ZonedInterval {}

/** Max types and max options in a summary. */
export const MAX_COUNTED = 100;

export interface FeedbackSummary {
  total: number;
  withMessage: number;
  /** The `MAX_COUNTED` types with the most entries. */
  types: { feedbackTypeId: string; total: number; withMessage: number }[];
  /** The `MAX_COUNTED` options that were chosen most. */
  options: { feedbackTypeId: string; option: string; count: number }[];
  /** Non-empty buckets, oldest first; `counts` has one number per option, in their order. */
  series: { at: number; total: number; counts: number[] }[];
}
