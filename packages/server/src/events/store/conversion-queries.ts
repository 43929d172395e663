import type { TimelineCursor } from './page.ts';
import type { SessionIdentity } from './session-summary.ts';

export interface ConversionPageQuery {
  propertyId: string;
  goalId?: string;
  /** 1: only increments. -1: only decrements. */
  direction?: 1 | -1;
  /** Only conversions of crawlers' sessions, or only the others; those without a session are nobody's. */
  bot?: boolean;
  sessionId?: string;
  /** Conversions of sessions whose latest visitor is this one. */
  visitorId?: string;
  /** Conversions of sessions whose latest user is this one. */
  userId?: string;
  /** Inclusive. */
  from?: number;
  /** Exclusive. */
  to?: number;
  limit: number;
  after?: TimelineCursor;
}

export interface StoredConversion extends SessionIdentity {
  source: string;
  /** Unique among all events of its source, and stable. */
  ordinal: number;
  goalId: string;
  direction: 1 | -1;
  /** Negative for a decrement. */
  amountMicros: number;
  sessionId: string | null;
  /** JSON object text. */
  metadata: string | null;
  at: number;
  /** Whether its session is a crawler's. */
  bot: boolean;
}
