import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../platform/errors/errors.ts';
import { UNLISTED } from '../contract/api-description.ts';
import { builtFile } from './built-file.ts';
import { IMMUTABLE, sendFile } from './prepared-file.ts';
import { HTML, StaticFiles } from './static-files.ts';

/** Pages have no content hash in their URL, so browsers ask whether they have changed. */
const REVALIDATE = 'no-cache';

/** Files that are no pages of their own: links in them are relative to another URL. */
const UNLINKED = ['index', '404'];

const SECURITY_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    // Search, and trying endpoints.
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
};

/** Serves the built documentation site: `/docs/guides/results` is the file `guides/results.html`. */
export function registerDocumentation(app: FastifyInstance): void {
  const files = new StaticFiles(builtFile('docs'));
  app.get('/docs', UNLISTED, (request, reply) => sendPage(files, 'index.html', request, reply));
  app.get<{ Params: { '*': string } }>('/docs/*', UNLISTED, (request, reply) => {
    const path = request.params['*'];
    // Links of the pages are relative, so a page has only one URL.
    if (path === '') return reply.redirect('../docs', 301);
    const page = `${path}.html`;
    if (files.find(page) !== undefined && !UNLINKED.includes(path))
      return sendPage(files, page, request, reply);
    const file = path.endsWith('.html') ? undefined : files.find(path);
    if (file === undefined) return sendNotFound(files, request, reply);
    return sendFile(file, path.startsWith('assets/') ? IMMUTABLE : REVALIDATE, request, reply);
  });
}

function sendPage(files: StaticFiles, name: string, request: FastifyRequest, reply: FastifyReply) {
  return sendFile(files.find(name)!, REVALIDATE, request, reply.headers(SECURITY_HEADERS));
}

/** A page for people; programs get the same error as everywhere. */
function sendNotFound(files: StaticFiles, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!request.headers.accept?.includes('text/html')) throw new ApiError('not_found');
  return reply
    .code(404)
    .headers({ ...SECURITY_HEADERS, 'cache-control': 'no-store' })
    .type(HTML)
    .send(files.find('404.html')!.encodings.get('identity'));
}
