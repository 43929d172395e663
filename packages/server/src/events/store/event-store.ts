import type { JournalEntry } from './accepted-request.ts';
import type { AssignmentCounts, AssignmentQuery } from './assignment-queries.ts';
import type { EventChecksum } from './checksum-text.ts';
import type { ConversionPageQuery, StoredConversion } from './conversion-queries.ts';
import type {
  Erasure,
  PersonalSubject,
  Subject,
  SubjectContents,
  SubjectSessionsQuery,
} from './erasure-subject.ts';
import type { FeedbackFilter, FeedbackSummary, FeedbackSummaryQuery } from './feedback-queries.ts';
import type { ZonedInterval } from './goal-buckets.ts';
import type {
  MetricBaseline,
  MetricBaselineQuery,
  MetricCounts,
  SplitTestMetricsQuery,
} from './metric-queries.ts';
import type { Cursor, Page, TimelineCursor } from './page.ts';
import type { SessionConditions } from './session-conditions.ts';
import type {
  KnownSessionQuery,
  SessionContextQuery,
  SessionContexts,
  SessionKnowledge,
} from './session-context-queries.ts';
import type { SessionIdentity, SessionSummary } from './session-summary.ts';
import type {
  SplitTestCounts,
  SplitTestEntryQuery,
  SplitTestFeedbackQuery,
  SplitTestQuery,
  SplitTestSeries,
  VariationFeedback,
} from './split-test-queries.ts';
import type {
  LiveQuery,
  LiveVisitors,
  ParameterQuery,
  ReceivedTimes,
  TrafficBreakdown,
  TrafficBreakdownQuery,
  TrafficCounts,
  TrafficCountsQuery,
} from './traffic-queries.ts';

/** The source of the journal of an embedded installation; that of a node is its id. */
export const LOCAL_SOURCE = 'local';

/**
 * A source without entries, in stores that several nodes share: its position grows with every `forget` and `expire`
 * that deleted something, so that other nodes notice.
 */
export const ERASURES_SOURCE = 'erasures';

/** The last stored position of each source. */
export type Positions = Readonly<Record<string, number>>;

/**
 * The questions that can be asked about events, from any thread. A signal after the arguments cancels a query. A further
 * question needs a function of each engine, in its `all-queries.ts`, and a test in `event-store.contract.ts`.
 */
export interface EventQueries {
  /** Position of the last stored entry of a source; 0 if there is none. */
  watermark(source: string): Promise<number>;
  positions(): Promise<Positions>;

  sessionPage(query: SessionPageQuery): Promise<Page<SessionSummary>>;
  session(query: SessionQuery): Promise<SessionDetail | undefined>;
  sessionIdentity(propertyId: string, sessionId: string): Promise<SessionIdentity | undefined>;
  goalTotals(query: GoalQuery): Promise<GoalTotals>;
  goalSeries(query: GoalSeriesQuery): Promise<GoalBucket[]>;
  /** Newest first. */
  conversionPage(query: ConversionPageQuery): Promise<Page<StoredConversion, TimelineCursor>>;
  feedbackPage(query: FeedbackPageQuery): Promise<Page<FeedbackEntry>>;
  feedbackCount(query: FeedbackFilter): Promise<number>;
  feedbackSummary(query: FeedbackSummaryQuery): Promise<FeedbackSummary>;
  /** Number of events of all kinds, for whoever is about to delete them. */
  eventCount(propertyId: string): Promise<number>;
  /** Which of the entries exist, and when they were submitted; in any order. */
  feedbackTimes(propertyId: string, ids: readonly string[]): Promise<FeedbackTime[]>;
  /** By source, then in order of arrival, which is not always the order of time. */
  newFeedback(query: NewFeedbackQuery): Promise<NewFeedback>;
  // Those with a signal scan many visitors.
  splitTestCounts(query: SplitTestQuery, signal?: AbortSignal): Promise<SplitTestCounts>;
  /** In the background, so that counting later takes less; engines that keep nothing do nothing. */
  countAhead(query: SplitTestQuery, signal?: AbortSignal): Promise<void>;
  splitTestSeries(query: SplitTestQuery, signal?: AbortSignal): Promise<SplitTestSeries>;
  /**
   * When the visitor with this number entered the phase; the first is 1. Only visitors who count, without crawlers;
   * undefined if there are fewer.
   */
  splitTestEntry(
    query: SplitTestEntryQuery,
    number: number,
    signal?: AbortSignal,
  ): Promise<number | undefined>;
  splitTestFeedback(query: SplitTestFeedbackQuery, signal?: AbortSignal): Promise<VariationFeedback[]>;
  /** Of the visitors who count in `splitTestCounts`. Nothing is kept: windows end with time. */
  splitTestMetrics(query: SplitTestMetricsQuery, signal?: AbortSignal): Promise<MetricCounts>;
  goalBaseline(query: GoalBaselineQuery, signal?: AbortSignal): Promise<GoalBaseline>;
  /** Of the visitors whom `goalBaseline` counts. */
  metricBaseline(query: MetricBaselineQuery, signal?: AbortSignal): Promise<MetricBaseline>;
  /** In any order. */
  trafficCounts(query: TrafficCountsQuery, signal?: AbortSignal): Promise<TrafficCounts[]>;
  trafficBreakdown(query: TrafficBreakdownQuery, signal?: AbortSignal): Promise<TrafficBreakdown>;
  liveVisitors(query: LiveQuery, signal?: AbortSignal): Promise<LiveVisitors>;
  /**
   * Which of the values a query parameter had in URLs of page views, without crawlers, in the order of the query. Of a
   * URL that has several of them, the first one.
   */
  parameterValues(query: ParameterQuery, signal?: AbortSignal): Promise<string[]>;
  /** Cheap enough for polling. */
  receivedTimes(propertyId: string): Promise<ReceivedTimes>;
  /** Runs in the background: other queries do not wait for it. */
  assignmentCounts(query: AssignmentQuery, signal?: AbortSignal): Promise<AssignmentCounts>;
  /** What flags can be evaluated with, for all sessions of a period. */
  sessionContexts(query: SessionContextQuery, signal?: AbortSignal): Promise<SessionContexts>;
  /** What flags can be evaluated with, for some sessions; in any order, without those that were not collected. */
  knownSessions(query: KnownSessionQuery): Promise<SessionKnowledge[]>;

  /**
   * Sessions with a collect after these positions, in any order; undefined if there are more than `limit`. For caches
   * of identities: another node may have stored them.
   */
  collectedSessions(after: Positions, limit: number): Promise<CollectedSession[] | undefined>;

  /**
   * What a source has stored after a position, as it was appended, in order; without what was deleted since. Fewer
   * than `limit` entries are the last ones. For moving events to another store.
   */
  exportEntries(source: string, after: number, limit: number): Promise<JournalEntry[]>;
  /**
   * In any order; the same on every engine, see `checksum-text.ts`.
   *
   * @param upTo only entries up to these positions, and only of these sources
   */
  checksums(upTo?: Positions): Promise<EventChecksum[]>;

  /** How much `forget` would delete. */
  subjectContents(subject: PersonalSubject, signal?: AbortSignal): Promise<SubjectContents>;
  /** The sessions that `forget` would delete, in the order of their ids as text. */
  subjectSessions(query: SubjectSessionsQuery): Promise<string[]>;
  /** The visitors that `forget` would delete with all their sessions, in the order of their ids as text. */
  subjectVisitors(subject: PersonalSubject): Promise<string[]>;
}

/**
 * Interface of the analytics store: append batches, run predefined queries, erase.
 * Every engine passes `event-store.contract.ts`.
 *
 * A source is the name of a journal, a position the `seq` of an entry in it. Entries of one source arrive in order,
 * those of different sources in any order. Events of the same time are ordered by source, compared as text, then by
 * position, then by their order in the request.
 *
 * Identity is resolved at query time: the visitor of a session is the one in its latest `collect`, its user the one in
 * the latest `collect` with a user. The latest is by time of receipt, then source, then position. This also covers
 * events that arrive before their session.
 */
export interface EventStore extends EventQueries {
  /**
   * Whether a failed `append` must be repeated with exactly the same entries, because it may have stored some of them.
   * Otherwise it stores all or nothing.
   */
  readonly repeatsBatches: boolean;
  /**
   * Stores the entries of a source and its watermark; skips entries at or below the watermark, and conversions and
   * feedback that another source has stored with the same event id; if they were not received in the order in which
   * they are stored, which one is kept depends on the engine.
   *
   * @param isOld the same entries may have been appended in part, minutes or days ago; only for stores that repeat batches
   */
  append(source: string, entries: readonly JournalEntry[], isOld?: boolean): Promise<void>;

  /**
   * Erases all data of the subjects from the store's files in one pass. Returns one result per subject, in order;
   * rows that belong to several subjects count for the first.
   */
  forget(subjects: readonly Subject[]): Promise<Erasure[]>;
  /**
   * Deletes events of a property older than the given time. A session keeps its start, whether it is a crawler's, and
   * its first and last page view until its last event is deleted.
   */
  expire(propertyId: string, before: number): Promise<Erasure>;
  /**
   * Rewrites the files without deleted rows, if some were deleted almost a day before this time. `expire` does so only
   * when it pays off. Returns whether it did.
   */
  removeRemains(now: number): Promise<boolean>;
  /**
   * Days for which events are kept, by property; properties that are not named keep theirs. For engines that delete
   * old data by themselves; `expire` stays exact.
   */
  setRetention(days: ReadonlyMap<string, number>): Promise<void>;

  /**
   * Reads the whole store in steps and calls `pause` with the duration of each. Throws a `StorageError` with the code
   * `STORE_DAMAGED` when it finds damage, as do all queries.
   */
  verify(pause: (tookMs: number) => Promise<unknown>): Promise<void>;
  /** Keeps the files copyable in their present state, until `releaseFiles`; events can still be appended. */
  holdFiles(): Promise<HeldFiles>;
  releaseFiles(): Promise<void>;
  /** Throws when the store is unavailable. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The state of the store that its files, with this much of the log, contain. */
export interface HeldFiles {
  positions: Positions;
  logBytes: number;
}

export interface SessionPageQuery extends SessionConditions {
  propertyId: string;
  /** Hosts of the property's pages, see `externalReferrer`. */
  ownHosts?: readonly string[];
  /** Sessions that started at or after this time. */
  from?: number;
  /** Sessions that started before this time. */
  to?: number;
  limit: number;
  after?: Cursor;
  /**
   * Lists sessions with the start they had at these positions: later entries do not move it. A session whose start
   * moved back while a client pages through the list would otherwise appear twice. Sessions that are newer than that
   * are listed too, with any start that they have had since.
   */
  asOf?: Positions;
}

export interface SessionQuery {
  propertyId: string;
  /** Hosts of the property's pages, see `externalReferrer`. */
  ownHosts?: readonly string[];
  sessionId: string;
  /** Max timeline entries. */
  limit: number;
  after?: TimelineCursor;
}

export interface SessionDetail extends SessionSummary {
  /** Attributes of the latest collect with attributes; JSON object text. */
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
  /** Only conversions of crawlers' sessions, or only the others; those without a session are nobody's. Default: all. */
  bot?: boolean;
}

/** Counts and amounts by direction; amounts are sums of micro-dollars, both non-negative. */
export interface GoalTotals {
  increments: number;
  decrements: number;
  incrementedMicros: bigint;
  decrementedMicros: bigint;
}

/** Either the intervals of a time zone, with weeks from Monday on, or buckets that start at these times, in order. */
export type GoalSeriesQuery = GoalQuery & (ZonedInterval | { starts: readonly number[] });

/** A non-empty bucket. */
export interface GoalBucket extends GoalTotals {
  at: number;
}

export interface FeedbackPageQuery extends FeedbackFilter {
  limit: number;
  after?: Cursor;
}

export type FeedbackTime = Pick<FeedbackEntry, 'id' | 'createdAt'>;

export interface FeedbackEntry extends SessionIdentity {
  id: string;
  feedbackTypeId: string;
  sessionId: string | null;
  option: string | null;
  message: string | null;
  /** JSON object text. */
  metadata: string | null;
  createdAt: number;
  /** Whether its session is a crawler's. */
  bot: boolean;
}

export interface NewFeedbackQuery {
  propertyId: string;
  /** Entries after these positions; of a source that is not named, all. */
  after: Positions;
  /** Entries from this time on. */
  from?: number;
  /** The list also ends when its rows reach `PAGE_BYTES`. */
  limit: number;
}

export interface NewFeedback {
  entries: FeedbackEntry[];
  /** Where to continue. */
  next: Positions;
}

export interface CollectedSession {
  propertyId: string;
  sessionId: string;
}

export interface GoalBaselineQuery extends Omit<GoalQuery, 'bot'> {
  /** After a partial refund the visitor still counts as converted. */
  isRevenue?: boolean;
}

/** Conversion of a goal across a property, regardless of tests; input for planning a test. */
export interface GoalBaseline {
  /** Visitors with a session that started within the period. */
  visitors: number;
  converted: number;
  conversions: { sum: number; sumSquares: number };
  amount: { sum: number; sumSquares: number };
}
