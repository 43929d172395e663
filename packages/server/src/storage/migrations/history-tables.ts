export interface HistoryTables {
  members: MemberTable;
  webhooks: WebhookTable;
  history: HistoryTable;
  history_snapshots: HistorySnapshotTable;
}

interface MemberTable {
  property_id: string;
  account_id: string;
  role: 'viewer' | 'editor' | 'admin';
  version: number;
  position: number;
  created_at: number;
}

interface WebhookTable {
  property_id: string;
  id: string;
  name: string | null;
  url: string;
  /** JSON array of event types. */
  events: string;
  enabled: number;
  secret: string;
  version: number;
  position: number;
  created_at: number;
}

interface HistoryTable {
  id: string;
  property_id: string;
  /** Position in the chain of the property, from 1. */
  sequence: number;
  at: number;
  actor_type: 'account' | 'token' | 'operator' | 'system';
  actor_id: string | null;
  actor_name: string;
  via: 'dashboard' | 'token' | 'cli' | 'file' | 'schedule';
  entity_type: string;
  entity_key: string;
  action: 'create' | 'update' | 'delete';
  comment: string | null;
  /** JSON array of `{pointer, before, after}`. */
  changes: string;
  /** Of the item. */
  version: number;
  /** Of the property; entries of one change share it. */
  property_version: number;
  /** SHA-256 of the entry and of the hash before it, hex. */
  hash: string;
}

/** The configuration after an entry, so that no rebuild starts from the beginning. */
interface HistorySnapshotTable {
  property_id: string;
  sequence: number;
  /** JSON. */
  state: string;
}
