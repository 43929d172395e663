import { UNIT_PREFIX } from '@switchyard/core/evaluation/exposed-unit';

/**
 * A validated request in the journal; one record per request that got a 200 response, two for a collect with exposures.
 * Times are Unix milliseconds. JSON objects are stored as JSON text, so they are not parsed again.
 */
export type AcceptedRequest = AcceptedExposures | AcceptedConversion | AcceptedFeedback | AcceptedCollect;

interface Accepted {
  propertyId: string;
  receivedAt: number;
  /** Set by `exportEntries`: what is left of the expired events of its sessions. */
  remains?: SessionRemains[];
}

/** What is kept of the expired events of a session, as long as it has others. */
export interface SessionRemains {
  sessionId: string;
  startedAt: number;
  /** Set if a crawler sent one of its exposures. */
  bot?: true;
  /** The first page view, if it has expired. */
  entry?: ExpiredView;
  /** The last page view, if it has expired. */
  exit?: Pick<ExpiredView, 'at' | 'url'>;
}

export interface ExpiredView {
  at: number;
  url?: string;
  referrer?: string;
}

export interface AcceptedExposures extends Accepted {
  kind: 'exposures';
  exposures: Exposure[];
}

export interface Exposure {
  splitTestKey: string;
  variationKey: string;
  sessionId: string;
  /** When the visitor saw it: client time, or the time of receipt if the client time is implausible. */
  at: number;
  /** The client time, if it was implausible. */
  clientAt?: number;
  /** The phase of the test whose definition the client used, if it sent one. */
  phase?: number;
  /** Set for crawlers and headless browsers. */
  bot?: true;
  /** JSON object text. */
  attributes?: string;
}

/**
 * Whether a session only stands for a visitor or user whom a measured rule was evaluated for without a session. It has
 * exposures and collects without events, and no start: it is no visit, so no list, filter or figure of visits has it.
 */
export const isUnitSession = (sessionId: string): boolean => sessionId.startsWith(UNIT_PREFIX);

/** The same as an SQL condition on `session_id`, in the dialects of both engines. */
export const IS_UNIT_SESSION = `session_id LIKE '${UNIT_PREFIX}%'`;

export interface AcceptedConversion extends Accepted {
  kind: 'conversion';
  goalId: string;
  sessionId?: string;
  /** 1 for an increment, -1 for a decrement. */
  direction: 1 | -1;
  /** Signed, so that a sum over rows is the net amount; 0 without an amount. */
  amountMicros: number;
  /** JSON object text. */
  metadata?: string;
  /** Derived from the idempotency key, 32 hex digits: the same event on two nodes has the same id. */
  eventId?: string;
}

export interface AcceptedFeedback extends Accepted {
  kind: 'feedback';
  /** Unique in the property; with an idempotency key derived from it, so that two nodes give it the same id. */
  id: string;
  feedbackTypeId: string;
  sessionId?: string;
  option?: string;
  message?: string;
  /** JSON object text. */
  metadata?: string;
}

/** `device` of crawlers and headless browsers. */
export const BOT_DEVICE = 'bot';

export interface AcceptedCollect extends Accepted {
  kind: 'collect';
  sessionId: string;
  visitorId: string;
  userId?: string;
  /** JSON object text. */
  attributes?: string;
  country?: string;
  device: string;
  browser: string;
  os: string;
  /** If there are none, the collect itself counts as activity of the session, at the time of its receipt. */
  events: CollectedEvent[];
  /**
   * The collect does not count as activity: it only names the visitor of a unit session or, if set by `exportEntries`, all
   * of its events were deleted since.
   */
  expired?: true;
}

export interface CollectedEvent {
  type: 'pageview' | 'event' | 'identify';
  at: number;
  /** The client time, if it was implausible. */
  clientAt?: number;
  name?: string;
  url?: string;
  referrer?: string;
  title?: string;
  /** JSON object text. */
  properties?: string;
}

/** An accepted request with its journal position. */
export interface JournalEntry {
  seq: number;
  request: AcceptedRequest;
}
