import { createHash } from 'node:crypto';
import type { HotReply, HotRequest } from './hot-route.ts';

export function etagOf(body: string): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}

/** What identifies a part of a response, computed once per part. */
export type PartTag = readonly [number, number];

export function partTagOf(part: string): PartTag {
  const digest = createHash('sha256').update(part).digest();
  return [digest.readInt32LE(0), digest.readInt32LE(4)];
}

/**
 * The entity tag of a response that is put together from parts, in time proportional to their number instead of their
 * size. Depends on their order; two lists that differ in one part always have different tags, if those of the part do.
 */
export class CombinedTag {
  #high = 0;
  #low = 0;

  add([high, low]: PartTag): void {
    this.#high = mixed(this.#high ^ high);
    this.#low = mixed(this.#low ^ low);
  }

  etag(version: number): string {
    return `"${version.toString(36)}-${(this.#high >>> 0).toString(36)}-${(this.#low >>> 0).toString(36)}"`;
  }
}

/** Different for different numbers. */
const mixed = (bits: number) => Math.imul((bits << 13) | (bits >>> 19), 0x85ebca6b) + 0x27d4eb2f;

/**
 * Longer bodies are kept as buffers, which are sent without being copied, and shared by slow readers. Shorter texts cost
 * less, because they are sent together with their headers.
 */
const MAX_TEXT = 4096;

/** A serialized response that stays valid until the configuration changes. */
export interface Prepared {
  body: string | Buffer;
  etag: string;
}

export function prepare(content: object): Prepared {
  const text = JSON.stringify(content);
  return prepareText(text, etagOf(text));
}

export function prepareText(text: string, etag: string): Prepared {
  return { body: text.length > MAX_TEXT ? Buffer.from(text) : text, etag };
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
