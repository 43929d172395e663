import type { SessionIdentity, SessionSummary } from './session-summary.ts';

export interface SessionContextQuery {
  propertyId: string;
  /** Sessions that started within the period; `from` inclusive, `to` exclusive. */
  from: number;
  to: number;
  /** Names of the attributes to read; literal, not paths. */
  attributes: readonly string[];
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
  /** Index of the session's context in `contexts`. */
  contextIndexes: Uint32Array;
  /** Each combination once. */
  contexts: SessionAttributes[];
}

interface SessionAttributes extends Pick<SessionSummary, 'country' | 'device' | 'browser' | 'os'> {
  /** JSON array text: the values in the order of the query, null for those that are missing. */
  attributes: string;
}

export interface KnownSessionQuery {
  propertyId: string;
  sessionIds: readonly string[];
  /** Names of the attributes to read; literal, not paths. */
  attributes: readonly string[];
}

export interface SessionKnowledge extends SessionIdentity, SessionAttributes {
  sessionId: string;
}
