import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { UNLISTED } from './api-description.ts';
import { isUnchanged } from './etag.ts';

/** The name that pages may keep for ever is another one for every version of the script. */
const FOR_EVER = 'public, max-age=31536000, immutable';
const FOR_A_WHILE = 'public, max-age=300';

interface Script {
  /** Path with the hash of the content in it. */
  path: string;
  etag: string;
  /** By content coding, in the order of preference; compressed once, at the start. */
  encodings: ReadonlyMap<string, Buffer>;
}

/** Serves the browser SDK to `<script>` tags, and returns the path under which it may be cached for ever. */
export function registerSdkScript(app: FastifyInstance): string {
  const script = loadScript();
  app.get('/sdk.js', UNLISTED, (request, reply) => send(script, FOR_A_WHILE, request, reply));
  app.get<{ Params: { hash: string } }>('/sdk-:hash([\\w-]+).js', UNLISTED, (request, reply) => {
    if (request.url.split('?', 1)[0] === script.path) return send(script, FOR_EVER, request, reply);
    // A page that names the script of an older version still gets one.
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
  const encoding = preferred(request.headers['accept-encoding'], encodings);
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.type('text/javascript; charset=utf-8').send(encodings.get(encoding));
}

/** For pages of any origin, also those that isolate themselves or check the script's integrity. */
function crossOrigin(reply: FastifyReply): FastifyReply {
  return reply.headers({
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  });
}

function preferred(accepted: string | undefined, encodings: Script['encodings']): string {
  const refused = /;\s*q=0(\.0*)?\s*$/;
  const codings = (accepted ?? '').split(',').filter((coding) => !refused.test(coding));
  const names = new Set(codings.map((coding) => coding.split(';', 1)[0]!.trim().toLowerCase()));
  return [...encodings.keys()].find((name) => names.has(name)) ?? 'identity';
}
