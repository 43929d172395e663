import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApiError } from '../../platform/errors/errors.ts';
import { readCookie, SESSION_COOKIE } from '../access/session-cookie.ts';
import { UNLISTED } from '../contract/api-description.ts';
import { builtFile } from './built-file.ts';
import { IMMUTABLE, sendFile } from './prepared-file.ts';
import { HTML, StaticFiles } from './static-files.ts';

/** In the built page, wherever the nonce of the response belongs. */
const NONCE = '__CSP_NONCE__';
/** In the built page, where it learns whether the browser sent a session cookie, which scripts cannot read. */
const HAS_SESSION = '__SESSION_COOKIE__';
const ONE_DAY = 'public, max-age=86400';

/** Paths that the router of the dashboard handles; a reload must find the page too. */
const PAGES = ['/', '/setup', '/sign-in', '/invitation', '/account', '/new-property', '/p/*'];

/** Serves the built dashboard: one page for all of its paths, and files whose names contain their content hash. */
export function registerDashboard(app: FastifyInstance): void {
  const directory = builtFile('dashboard');
  const html = readFileSync(join(directory, 'index.html'), 'utf8');
  // Split once: a response only joins the parts with its nonce.
  const [withSession, withoutSession] = ['sent', 'none'].map((it) =>
    html.replace(HAS_SESSION, it).split(NONCE),
  );
  for (const path of PAGES) {
    app.get(path, UNLISTED, (request, reply) =>
      sendPage(reply, readCookie(request, SESSION_COOKIE) === undefined ? withoutSession! : withSession!),
    );
  }
  const files = new StaticFiles(directory);
  app.get<{ Params: { name: string } }>('/assets/:name', UNLISTED, (request, reply) => {
    const file = files.find(`assets/${request.params.name}`);
    // A page of an older version may ask for a file that is gone: it must not keep this answer.
    if (file === undefined) throw new ApiError('not_found');
    return sendFile(file, IMMUTABLE, request, reply);
  });
  app.get('/favicon.svg', UNLISTED, (request, reply) =>
    sendFile(files.find('favicon.svg')!, ONE_DAY, request, reply),
  );
}

function sendPage(reply: FastifyReply, page: readonly string[]): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  return reply
    .headers({
      'content-security-policy': contentSecurityPolicy(nonce),
      // The nonce must not be used twice.
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
    .type(HTML)
    .send(page.join(nonce));
}

const contentSecurityPolicy = (nonce: string) =>
  [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
