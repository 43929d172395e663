import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

export function etagOf(body: string): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}

/** Whether the caller has this version already; weak tags count, since compressing proxies make ours weak. */
export function isUnchanged(request: FastifyRequest, etag: string): boolean {
  const given = request.headers['if-none-match'];
  if (given === undefined) return false;
  return given === etag || given.split(',').some((tag) => matches(tag.trim(), etag));
}

const matches = (tag: string, etag: string) => tag === '*' || tag.replace(/^W\//, '') === etag;
