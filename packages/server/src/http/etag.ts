import { createHash } from 'node:crypto';
import type { HotReply, HotRequest } from './hot-route.ts';
import { LARGE_BYTES } from './unsent-output.ts';

export function etagOf(body: string): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}

/** A serialized response that stays valid until the configuration changes. */
export interface Prepared {
  body: string | Buffer;
  etag: string;
}

export function prepare(content: object): Prepared {
  const text = JSON.stringify(content);
  // A string is copied for every slow reader; a buffer is shared.
  return { body: text.length > LARGE_BYTES ? Buffer.from(text) : text, etag: etagOf(text) };
}

/** Sends JSON, or 304 if the client already has it. */
export function sendPrepared(
  request: Pick<HotRequest, 'headers'>,
  reply: HotReply,
  { body, etag }: Prepared,
): unknown {
  reply.header('etag', etag);
  if (isUnchanged(request, etag)) return reply.code(304).send();
  return reply.type('application/json; charset=utf-8').send(body);
}

/** Whether the client already has this version; accepts weak tags, because compressing proxies weaken ours. */
export function isUnchanged(request: Pick<HotRequest, 'headers'>, etag: string): boolean {
  const given = request.headers['if-none-match'];
  if (given === undefined) return false;
  return given === etag || given.split(',').some((tag) => matches(tag.trim(), etag));
}

const matches = (tag: string, etag: string) => tag === '*' || tag.replace(/^W\//, '') === etag;
