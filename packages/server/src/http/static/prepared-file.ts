import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUnchanged } from '../contract/etag.ts';

/** For URLs with a content hash, whose content never changes. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/** A static file in memory. */
export interface PreparedFile {
  etag: string;
  contentType: string;
  /** By content encoding, in order of preference. */
  encodings: ReadonlyMap<string, Buffer>;
}

/** Sends the smallest encoding that the client accepts, or 304. */
export function sendFile(
  { etag, contentType, encodings }: PreparedFile,
  cacheControl: string,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  reply.headers({
    'cache-control': cacheControl,
    etag,
    vary: 'accept-encoding',
    'x-content-type-options': 'nosniff',
  });
  if (isUnchanged(request, etag)) return reply.code(304).send();
  const encoding = preferredEncoding(request.headers['accept-encoding'], encodings);
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.type(contentType).send(encodings.get(encoding));
}

function preferredEncoding(accepted: string | undefined, encodings: PreparedFile['encodings']): string {
  const rejected = /;\s*q=0(\.0*)?\s*$/;
  const codings = (accepted ?? '').split(',').filter((coding) => !rejected.test(coding));
  const names = new Set(codings.map((coding) => coding.split(';', 1)[0]!.trim().toLowerCase()));
  return [...encodings.keys()].find((name) => names.has(name)) ?? 'identity';
}
