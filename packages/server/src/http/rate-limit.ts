import type { FastifyReply } from 'fastify';
import { ApiError } from '../errors.ts';

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * A token bucket per API key, refilled continuously. The header fields follow
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
export class RateLimiter {
  readonly #perSecond: number;
  readonly #policy: string;
  readonly #buckets = new Map<string, Bucket>();

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#policy = `"key";q=${perSecond};w=1`;
  }

  /** Takes one request out of the key's bucket; throws when it is empty. */
  take(keyId: string, reply: FastifyReply): void {
    if (this.#perSecond === 0) return;
    const bucket = this.#refilled(keyId);
    const allowed = bucket.tokens >= 1;
    if (allowed) bucket.tokens -= 1;
    reply.header('ratelimit-policy', this.#policy);
    reply.header('ratelimit', `"key";r=${Math.floor(bucket.tokens)};t=1`);
    if (!allowed) throw new ApiError('rate_limited', { headers: { 'retry-after': '1' } });
  }

  #refilled(keyId: string): Bucket {
    const now = Date.now();
    let bucket = this.#buckets.get(keyId);
    if (bucket === undefined) {
      bucket = { tokens: this.#perSecond, at: now };
      this.#buckets.set(keyId, bucket);
    } else if (now > bucket.at) {
      bucket.tokens = Math.min(this.#perSecond, bucket.tokens + ((now - bucket.at) * this.#perSecond) / 1000);
      bucket.at = now;
    }
    return bucket;
  }
}
