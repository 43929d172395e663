/** Whom or what to erase. */
export type Subject = PersonalSubject | { propertyId: string; everything: true };

/** Somebody, or single entries, of one property. */
export type PersonalSubject = { propertyId: string } & (
  | { visitorId: string }
  /** Also the visitors who were this user and no other. */
  | { userId: string }
  | { sessionId: string }
  | { feedbackId: string }
  /** Conversions and feedback with this pair, whatever their session; the session itself stays. */
  | { metadata: MetadataPair }
);

export interface MetadataPair {
  key: string;
  value: string;
}

/** What belongs to a subject. */
export interface SubjectContents {
  visitors: number;
  sessions: number;
  /** Page views and other events of sessions. */
  events: number;
  exposures: number;
  conversions: number;
  feedback: number;
}

export interface SubjectSessionsQuery {
  subject: PersonalSubject;
  limit: number;
  /** Sessions after this id, as text. */
  after?: string;
}

export interface Erasure {
  /** Deleted rows of all event types. */
  rows: number;
}

/**
 * Texts of which stored metadata contains one if it has the pair. It is JSON without spaces whose values are texts, so
 * that what is before a name is a brace or a comma, and inside of a text it would be a backslash.
 */
export function metadataTexts({ key, value }: MetadataPair): [string, string] {
  const pair = `${JSON.stringify(key)}:${JSON.stringify(value)}`;
  return [`{${pair}`, `,${pair}`];
}
