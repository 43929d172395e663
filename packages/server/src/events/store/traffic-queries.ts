import type { TrafficDimension } from '@switchyard/core/api/traffic';

/** Values that a session must have; null: the session has none. */
export type TrafficFilters = Partial<Record<TrafficDimension, string | null>>;

/**
 * Query for the sessions that started in a period. The unit is the visitor; a session without a visitor is its own
 * unit. A session is a bot's if any of its collects came from one, or any of its exposures is marked so.
 */
export interface TrafficQuery {
  propertyId: string;
  /** Inclusive. */
  from: number;
  /** Exclusive. */
  to: number;
  /** All must match. */
  filters: TrafficFilters;
  /** Hosts of the property's pages, see `externalReferrer`. */
  ownHosts?: readonly string[];
  /** Goals whose amounts are revenue; default: all. */
  revenueGoalIds?: readonly string[];
}

export interface TrafficCountsQuery extends TrafficQuery {
  /** Start of each bucket, in order, the first at or before `from`; a bucket ends where the next one starts. */
  starts: readonly number[];
}

/** A non-empty bucket, with sessions of bots apart. */
export interface TrafficCounts extends VisitCounts {
  /** Start of the bucket. */
  at: number;
  bot: boolean;
  /** Sum over sessions: from the start to the latest event from the browser; without any, to the latest event. */
  durationMs: number;
  /**
   * Conversions, their amounts and feedback count in the bucket in which they happened, whenever their session started.
   * Without filters this includes those without a session.
   */
  conversions: number;
  /** Of revenue goals. */
  amountMicros: bigint;
  feedback: number;
}

/** Counts of sessions by the bucket in which they started. */
export interface VisitCounts {
  visitors: number;
  sessions: number;
  pageviews: number;
  /** Sessions with one page view and no custom event, conversion or feedback. */
  bounces: number;
}

export interface TrafficBreakdownQuery extends TrafficQuery {
  by: TrafficDimension;
  /** Either sessions of bots, or all others. */
  bot: boolean;
  limit: number;
}

export interface TrafficBreakdown {
  /** Most visitors first, then most sessions, then by value. By page, only views of that page count as page views. */
  rows: (VisitCounts & { value: string | null })[];
  /** Number of distinct values, including those beyond the limit. */
  values: number;
}

export interface LiveQuery {
  propertyId: string;
  /** Visitors with a collect or an exposure received at or after this time. */
  since: number;
  /** Max pages and max countries. */
  limit: number;
}

/** Visitors, without bots; lists are sorted like the rows of a breakdown. */
export interface LiveVisitors {
  visitors: number;
  /** By the page that they viewed last. */
  pages: LiveCount[];
  countries: LiveCount[];
}

export interface LiveCount {
  value: string | null;
  visitors: number;
}

export interface ParameterQuery {
  propertyId: string;
  /** Of a query parameter, as it is in URLs. */
  name: string;
  /** As they are in URLs. */
  values: readonly string[];
  /** Only page views from this time on. */
  from: number;
}

/** When the first and the last stored request of each kind was received; null without any. */
export type ReceivedTimes = Record<
  'session' | 'exposure' | 'goal' | 'feedback',
  { first: number; last: number } | null
>;
