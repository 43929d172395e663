import type { Actor, Via } from '../../property/actor.ts';
import type { EntityType } from '../../property/entities.ts';

export type HistoryAction = 'create' | 'update' | 'delete';

export interface HistoryTables {
  members: MemberTable;
  webhooks: WebhookTable;
  history: HistoryTable;
  history_snapshots: HistorySnapshotTable;
  clock_corrections: ClockCorrectionTable;
  audit_log: AuditLogTable;
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
  /** By the clock of the server, which can be set back. */
  at: number;
  /** The same time, or a later one if the clock was set back: later versions have later times. */
  ordered_at: number;
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
  /** Of the commitment; null: text was redacted. */
  salt: string | null;
  /** SHA-256 of the salt and the original text: name of the actor, comment and changes; hex. */
  commitment: string;
  /** SHA-256 of the entry, with the commitment instead of the text, and of the hash before it; hex. */
  hash: string;
}

/** An entry that was already in force at a time by the clock, although its own time is later: the clock was set back. */
interface ClockCorrectionTable {
  property_id: string;
  sequence: number;
  at: number;
}

/** What gives access: keys, the roles of members, accounts and access tokens. */
export type AuditKind = 'key' | 'member' | 'account' | 'token';

/** What gives access, and redactions, as a chain of its own: the last row of a subject has what is stored now. */
interface AuditLogTable {
  /** Position in the chain, from 1. */
  sequence: number;
  at: number;
  kind: AuditKind | 'redaction';
  /** An id, or for members and redactions that of the property, a slash, and the account or the sequence. */
  subject: string;
  /** Null if the subject was deleted. */
  salt: string | null;
  /** SHA-256 of the salt and of what is stored; null: deleted. */
  digest: string | null;
  /** SHA-256 of this row, without its salt, and of the hash before it; hex. */
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
