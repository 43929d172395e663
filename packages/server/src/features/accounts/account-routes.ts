import type { Database } from '../../configuration/database/database.ts';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { Authentication } from '../../http/access/authentication.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { registerAccessTokenRoutes } from './access-token-routes.ts';
import { registerAccountAdministration } from './account-administration.ts';
import { registerAccountDeletion } from './account-deletion-routes.ts';
import type { AccountServices, MemberWriter } from './account-services.ts';
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
  ownerRecord: AccountServices['ownerRecord'];
  members: MemberWriter;
  throttle: AttemptCounter;
  idempotency: AccountServices['idempotency'];
  dryRunResponse: AccountServices['dryRunResponse'];
  properties: () => PropertyConfiguration[];
  deleteAccount: AccountServices['deleteAccount'];
  accessChanged: AccountServices['accessChanged'];
  dataDelayedSince: AccountServices['dataDelayedSince'];
  publicUrl: string | undefined;
  oidc: OidcSettings | undefined;
  warn: (details: object, message: string) => void;
}

export function registerAccountRoutes(api: ApiRoutes, dependencies: Dependencies): void {
  const { database, publicUrl, oidc, accessChanged } = dependencies;
  const services: AccountServices = {
    ...dependencies,
    hasher: new PasswordHasher(),
    sessions: new BrowserSessions(database, publicUrl, accessChanged),
    oidc: oidc && new OidcClient(oidc),
  };
  registerSignInRoutes(api, services);
  registerMeRoutes(api, services);
  registerTwoFactorRoutes(api, services);
  registerAccessTokenRoutes(api, services);
  registerAccountAdministration(api, services);
  registerAccountDeletion(api, services);
  registerMemberRoutes(api, services);
  registerInvitationRoutes(api, services);
  registerInvitationAcceptance(api, services);
  registerOidcRoutes(api, services);
}
