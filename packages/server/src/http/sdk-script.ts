import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { UNLISTED } from './api-description.ts';
import { builtFile } from './built-file.ts';
import { IMMUTABLE, type PreparedFile, sendFile } from './prepared-file.ts';

const FIVE_MINUTES = 'public, max-age=300';

interface Script extends PreparedFile {
  /** URL path that contains the content hash. */
  path: string;
}

/** Serves the browser SDK for `<script>` tags, and its debugging tools, which it imports on demand. */
export function registerSdkScript(app: FastifyInstance): void {
  const script = loadScript('sdk.js');
  const debugTools = loadScript('sdk-debug.js');
  app.get('/sdk.js', UNLISTED, (request, reply) =>
    sendFile(script, FIVE_MINUTES, request, crossOrigin(reply)),
  );
  app.get('/sdk-debug.js', UNLISTED, (request, reply) =>
    sendFile(debugTools, FIVE_MINUTES, request, crossOrigin(reply)),
  );
  app.get<{ Params: { hash: string } }>('/sdk-:hash([\\w-]+).js', UNLISTED, (request, reply) => {
    const isCurrent = request.url.split('?', 1)[0] === script.path;
    if (isCurrent) return sendFile(script, IMMUTABLE, request, crossOrigin(reply));
    // Pages that use the URL of an older version get the current one.
    return crossOrigin(reply).header('cache-control', 'no-store').redirect('/sdk.js', 302);
  });
}

function loadScript(name: string): Script {
  const content = readFileSync(builtFile(name));
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return {
    path: `/sdk-${hash}.js`,
    etag: `"${hash}"`,
    contentType: 'text/javascript; charset=utf-8',
    // Compressed once at startup.
    encodings: new Map([
      ['br', brotliCompressSync(content)],
      ['gzip', gzipSync(content, { level: 9 })],
      ['identity', content],
    ]),
  };
}

/** For pages of any origin, including pages that are cross-origin isolated or check the integrity of the script. */
function crossOrigin(reply: FastifyReply): FastifyReply {
  return reply.headers({
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  });
}
