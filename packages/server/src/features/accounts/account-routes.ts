import type { Database } from '../../configuration/database/database.ts';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { Authentication } from '../../http/access/authentication.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { registerAccessTokenRoutes } from './access-token-routes.ts';
import { registerAccountAdministration } from './account-administration.ts';
import { registerAccountDeletion } from './account-deletion-routes.ts';
import type { AccountParts, MemberWriter } from './account-parts.ts';
import { BrowserSessions } from './browser-sessions.ts';
import { registerInvitationAcceptance } from './invitation-acceptance.ts';
import { registerInvitationRoutes } from './invitation-routes.ts';
import { registerMeRoutes } from './me-routes.ts';
import { registerMemberRoutes } from './member-routes.ts';
import { OidcClient, type OidcSettings } from './oidc-client.ts';
import { registerOidcRoutes } from './oidc-routes.ts';
import { PasswordHasher } from './password-hasher.ts';
import { registerSignInRoutes } from './sign-in-routes.ts';
import type { AttemptCounter } from './sign-in-throttle.ts';
import { registerTwoFactorRoutes } from './two-factor-routes.ts';

interface Dependencies {
  auth: Authentication;
  database: Database;
  ownerRecord: AccountParts['ownerRecord'];
  members: MemberWriter;
  throttle: AttemptCounter;
  idempotency: AccountParts['idempotency'];
  dryRunResponse: AccountParts['dryRunResponse'];
  properties: () => PropertyConfiguration[];
  deleteAccount: AccountParts['deleteAccount'];
  accessChanged: AccountParts['accessChanged'];
  dataDelayedSince: AccountParts['dataDelayedSince'];
  publicUrl: string | undefined;
  oidc: OidcSettings | undefined;
  warn: (details: object, message: string) => void;
}

export function registerAccountRoutes(api: ApiRoutes, dependencies: Dependencies): void {
  const { database, publicUrl, oidc, accessChanged } = dependencies;
  const parts: AccountParts = {
    ...dependencies,
    hasher: new PasswordHasher(),
    sessions: new BrowserSessions(database, publicUrl, accessChanged),
    oidc: oidc && new OidcClient(oidc),
  };
  registerSignInRoutes(api, parts);
  registerMeRoutes(api, parts);
  registerTwoFactorRoutes(api, parts);
  registerAccessTokenRoutes(api, parts);
  registerAccountAdministration(api, parts);
  registerAccountDeletion(api, parts);
  registerMemberRoutes(api, parts);
  registerInvitationRoutes(api, parts);
  registerInvitationAcceptance(api, parts);
  registerOidcRoutes(api, parts);
}
