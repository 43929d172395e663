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

  sessionPage(query: SessionPageQuery): Promise<SessionSummary[]>;
  session(propertyId: string, sessionId: string): Promise<SessionDetail | undefined>;
  sessionIdentity(propertyId: string, sessionId: string): Promise<SessionIdentity | undefined>;
  goalTotals(query: GoalQuery): Promise<GoalTotals>;
  goalSeries(query: GoalSeriesQuery): Promise<GoalBucket[]>;
  feedbackPage(query: FeedbackPageQuery): Promise<FeedbackEntry[]>;
  splitTestCounts(propertyId: string, splitTestKey: string): Promise<VariationCounts[]>;

  /** Removes everything about the subject, so that no byte of it stays in the store's files. */
  forget(subject: Subject): Promise<Erasure>;
  /** Deletes the events of a property from before the given time. */
  expire(propertyId: string, before: number): Promise<Erasure>;

  /** Throws when the store cannot answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Position in a list that runs newest first; the next page starts strictly after it. */
export interface Cursor {
  at: number;
  id: string;
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
}

export interface SessionIdentity {
  visitorId: string | null;
  userId: string | null;
}

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
  /** First exposure to each variation, oldest first. */
  exposures: { splitTestKey: string; variationKey: string; at: number }[];
  /** Net of reversals. */
  goals: { goalId: string; count: number; amountMicros: number }[];
  /** Number of feedback entries. */
  feedback: number;
}

export interface SessionDetail extends SessionSummary {
  /** Attributes of the latest collect that had any; JSON object text. */
  attributes: string | null;
  /** Oldest first. */
  timeline: TimelineEntry[];
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
  interval: 'hour' | 'day' | 'week';
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

export interface VariationCounts {
  variationKey: string;
  exposures: number;
  sessions: number;
  /** Distinct visitors; a session that was never tied to a visitor counts as one of its own. */
  visitors: number;
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
