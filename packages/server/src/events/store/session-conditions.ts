import type { SplitTestPhase } from './split-test-queries.ts';

/** Conditions on the sessions of a list, apart from their start; all must match. */
export interface SessionConditions {
  visitorId?: string;
  userId?: string;
  /** Sessions with an exposure to this test. */
  splitTestKey?: string;
  variationKey?: string;
  /** Sessions with an exposure in one phase of a test, by what their visitor saw and did. */
  exposed?: ExposedSessions;
  /** Sessions with a conversion or a reversal of this goal. */
  goalId?: string;
  /** Values of the latest collect; `null`: unknown, or there is no collect. */
  country?: string | null;
  device?: string | null;
  browser?: string | null;
  os?: string | null;
  /** Sessions with a view of this page, that is of a URL with this path; `null`: of an unknown page. */
  page?: string | null;
  bot?: boolean;
  /** Whether they have feedback; with a type, feedback of this type. Default with a type: true. */
  hasFeedback?: boolean;
  feedbackTypeId?: string;
}

/** Visitors and their conversions are those of `SplitTestQuery`, so these sessions are the ones behind the results. */
export interface ExposedSessions extends SplitTestPhase {
  /** The session has an exposure to this variation. */
  variationKey?: string;
  /** Whether the visitor saw several variations in the phase. */
  multipleVariations?: boolean;
  /** Whether the visitor converted in the phase. */
  converted?: {
    goalId: string;
    /** After a partial refund the visitor still counts as converted. */
    isRevenue: boolean;
    value: boolean;
  };
}
