import type { MemberRole } from '@switchyard/core/api/roles';
import type { Database } from '../../configuration/database/database.ts';
import type { Member, PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { Changed, ChangeRequest } from '../../configuration/writer/configuration-writer.ts';
import type { Authentication } from '../../http/access/authentication.ts';
import type { IdempotentCreation } from '../../http/contract/idempotent-creation.ts';
import type { BrowserSessions } from './browser-sessions.ts';
import type { AccountDeletion } from './delete-account.ts';
import type { OidcClient } from './oidc-client.ts';
import type { OwnerRecord } from './owner-record.ts';
import type { PasswordHasher } from './password-hasher.ts';
import type { AttemptCounter } from './sign-in-throttle.ts';

/** Throws if the membership is not the one that the caller has seen. */
type MemberCheck = (database: Database, known: Member | undefined) => Promise<void>;

/** Memberships are part of the configuration of a property, so their changes are written with its history. */
export interface MemberWriter {
  /** Creates or changes the membership; does nothing if the property does not exist anymore. */
  saveMember(
    propertyId: string,
    accountId: string,
    role: MemberRole,
    by: ChangeRequest,
    check?: MemberCheck,
  ): Promise<Changed>;
  /** Throws `not_found` if the account is not a member. */
  removeMember(
    propertyId: string,
    accountId: string,
    by: ChangeRequest,
    check?: MemberCheck,
  ): Promise<Changed>;
}

/** What the routes of accounts share. */
export interface AccountServices {
  auth: Authentication;
  database: Database;
  hasher: PasswordHasher;
  throttle: AttemptCounter;
  sessions: BrowserSessions;
  ownerRecord: OwnerRecord;
  members: MemberWriter;
  idempotency: IdempotentCreation;
  dryRunResponse: (changed: Changed) => object;
  properties: () => PropertyConfiguration[];
  /** Deletes everything about an account, for good. */
  deleteAccount: (accountId: string, by: ChangeRequest) => Promise<AccountDeletion>;
  /** A session or token has ended, or an account has fewer rights; resolves when its streams have ended here. */
  accessChanged: () => Promise<void>;
  /** When the oldest event was received that figures lack because the event store was unavailable. */
  dataDelayedSince: () => number | undefined;
  publicUrl: string | undefined;
  /** Undefined if OpenID Connect is not set up. */
  oidc: OidcClient | undefined;
  warn: (details: object, message: string) => void;
}
