import { OidcStartQuery } from '@switchyard/core/api/accounts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { plainResponse } from '../../http/api-description.ts';
import type { ApiRoutes } from '../../http/api-routes.ts';
import { ownOrigin } from '../../http/same-origin.ts';
import { readCookie, setCookie } from '../../http/session-cookie.ts';
import type { AccountParts } from './account-parts.ts';
import { oidcAccount } from './oidc-accounts.ts';
import type { OidcChecks, OidcClient } from './oidc-client.ts';

const START = '/v1/manage/oidc/start';
const CALLBACK = '/v1/manage/oidc/callback';
const COOKIE = 'switchyard_oidc';
const COOKIE_PATH = '/v1/manage/oidc';
/** Time to sign in at the provider. */
const COOKIE_SECONDS = 600;

interface RememberedStart extends OidcChecks {
  /** Path on this server to go to afterwards. */
  returnTo: string;
}

/** Sign-in with OpenID Connect. These are visited by browsers, so errors lead back to the sign-in page. */
export function registerOidcRoutes(api: ApiRoutes, parts: AccountParts): void {
  // Without settings the routes do not exist.
  if (parts.oidc === undefined) return;
  registerStart(api, parts, parts.oidc);
  registerCallback(api, parts, parts.oidc);
}

const redirectUri = (request: FastifyRequest, publicUrl: string | undefined) =>
  `${publicUrl ?? ownOrigin(request, undefined)}${CALLBACK}`;

function registerStart(api: ApiRoutes, parts: AccountParts, oidc: OidcClient): void {
  const { sessions, publicUrl } = parts;
  api.get<{ Querystring: OidcStartQuery }>(
    START,
    {
      tag: 'Management',
      summary: 'Sign in with OpenID Connect',
      access: 'anyone',
      querystring: OidcStartQuery,
      responses: { 302: plainResponse('To the provider') },
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      try {
        const { url, checks } = await oidc.begin(redirectUri(request, publicUrl));
        const start: RememberedStart = { ...checks, returnTo: localPath(request.query.returnTo) };
        const value = Buffer.from(JSON.stringify(start)).toString('base64url');
        const secure = sessions.isSecure(request);
        setCookie(reply, COOKIE, value, { secure, maxAgeSeconds: COOKIE_SECONDS, path: COOKIE_PATH });
        return await reply.redirect(url, 302);
      } catch (error) {
        return failed(parts, reply, error);
      }
    },
  );
}

function registerCallback(api: ApiRoutes, parts: AccountParts, oidc: OidcClient): void {
  const { sessions, publicUrl } = parts;
  api.get(
    CALLBACK,
    {
      tag: 'Management',
      summary: 'Return from the OpenID Connect provider',
      access: 'anyone',
      responses: { 302: plainResponse('To the dashboard, or back to the sign-in page') },
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      const start = rememberedStart(request);
      setCookie(reply, COOKIE, '', {
        secure: sessions.isSecure(request),
        maxAgeSeconds: 0,
        path: COOKIE_PATH,
      });
      if (start === undefined) return failed(parts, reply, new Error('sign-in was not started here'));
      try {
        const query = request.url.split('?').slice(1).join('?');
        const url = new URL(`${redirectUri(request, publicUrl)}?${query}`);
        const account = await oidcAccount(parts, oidc.settings, await oidc.finish(url, start));
        if (account === undefined) return await backToSignIn(reply, 'oidc_not_allowed');
        await sessions.start(request, reply, account);
        return await reply.redirect(start.returnTo, 302);
      } catch (error) {
        return failed(parts, reply, error);
      }
    },
  );
}

/** Logs only the messages: the error may hold tokens of the provider. */
function failed({ warn }: AccountParts, reply: FastifyReply, error: unknown): FastifyReply {
  const { message, code } = error as { message?: string; code?: string };
  warn({ reason: message, code }, 'sign-in with OpenID Connect failed');
  return backToSignIn(reply, 'oidc_failed');
}

const backToSignIn = (reply: FastifyReply, error: string) => reply.redirect(`/sign-in?error=${error}`, 302);

/** Only paths of this server, so that a link to the start cannot lead elsewhere. */
function localPath(path: string | undefined): string {
  return path !== undefined && /^\/(?![/\\])[\x21-\x7e]*$/.test(path) ? path : '/';
}

function rememberedStart(request: FastifyRequest): RememberedStart | undefined {
  const value = readCookie(request, COOKIE);
  if (value === undefined) return undefined;
  try {
    const { state, nonce, verifier, returnTo } = JSON.parse(Buffer.from(value, 'base64url').toString());
    const texts = [state, nonce, verifier, returnTo];
    if (!texts.every((text) => typeof text === 'string' && text !== '')) return undefined;
    return { state, nonce, verifier, returnTo: localPath(returnTo) };
  } catch {
    return undefined;
  }
}
