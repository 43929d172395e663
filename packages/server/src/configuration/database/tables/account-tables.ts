import type { Role } from '@switchyard/core/api/roles';

export interface AccountTables {
  accounts: AccountTable;
  account_sessions: AccountSessionTable;
  recovery_codes: RecoveryCodeTable;
  access_tokens: AccessTokenTable;
  invitations: InvitationTable;
  oidc_starts: OidcStartTable;
  deleted_accounts: DeletedAccountTable;
}

interface AccountTable {
  id: string;
  /** In lower case. */
  email: string;
  name: string;
  /** Argon2id in the PHC format; null: signs in with OpenID Connect only. */
  password_hash: string | null;
  is_owner: number;
  /** Base32. */
  two_factor_secret: string | null;
  /** Null: enrolment is not finished, and no code is asked for. */
  two_factor_confirmed_at: number | null;
  /** Time step of the last accepted code: no code works twice. */
  two_factor_last_step: number | null;
  oidc_issuer: string | null;
  oidc_subject: string | null;
  disabled_at: number | null;
  created_at: number;
}

interface AccountSessionTable {
  id: string;
  /** SHA-256 of the cookie, hex. */
  hash: string;
  account_id: string;
  created_at: number;
  /** Up to five minutes old. */
  last_seen_at: number;
  user_agent: string | null;
  address: string;
}

/** Deleted when used. */
interface RecoveryCodeTable {
  account_id: string;
  /** SHA-256, hex. */
  hash: string;
}

interface AccessTokenTable {
  id: string;
  account_id: string;
  name: string;
  /** SHA-256 of the whole token, hex. */
  hash: string;
  prefix: string;
  last_four: string;
  role: Role;
  /** JSON array of property ids; null: all properties of the account. */
  properties: string | null;
  expires_at: number;
  created_at: number;
  /** Up to a minute old. */
  last_used_at: number | null;
}

interface InvitationTable {
  id: string;
  /** SHA-256 of the token, hex. */
  hash: string;
  property_id: string;
  email: string;
  role: 'viewer' | 'editor' | 'admin';
  /** Account id. */
  invited_by: string;
  created_at: number;
  expires_at: number;
  used_at: number | null;
  revoked_at: number | null;
}

/** Deleted when used. */
interface OidcStartTable {
  /** SHA-256 of the cookie, hex. */
  hash: string;
  created_at: number;
}

/** What is left of a deleted account: the number by which the history calls it. */
interface DeletedAccountTable {
  number: number;
  account_id: string;
  deleted_at: number;
}
