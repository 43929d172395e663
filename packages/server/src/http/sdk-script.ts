import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { UNLISTED } from './api-description.ts';
import { isUnchanged } from './etag.ts';

/** For the URL with the content hash, which changes with every version of the script. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
const FIVE_MINUTES = 'public, max-age=300';

interface Script {
  /** URL path that contains the content hash. */
  path: string;
  etag: string;
  /** By content encoding, in order of preference; compressed once at startup. */
  encodings: ReadonlyMap<string, Buffer>;
}

/** Serves the browser SDK for `<script>` tags; returns its immutable URL path. */
export function registerSdkScript(app: FastifyInstance): string {
  const script = loadScript();
  app.get('/sdk.js', UNLISTED, (request, reply) => send(script, FIVE_MINUTES, request, reply));
  app.get<{ Params: { hash: string } }>('/sdk-:hash([\\w-]+).js', UNLISTED, (request, reply) => {
    if (request.url.split('?', 1)[0] === script.path) return send(script, IMMUTABLE, request, reply);
    // Pages that use the URL of an older version get the current one.
    return crossOrigin(reply).header('cache-control', 'no-store').redirect('/sdk.js', 302);
  });
  return script.path;
}

function loadScript(): Script {
  const content = readFileSync(createRequire(import.meta.url).resolve('@switchyard/sdk/sdk.js'));
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return {
    path: `/sdk-${hash}.js`,
    etag: `"${hash}"`,
    encodings: new Map([
      ['br', brotliCompressSync(content)],
      ['gzip', gzipSync(content, { level: 9 })],
      ['identity', content],
    ]),
  };
}

function send(
  { etag, encodings }: Script,
  cacheControl: string,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  crossOrigin(reply).headers({ 'cache-control': cacheControl, etag, vary: 'accept-encoding' });
  if (isUnchanged(request, etag)) return reply.code(304).send();
  const encoding = preferredEncoding(request.headers['accept-encoding'], encodings);
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.type('text/javascript; charset=utf-8').send(encodings.get(encoding));
}

/** For pages of any origin, including pages that are cross-origin isolated or check the integrity of the script. */
function crossOrigin(reply: FastifyReply): FastifyReply {
  return reply.headers({
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  });
}

function preferredEncoding(accepted: string | undefined, encodings: Script['encodings']): string {
  const rejected = /;\s*q=0(\.0*)?\s*$/;
  const codings = (accepted ?? '').split(',').filter((coding) => !rejected.test(coding));
  const names = new Set(codings.map((coding) => coding.split(';', 1)[0]!.trim().toLowerCase()));
  return [...encodings.keys()].find((name) => names.has(name)) ?? 'identity';
}
