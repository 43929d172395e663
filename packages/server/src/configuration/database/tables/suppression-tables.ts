/** What can be suppressed. Feedback and metadata are not looked at when events arrive, only after a restore. */
export type SuppressedKind = 'visitor' | 'user' | 'session' | 'feedback' | 'metadata';

export interface SuppressionTables {
  suppressions: SuppressionTable;
  suppression_state: SuppressionStateTable;
}

interface SuppressionTable {
  property_id: string;
  /** See `suppressionHash`. */
  hash: string;
  kind: SuppressedKind;
  /** That of the list when it was added. */
  revision: number;
  created_at: number;
}

/** One row, from the first entry on. */
interface SuppressionStateTable {
  id: number;
  salt: string;
  /** Incremented by every change. */
  revision: number;
  /** How often entries were removed. */
  lifted: number;
}
