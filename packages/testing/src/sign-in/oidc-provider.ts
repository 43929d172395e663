import { createHash, createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type SigningAlgorithm, SigningKey } from './signing-key.ts';

interface Grant {
  nonce: string;
  challenge: string;
  redirectUri: string;
}

const CLIENT = { id: 'switchyard', secret: 'the secret of the client' };

/** A small OpenID Connect provider: signs in whoever `claims` says, without asking. */
export class OidcProvider {
  readonly #server: Server;
  #key = new SigningKey('RS256');
  readonly #grants = new Map<string, Grant>();
  /** Claims of the next ID tokens. */
  claims: Record<string, unknown> = {};
  /** Claims that only the user information has. */
  userInfo: Record<string, unknown> = {};
  /** Requests for tokens that were refused. */
  refused = 0;
  /** Requests for the public keys. */
  keyRequests = 0;
  /** What the header of the next ID tokens says instead of the algorithm of the key. */
  claimedAlgorithm: 'HS256' | 'none' | undefined;
  /** Signs the next ID tokens instead of the published key, under its id. */
  forger: SigningKey | undefined;
  /** Whether a code works more than once, as it must not. */
  repeatsCodes = false;

  constructor() {
    this.#server = createServer((request, response) => void this.#respond(request, response));
  }

  static async start(): Promise<OidcProvider> {
    const provider = new OidcProvider();
    provider.#server.listen(0, '127.0.0.1');
    await once(provider.#server, 'listening');
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Settings of a server that uses this provider. */
  get env(): Record<string, string> {
    return { OIDC_ISSUER: this.issuer, OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret };
  }

  /** Replaces the key. */
  rotateKey(algorithm: SigningAlgorithm = 'RS256'): void {
    this.#key = new SigningKey(algorithm);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.issuer);
    if (url.pathname === '/authorize') {
      response.writeHead(302, { location: this.#authorize(url.searchParams) }).end();
      return;
    }
    const body = await this.#content(url.pathname, request);
    response.writeHead(body === undefined ? 400 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? { error: 'invalid_grant' }));
  }

  async #content(path: string, request: IncomingMessage): Promise<object | undefined> {
    if (path === '/.well-known/openid-configuration') return this.#metadata();
    if (path === '/userinfo') return { sub: this.claims.sub, ...this.userInfo };
    if (path === '/jwks') {
      this.keyRequests += 1;
      return { keys: [this.#key.publicJwk] };
    }
    if (path === '/token') return this.#token(new URLSearchParams(await textOf(request)));
    return undefined;
  }

  #metadata(): object {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      userinfo_endpoint: `${this.issuer}/userinfo`,
      jwks_uri: `${this.issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'PS256', 'ES256', 'EdDSA', 'HS256', 'none'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    };
  }

  #authorize(query: URLSearchParams): string {
    const code = randomUUID();
    const redirectUri = query.get('redirect_uri') ?? '';
    this.#grants.set(code, {
      nonce: query.get('nonce') ?? '',
      challenge: query.get('code_challenge_method') === 'S256' ? (query.get('code_challenge') ?? '') : '',
      redirectUri,
    });
    return `${redirectUri}?${new URLSearchParams({ code, state: query.get('state') ?? '' })}`;
  }

  #token(form: URLSearchParams): object | undefined {
    const grant = this.#grants.get(form.get('code') ?? '');
    if (!this.repeatsCodes) this.#grants.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isRight =
      grant?.challenge === challenge &&
      grant.redirectUri === form.get('redirect_uri') &&
      form.get('client_secret') === CLIENT.secret;
    if (!isRight) {
      this.refused += 1;
      return undefined;
    }
    return { access_token: 'access', token_type: 'Bearer', id_token: this.#idToken(grant.nonce) };
  }

  #idToken(nonce: string): string {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: this.issuer, aud: CLIENT.id, iat: now, exp: now + 300, nonce, ...this.claims };
    const { algorithm, id } = this.#key;
    const content = [{ alg: this.claimedAlgorithm ?? algorithm, kid: id }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    return `${content}.${this.#signature(content).toString('base64url')}`;
  }

  #signature(content: string): Buffer {
    if (this.claimedAlgorithm === 'none') return Buffer.alloc(0);
    // The published key as the secret: what a careless client would verify with.
    if (this.claimedAlgorithm === 'HS256') {
      return createHmac('sha256', JSON.stringify(this.#key.publicJwk)).update(content).digest();
    }
    return (this.forger ?? this.#key).sign(content);
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
