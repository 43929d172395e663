import type { SessionIdentity, SessionSummary } from './session-summary.ts';

/**
 * What only some questions need to know of a visit, and takes longer to read: its first page view, its start, and
 * whether the visitor had an earlier session.
 */
export type VisitPart = 'entry' | 'start' | 'returning';

export interface SessionContextQuery {
  propertyId: string;
  /** Sessions that started within the period; `from` inclusive, `to` exclusive. */
  from: number;
  to: number;
  /** Names of the attributes to read; literal, not paths. */
  attributes: readonly string[];
  /** Default: none. */
  visit?: readonly VisitPart[];
  /** If there are more sessions, or more characters, only those of a random sample of the visitors are returned. */
  maxSessions: number;
  maxCharacters: number;
}

/** The sessions as columns, sorted by visitor; without those of bots and those without a visitor. */
export interface SessionContexts {
  /** Share of the visitors that is returned: 1, or less for a sample. */
  share: number;
  sessionIds: string[];
  visitorIds: string[];
  userIds: (string | null)[];
  /** Only with the part `start`. */
  startedAt?: number[];
  /** Only with the part `returning`. */
  returning?: boolean[];
  /** Index of the session's context in `contexts`. */
  contextIndexes: Uint32Array;
  /** Each combination once. */
  contexts: SessionAttributes[];
}

interface SessionAttributes
  extends Pick<SessionSummary, 'country' | 'device' | 'browser' | 'os'>,
    Partial<VisitEntry> {
  /** JSON array text: the values in the order of the query, null for those that are missing. */
  attributes: string;
}

/** The first page view; both are there with the part `entry`. */
export interface VisitEntry {
  entryUrl: string | null;
  /** As the page sent it: it may be a page of the property itself. */
  referrer: string | null;
}

export interface KnownSessionQuery {
  propertyId: string;
  sessionIds: readonly string[];
  /** Names of the attributes to read; literal, not paths. */
  attributes: readonly string[];
  /** Default: none. */
  visit?: readonly VisitPart[];
}

export interface SessionKnowledge extends SessionIdentity, SessionAttributes {
  sessionId: string;
  /** Only with the part `start`. */
  startedAt?: number;
  /** Only with the part `returning`. */
  returning?: boolean;
}
