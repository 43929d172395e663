import type { Actor, Via } from '../changes/actor.ts';
import type { EntityType } from '../changes/entities.ts';
import type { HistoryAction } from '../history/history-entry.ts';

export interface HistoryTables {
  members: MemberTable;
  webhooks: WebhookTable;
  history: HistoryTable;
  history_snapshots: HistorySnapshotTable;
  proposals: ProposalTable;
  created_resources: CreatedResourceTable;
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
  actor_type: Actor['type'];
  actor_id: string | null;
  actor_name: string;
  via: Via;
  entity_type: EntityType;
  entity_key: string;
  action: HistoryAction;
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

/** A change that waits for approval, or was decided. */
interface ProposalTable {
  id: string;
  property_id: string;
  state: 'open' | 'approved' | 'rejected';
  collection: string;
  key: string;
  method: 'PUT' | 'PATCH' | 'DELETE';
  /** JSON object. */
  body: string | null;
  /** Version that the author saw; null if the item did not exist. */
  base_version: number | null;
  comment: string | null;
  /** JSON array of strings. */
  summary: string;
  author_id: string | null;
  author_name: string;
  created_at: number;
  decided_by: string | null;
  decided_at: number | null;
}

/** What was created by requests with an `Idempotency-Key`, for 24 hours. */
interface CreatedResourceTable {
  /** SHA-256 of the account and the key. */
  id: string;
  request_hash: string;
  status: number;
  /** JSON, without secrets. */
  response: string;
  created_at: number;
}
