export interface SessionIdentity {
  visitorId: string | null;
  userId: string | null;
}

/** Max exposures and max goals in the summary of a session. */
export const MAX_LISTED = 100;

export interface SessionSummary extends SessionIdentity {
  sessionId: string;
  /** Earliest event of the session, even if that has expired. */
  startedAt: number;
  /** Latest event from the browser; without any, the latest event of any kind. */
  lastSeenAt: number;
  /** Of the first page view, even if that has expired; null without a URL. */
  entryUrl: string | null;
  /** Of the last page view. */
  exitUrl: string | null;
  /** Of the first page view; null if it is a page of the property itself, see `externalReferrer`. */
  referrer: string | null;
  pageviews: number;
  events: number;
  country: string | null;
  device: string | null;
  browser: string | null;
  os: string | null;
  /** Whether a crawler sent one of its exposures or collects, even if that has expired. */
  bot: boolean;
  /** First exposure to each variation, oldest first; at most `MAX_LISTED`. */
  exposures: { splitTestKey: string; variationKey: string; at: number }[];
  /** Net of reversals; the `MAX_LISTED` goals reached first. */
  goals: { goalId: string; count: number; amountMicros: number }[];
  /** Number of feedback entries. */
  feedback: number;
}
