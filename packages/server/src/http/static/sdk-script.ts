import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { UNLISTED } from '../contract/api-description.ts';
import { builtFile } from './built-file.ts';
import { IMMUTABLE, type PreparedFile, sendFile } from './prepared-file.ts';

const FIVE_MINUTES = 'public, max-age=300';

/**
 * The browser client, the one that uses the relay of the site's own server, the one for pages without cookies, the
 * tools that they import on demand, and the loader, which pages contain.
 */
const NAMES = [
  'sdk',
  'sdk-relay',
  'sdk-private',
  'sdk-debug',
  'sdk-loader',
  'sdk-audience',
  'sdk-audience-values',
];

interface Script extends PreparedFile {
  name: string;
  /** URL path that contains the content hash. */
  path: string;
}

/** Serves the browser SDK for `<script>` tags, and its debugging tools, which it imports on demand. */
export function registerSdkScript(app: FastifyInstance): void {
  const scripts = NAMES.map(loadScript);
  for (const script of scripts) {
    app.get(`/${script.name}.js`, UNLISTED, (request, reply) =>
      sendFile(script, FIVE_MINUTES, request, crossOrigin(reply)),
    );
  }
  app.get<{ Params: { hash: string } }>('/sdk-:hash([\\w-]+).js', UNLISTED, (request, reply) => {
    const path = request.url.split('?', 1)[0]!;
    const current = scripts.find((script) => script.path === path);
    if (current) return sendFile(current, IMMUTABLE, request, crossOrigin(reply));
    // Pages that use the URL of an older version get the current one. Longer names first.
    const name = NAMES.findLast((each) => path.startsWith(`/${each}-`));
    return crossOrigin(reply).header('cache-control', 'no-store').redirect(`/${name}.js`, 302);
  });
}

function loadScript(name: string): Script {
  const content = readFileSync(builtFile(`${name}.js`));
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  let encodings: PreparedFile['encodings'] | undefined;
  return {
    name,
    path: `/${name}-${hash}.js`,
    etag: `"${hash}"`,
    contentType: 'text/javascript; charset=utf-8',
    // Compressed by the first request, so that the start does not wait for it.
    get encodings() {
      encodings ??= new Map([
        ['br', brotliCompressSync(content)],
        ['gzip', gzipSync(content, { level: 9 })],
        ['identity', content],
      ]);
      return encodings;
    },
  };
}

/** For pages of any origin, including pages that are cross-origin isolated or check the integrity of the script. */
function crossOrigin(reply: FastifyReply): FastifyReply {
  return reply.headers({
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  });
}
