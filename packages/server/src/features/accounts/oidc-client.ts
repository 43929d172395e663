import { isEmail } from '@switchyard/core/api/email-format';
import type { MemberRole } from '@switchyard/core/api/roles';
import { HOUR_MS } from '@switchyard/core/time';
import type { Configuration, IDToken, UserInfoResponse } from 'openid-client';

export interface OidcSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Domains whose addresses get an account at their first sign-in; empty: only existing accounts may sign in. */
  allowedDomains: readonly string[];
  /** What such an account becomes in every property that exists then; undefined: nothing. */
  defaultRole: MemberRole | undefined;
}

/** What has to be remembered from the start until the provider sends the browser back. */
export interface OidcChecks {
  state: string;
  nonce: string;
  verifier: string;
}

/** Somebody whom the provider vouches for. */
export interface OidcIdentity {
  issuer: string;
  subject: string;
  /** Verified by the provider. */
  email: string;
  name: string | undefined;
}

const TIMEOUT_SECONDS = 10;
/** The provider may move its endpoints. */
const DISCOVERY_MS = HOUR_MS;

/** The authorization code flow with PKCE. */
export class OidcClient {
  readonly settings: OidcSettings;
  #discovered: { at: number; configuration: Promise<Configuration> } | undefined;

  constructor(settings: OidcSettings) {
    this.settings = settings;
  }

  async begin(redirectUri: string): Promise<{ url: string; checks: OidcChecks }> {
    const client = await import('openid-client');
    const configuration = await this.#configuration();
    const checks = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    };
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: 'openid email profile',
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, checks };
  }

  /** Exchanges the code in the URL to which the provider sent the browser; throws if anything does not fit. */
  async finish(callbackUrl: URL, { state, nonce, verifier }: OidcChecks): Promise<OidcIdentity> {
    const client = await import('openid-client');
    const configuration = await this.#configuration();
    const tokens = await client.authorizationCodeGrant(configuration, callbackUrl, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new Error('the provider sent no ID token');
    // The library compares it only if there are several audiences.
    if (claims.azp !== undefined && claims.azp !== this.settings.clientId) {
      throw new Error('the ID token is meant for another client');
    }
    // Some providers put the email only into the user information.
    const profile =
      claims.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
        ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
        : claims;
    return { issuer: claims.iss, subject: claims.sub, ...verifiedProfile(profile) };
  }

  async #configuration(): Promise<Configuration> {
    const now = performance.now();
    if (this.#discovered === undefined || now - this.#discovered.at > DISCOVERY_MS) {
      const configuration = this.#discover();
      this.#discovered = { at: now, configuration };
      // The next sign-in tries again.
      configuration.catch(() => {
        this.#discovered = undefined;
      });
    }
    return this.#discovered.configuration;
  }

  async #discover(): Promise<Configuration> {
    // Imported lazily: a server without OpenID Connect never needs it.
    const client = await import('openid-client');
    const { issuer, clientId, clientSecret } = this.settings;
    // Without this, the signature of the ID token is not verified: the library then relies on TLS.
    const execute = [client.enableNonRepudiationChecks];
    // The settings allow plain HTTP only on this machine.
    if (issuer.startsWith('http:')) execute.push(client.allowInsecureRequests);
    return client.discovery(new URL(issuer), clientId, clientSecret, undefined, {
      timeout: TIMEOUT_SECONDS,
      execute,
    });
  }
}

function verifiedProfile(profile: IDToken | UserInfoResponse): Pick<OidcIdentity, 'email' | 'name'> {
  const { email, email_verified: verified, name } = profile;
  if (typeof email !== 'string' || verified !== true) {
    throw new Error('the provider sent no verified email');
  }
  if (!isEmail(email)) throw new Error('the provider sent a malformed email');
  return { email, name: typeof name === 'string' ? name : undefined };
}
