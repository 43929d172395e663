import type { Interval } from '@switchyard/core/api/goals';
import type { JournalEntry } from './accepted-request.ts';

/**
 * The port to the analytical store: append a batch, ask a named question.
 * Every engine passes `event-store.contract.ts`.
 *
 * Identity is resolved when a question is asked: the visitor of a session is the one its latest `collect` named,
 * its user the latest one that was named at all. Events that arrive before their session are attributed too.
 */
export interface EventStore {
  /** Journal position of the last entry stored; 0 in an empty store. */
  watermark(): Promise<number>;
  /** Stores the entries and moves the watermark in one step; entries at or below the watermark are skipped. */
  append(entries: readonly JournalEntry[]): Promise<void>;

  sessionPage(query: SessionPageQuery): Promise<Page<SessionSummary>>;
  session(query: SessionQuery): Promise<SessionDetail | undefined>;
  sessionIdentity(propertyId: string, sessionId: string): Promise<SessionIdentity | undefined>;
  goalTotals(query: GoalQuery): Promise<GoalTotals>;
  goalSeries(query: GoalSeriesQuery): Promise<GoalBucket[]>;
  feedbackPage(query: FeedbackPageQuery): Promise<Page<FeedbackEntry>>;
  // These read all visitors of a test, so they can be cancelled.
  splitTestCounts(query: SplitTestQuery, signal?: AbortSignal): Promise<SplitTestCounts>;
  splitTestSeries(query: SplitTestQuery, signal?: AbortSignal): Promise<SplitTestSeries>;
  splitTestFeedback(query: SplitTestFeedbackQuery, signal?: AbortSignal): Promise<VariationFeedback[]>;
  goalBaseline(query: GoalBaselineQuery, signal?: AbortSignal): Promise<GoalBaseline>;

  /**
   * Removes everything about the subjects in one pass, so that no byte of it stays in the store's files. Answers in
   * their order; what belongs to several counts for the first of them.
   */
  forget(subjects: readonly Subject[]): Promise<Erasure[]>;
  /** Deletes the events of a property from before the given time. */
  expire(propertyId: string, before: number): Promise<Erasure>;

  /**
   * Reads everything that is stored, piece by piece, and calls `pause` with the time that each took. Throws a
   * `StorageError` with the code `STORE_DAMAGED` when something cannot be read as it was written; so does any question.
   */
  verify(pause: (tookMs: number) => Promise<unknown>): Promise<void>;
  /** Throws when the store cannot answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A page ends at its limit, or earlier where its rows would take more than `PAGE_BYTES`. `next` is the position after
 * which the following page starts; undefined on the last page.
 */
export interface Page<Row, Position = Cursor> {
  rows: Row[];
  next: Position | undefined;
}

/** What the rows of a page may take as JSON, the last one not counted. */
export const PAGE_BYTES = 1024 * 1024;

/** Position in a list that runs newest first. */
export interface Cursor {
  at: number;
  id: string;
}

/** Position in a timeline: its time, and the order of arrival among events of the same time. */
export interface TimelineCursor {
  at: number;
  ordinal: number;
}

export interface SessionPageQuery {
  propertyId: string;
  /** Sessions that started at or after this time. */
  from?: number;
  /** Sessions that started before this time. */
  to?: number;
  visitorId?: string;
  userId?: string;
  splitTestKey?: string;
  variationKey?: string;
  goalId?: string;
  limit: number;
  after?: Cursor;
  /**
   * Sessions stand where they stood at this watermark, and start as they did then: one that turned out to be older
   * since would come twice in the pages of one list.
   */
  asOf?: number;
}

export interface SessionQuery {
  propertyId: string;
  sessionId: string;
  /** Of the timeline. */
  limit: number;
  after?: TimelineCursor;
}

export interface SessionIdentity {
  visitorId: string | null;
  userId: string | null;
}

/** Exposures, and goals, that the summary of a session lists. */
export const MAX_LISTED = 100;

export interface SessionSummary extends SessionIdentity {
  sessionId: string;
  /** Earliest event of the session. */
  startedAt: number;
  /** Latest sign of the browser; of anything, when no browser was ever heard. */
  lastSeenAt: number;
  entryUrl: string | null;
  exitUrl: string | null;
  referrer: string | null;
  pageviews: number;
  events: number;
  country: string | null;
  device: string | null;
  browser: string | null;
  os: string | null;
  /** First exposure to each variation, oldest first; the first `MAX_LISTED` of them. */
  exposures: { splitTestKey: string; variationKey: string; at: number }[];
  /** Net of reversals; the first `MAX_LISTED` that were reached. */
  goals: { goalId: string; count: number; amountMicros: number }[];
  /** Number of feedback entries. */
  feedback: number;
}

export interface SessionDetail extends SessionSummary {
  /** Attributes of the latest collect that had any; JSON object text. */
  attributes: string | null;
  /** Oldest first. */
  timeline: Page<TimelineEntry, TimelineCursor>;
}

export type TimelineEntry = { at: number } & (
  | {
      type: 'pageview' | 'event' | 'identify';
      name?: string;
      url?: string;
      referrer?: string;
      title?: string;
      properties?: string;
    }
  | { type: 'exposure'; splitTestKey: string; variationKey: string; attributes?: string }
  | { type: 'goal'; goalId: string; count: 1 | -1; amountMicros: number; metadata?: string }
  | {
      type: 'feedback';
      id: string;
      feedbackTypeId: string;
      option?: string;
      message?: string;
      metadata?: string;
    }
);

export interface GoalQuery {
  propertyId: string;
  goalId: string;
  /** Inclusive. */
  from: number;
  /** Exclusive. */
  to: number;
}

/** Counts and amounts by direction; amounts are sums of micro-dollars, both non-negative. */
export interface GoalTotals {
  increments: number;
  decrements: number;
  incrementedMicros: bigint;
  decrementedMicros: bigint;
}

export interface GoalSeriesQuery extends GoalQuery {
  interval: Interval;
}

/** One bucket that has events; buckets are aligned to UTC, weeks start on Monday. */
export interface GoalBucket {
  at: number;
  /** Increments less decrements. */
  count: number;
  amountMicros: bigint;
}

export interface FeedbackPageQuery {
  propertyId: string;
  feedbackTypeId?: string;
  option?: string;
  sessionId?: string;
  from?: number;
  to?: number;
  limit: number;
  after?: Cursor;
}

export interface FeedbackEntry extends SessionIdentity {
  id: string;
  feedbackTypeId: string;
  sessionId: string | null;
  option: string | null;
  message: string | null;
  /** JSON object text. */
  metadata: string | null;
  createdAt: number;
}

/**
 * One phase of a split test. The unit is the visitor; a session that was never tied to one counts as its own. The
 * first exposure decides: what a visitor did before it counts for nothing but the covariate.
 */
export interface SplitTestQuery {
  propertyId: string;
  splitTestKey: string;
  /** In their order; at most 120. Whatever else was shown is left out. */
  variationKeys: readonly string[];
  /** An exposure that names a phase belongs to it; any other one by its time: `from` inclusive, `to` exclusive. */
  phase: number;
  from: number;
  to: number;
  /** When the phase started by the server's clock; 0 when it never did. */
  startedAt: number;
  /** Conversions before this time count. */
  until: number;
  days: DayRange;
  goalIds: readonly string[];
  /** Those of them that are about money: part of it given back leaves a visitor converted. */
  revenueGoalIds?: readonly string[];
  /** Visitors of so many days from the first exposure on, by the server's clock, are the early ones. */
  earlyDays: number;
  /** Conversions of this many days before the first exposure are the covariate. */
  preDays: number;
  /** Values above this quantile of the converted visitors' values are cut to it. */
  winsorize?: number;
  /** Splits the visitors by an attribute of their first exposure, or by country, device, browser or os. */
  by?: SegmentQuery;
}

/**
 * Days that are counted separately; both are midnight UTC and inclusive. Everything earlier is counted as the day
 * before `from`, everything later as `to`, because clients can send any date.
 */
export interface DayRange {
  from: number;
  to: number;
  /** Days per point, counted back from `to`; a point is named by its last day. */
  step: number;
}

interface SegmentQuery {
  /** A literal name, not a path. */
  attribute: string;
  /** The largest segments are counted separately, all others as one. */
  max: number;
}

/** Longer values of an attribute that share this prefix are one segment. */
export const MAX_SEGMENT_LENGTH = 200;

export interface SplitTestCounts {
  /** By day, UTC. */
  exposures: { at: number; variationKey: string; bot: boolean; exposures: number }[];
  groups: VisitorGroup[];
}

/** Visitors alike in what they saw and are. */
export interface VisitorGroup {
  /** Null: they saw several, so they are no evidence for any. */
  variationKey: string | null;
  bot: boolean;
  early: boolean;
  /** Value of the attribute that was asked for; null when it is unknown, `other`, or was not asked for. */
  segment: string | null;
  /** All segments beyond the largest. */
  other: boolean;
  visitors: number;
  goals: GoalSums[];
}

/** Sums over the visitors of a group; those who did nothing are zeros in them. */
export interface GoalSums {
  goalId: string;
  /** Visitors with more conversions than reversals; of a revenue goal, who spent more than they got back. */
  converted: number;
  /** Of conversions less reversals. */
  conversions: ValueSums;
  /** Of dollars less refunds. */
  amount: ValueSums;
  /** Dollars of the converted visitors, and their conversions before the first exposure. */
  convertedAmount: number;
  convertedCovariate: number;
}

export interface ValueSums {
  sum: number;
  sumSquares: number;
  covariateSum: number;
  covariateSumSquares: number;
  covariateProduct: number;
}

/** What each day of the range added, UTC; running totals give the state at the end of each day. Visitors of several variations are left out. */
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

export type SplitTestFeedbackQuery = Omit<
  SplitTestQuery,
  'startedAt' | 'days' | 'goalIds' | 'revenueGoalIds' | 'earlyDays' | 'preDays' | 'winsorize' | 'by'
> & {
  /** Latest messages of each variation, at most. */
  messages: number;
};

/** What the visitors of a variation said after they saw it; bots are left out. */
export interface VariationFeedback {
  variationKey: string;
  options: { feedbackTypeId: string; option: string; count: number }[];
  messages: { feedbackTypeId: string; message: string; option: string | null; createdAt: number }[];
}

export interface GoalBaselineQuery extends GoalQuery {
  /** About money: part of it given back leaves a visitor converted. */
  isRevenue?: boolean;
}

/** How a goal does in a property, tests aside: what a plan for a test starts from. */
export interface GoalBaseline {
  /** Visitors with a session that started in the period. */
  visitors: number;
  converted: number;
  conversions: { sum: number; sumSquares: number };
  amount: { sum: number; sumSquares: number };
}

export type Subject = { propertyId: string } & (
  | { visitorId: string }
  | { userId: string }
  | { sessionId: string }
);

export interface Erasure {
  /** Rows removed, over all kinds of events. */
  rows: number;
}
