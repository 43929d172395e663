import type { MemberRole } from '@switchyard/core/api/roles';
import type { Authentication } from '../../http/authentication.ts';
import type { Actor, Via } from '../../storage/changes/actor.ts';
import type { Database } from '../../storage/database.ts';
import type { PropertyConfiguration } from '../../storage/property-configuration.ts';
import type { BrowserSessions } from './browser-sessions.ts';
import type { OidcClient } from './oidc-client.ts';
import type { PasswordHasher } from './password-hasher.ts';
import type { SignInThrottle } from './sign-in-throttle.ts';

interface ChangedBy {
  actor: Actor;
  via: Via;
}

/** Memberships are part of the configuration of a property, so their changes are written with its history. */
export interface MemberWriter {
  /** Creates or changes the membership. */
  saveMember(propertyId: string, accountId: string, role: MemberRole, by: ChangedBy): Promise<void>;
  /** Does nothing if the account is not a member. */
  removeMember(propertyId: string, accountId: string, by: ChangedBy): Promise<void>;
}

/** What the routes of accounts share. */
export interface AccountParts {
  auth: Authentication;
  database: Database;
  hasher: PasswordHasher;
  throttle: SignInThrottle;
  sessions: BrowserSessions;
  members: MemberWriter;
  properties: () => PropertyConfiguration[];
  publicUrl: string | undefined;
  /** Undefined if OpenID Connect is not set up. */
  oidc: OidcClient | undefined;
  warn: (details: object, message: string) => void;
}
