/**
 * What the journal keeps: one record per request that was answered with 200, already validated.
 * Times are Unix milliseconds. Text fields that came as JSON objects stay JSON text, so nobody parses them twice.
 */
export type AcceptedRequest = AcceptedExposures | AcceptedConversion | AcceptedFeedback | AcceptedCollect;

interface Accepted {
  propertyId: string;
  receivedAt: number;
}

export interface AcceptedExposures extends Accepted {
  kind: 'exposures';
  exposures: Exposure[];
}

export interface Exposure {
  splitTestKey: string;
  variationKey: string;
  sessionId: string;
  /** When the visitor saw it, by the client's clock unless that is implausible. */
  at: number;
  /** What the client's clock said, if that was implausible. */
  clientAt?: number;
  /** The phase of the test whose definition the client went by, if it said so. */
  phase?: number;
  /** A crawler or a browser without a window saw it. */
  bot?: true;
  /** JSON object text. */
  attributes?: string;
}

export interface AcceptedConversion extends Accepted {
  kind: 'conversion';
  goalId: string;
  sessionId?: string;
  /** 1 for an increment, -1 for a decrement. */
  direction: 1 | -1;
  /** Signed, so that a sum over rows is the net amount; 0 when no amount was given. */
  amountMicros: number;
  /** JSON object text. */
  metadata?: string;
}

export interface AcceptedFeedback extends Accepted {
  kind: 'feedback';
  id: string;
  feedbackTypeId: string;
  sessionId?: string;
  option?: string;
  message?: string;
  /** JSON object text. */
  metadata?: string;
}

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
  events: CollectedEvent[];
}

export interface CollectedEvent {
  type: 'pageview' | 'event' | 'identify';
  at: number;
  /** What the client's clock said, if that was implausible. */
  clientAt?: number;
  name?: string;
  url?: string;
  referrer?: string;
  title?: string;
  /** JSON object text. */
  properties?: string;
}

/** An accepted request with its place in the journal. */
export interface JournalEntry {
  seq: number;
  request: AcceptedRequest;
}
