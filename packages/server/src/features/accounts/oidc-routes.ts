import { OidcStartQuery } from '@switchyard/core/api/accounts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ownOrigin } from '../../http/access/same-origin.ts';
import { readCookie, setCookie } from '../../http/access/session-cookie.ts';
import { plainResponse } from '../../http/contract/api-description.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import type { AccountServices } from './account-services.ts';
import { oidcAccount } from './oidc-accounts.ts';
import type { OidcChecks, OidcClient } from './oidc-client.ts';
import { OIDC_START_MS, saveOidcStart, useOidcStart } from './oidc-start-store.ts';

const START = '/v1/manage/oidc/start';
const CALLBACK = '/v1/manage/oidc/callback';
const COOKIE = 'switchyard_oidc';
const COOKIE_PATH = '/v1/manage/oidc';

interface RememberedStart extends OidcChecks {
  /** Path on this server to go to afterwards. */
  returnTo: string;
}

/** Sign-in with OpenID Connect. These are visited by browsers, so errors lead back to the sign-in page. */
export function registerOidcRoutes(api: ApiRoutes, services: AccountServices): void {
  // Without settings the routes do not exist.
  if (services.oidc === undefined) return;
  registerStart(api, services, services.oidc);
  registerCallback(api, services, services.oidc);
}

const redirectUri = (request: FastifyRequest, publicUrl: string | undefined) =>
  `${publicUrl ?? ownOrigin(request, undefined)}${CALLBACK}`;

function registerStart(api: ApiRoutes, services: AccountServices, oidc: OidcClient): void {
  const { database, sessions, publicUrl } = services;
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
        await saveOidcStart(database, value);
        setCookie(reply, COOKIE, value, {
          secure: sessions.isSecure(request),
          maxAgeSeconds: OIDC_START_MS / 1000,
          path: COOKIE_PATH,
        });
        return await reply.redirect(url, 302);
      } catch (error) {
        return failed(services, reply, error);
      }
    },
  );
}

function registerCallback(api: ApiRoutes, services: AccountServices, oidc: OidcClient): void {
  const { sessions, publicUrl } = services;
  api.get(
    CALLBACK,
    {
      tag: 'Management',
      summary: 'Return from the OpenID Connect provider',
      access: 'anyone',
      anyQuery: true,
      responses: { 302: plainResponse('To the dashboard, or back to the sign-in page') },
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      setCookie(reply, COOKIE, '', {
        secure: sessions.isSecure(request),
        maxAgeSeconds: 0,
        path: COOKIE_PATH,
      });
      try {
        const start = await takeStart(request, services);
        const query = request.url.split('?').slice(1).join('?');
        const url = new URL(`${redirectUri(request, publicUrl)}?${query}`);
        const account = await oidcAccount(services, oidc.settings, await oidc.finish(url, start));
        if (account === undefined) return await backToSignIn(reply, 'oidc_not_allowed');
        await sessions.start(request, reply, account);
        return await reply.redirect(start.returnTo, 302);
      } catch (error) {
        return failed(services, reply, error);
      }
    },
  );
}

/** Logs only the messages: the error may hold tokens of the provider. */
function failed({ warn }: AccountServices, reply: FastifyReply, error: unknown): FastifyReply {
  const { message, code } = error as { message?: string; code?: string };
  warn({ reason: message, code }, 'sign-in with OpenID Connect failed');
  return backToSignIn(reply, 'oidc_failed');
}

const backToSignIn = (reply: FastifyReply, error: string) => reply.redirect(`/sign-in?error=${error}`, 302);

/** Only paths of this server, so that a link to the start cannot lead elsewhere. */
function localPath(path: string | undefined): string {
  return path !== undefined && /^\/(?![/\\])[\x21-\x7e]*$/.test(path) ? path : '/';
}

/** Uses up the start that this browser remembers, before the code is exchanged: a callback works once. */
async function takeStart(request: FastifyRequest, { database }: AccountServices): Promise<RememberedStart> {
  const cookie = readCookie(request, COOKIE);
  if (cookie === undefined || !(await useOidcStart(database, cookie))) {
    throw new Error('sign-in was not started here, or was finished before');
  }
  return JSON.parse(Buffer.from(cookie, 'base64url').toString());
}
