import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { UNLISTED } from '../contract/api-description.ts';
import { builtFile } from './built-file.ts';
import { type PreparedFile, sendFile } from './prepared-file.ts';

/** npm keeps a copy and asks whether it has changed. */
const REVALIDATE = 'public, no-cache';

/** Serves the SDK as an npm package, so that projects can install the one that belongs to their server. */
export function registerSdkPackage(app: FastifyInstance): void {
  // Read by the first request, so that the start does not wait for it.
  let file: PreparedFile | undefined;
  app.get('/sdk.tgz', UNLISTED, (request, reply) => {
    file ??= readPackage();
    return sendFile(file, REVALIDATE, request, reply);
  });
}

function readPackage(): PreparedFile {
  const content = readFileSync(builtFile('sdk.tgz'));
  return {
    etag: `"${createHash('sha256').update(content).digest('hex').slice(0, 16)}"`,
    contentType: 'application/gzip',
    encodings: new Map([['identity', content]]),
  };
}
