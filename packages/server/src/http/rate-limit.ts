import { randomInt } from 'node:crypto';
import { murmur3 } from '@switchyard/core/evaluation/hash';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../errors.ts';
import { networkOf } from './network-of.ts';

/** Addresses can accumulate unused requests for this long: opening a page sends many requests at once. */
const ADDRESS_BURST_SECONDS = 5;
/** A power of two. More addresses than this share quotas, so neither memory nor eviction can be abused. */
const ADDRESS_SLOTS = 2 ** 17;

/** Tolerance for floating-point sums, far below one request. */
const ROUNDING = 1e-6;

interface Rates {
  /** Requests per second and API key or account; 0 disables all limits. */
  perKey: number;
  /** Requests per second and client address; 0 disables this limit. */
  perAddress: number;
}

/**
 * Continuously refilled token buckets for API keys, accounts and client addresses. The headers follow
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
export class RateLimiter {
  readonly #key: Quota | undefined;
  readonly #address: Quota | undefined;
  readonly #account: Quota | undefined;
  readonly #keys = new Map<string, { fullAt: number }>();
  readonly #accounts = new Map<string, { fullAt: number }>();
  readonly #addresses: Float64Array;
  /** Makes it unpredictable which addresses share a slot. */
  readonly #seed = randomInt(2 ** 32);

  constructor({ perKey, perAddress }: Rates) {
    const byAddress = perKey > 0 && perAddress > 0;
    this.#key = perKey > 0 ? new Quota('key', 'API key', perKey, 1) : undefined;
    this.#account = perKey > 0 ? new Quota('account', 'account', perKey, 1) : undefined;
    this.#address = byAddress
      ? new Quota('address', 'client address', perAddress, ADDRESS_BURST_SECONDS)
      : undefined;
    this.#addresses = new Float64Array(byAddress ? ADDRESS_SLOTS : 0);
  }

  /** Counts a request against the quota of the key; throws if the quota is used up. */
  takeKey(keyId: string, reply: FastifyReply): void {
    if (this.#key !== undefined) takeFrom(this.#keys, keyId, this.#key, reply);
  }

  /** Counts a request against the quota of the account; throws if the quota is used up. */
  takeAccount(accountId: string, reply: FastifyReply): void {
    if (this.#account !== undefined) takeFrom(this.#accounts, accountId, this.#account, reply);
  }

  /** Counts a request against the quota of the client address; throws if the quota is used up. */
  takeAddress(address: string, reply: FastifyReply): void {
    if (this.#address === undefined) return;
    const slot = murmur3(networkOf(address), this.#seed) & (ADDRESS_SLOTS - 1);
    this.#addresses[slot] = this.#address.take(this.#addresses[slot]!, reply);
  }
}

function takeFrom(
  buckets: Map<string, { fullAt: number }>,
  id: string,
  quota: Quota,
  reply: FastifyReply,
): void {
  let bucket = buckets.get(id);
  if (bucket === undefined) {
    bucket = { fullAt: 0 };
    buckets.set(id, bucket);
  }
  bucket.fullAt = quota.take(bucket.fullAt, reply);
}

/** Size and refill rate of a bucket. The state of a bucket is only the time at which it is full again. */
class Quota {
  readonly #name: string;
  readonly #message: string;
  readonly #policy: string;
  readonly #refillMs: number;
  readonly #burstSeconds: number;

  constructor(name: string, subject: string, perSecond: number, burstSeconds: number) {
    this.#name = name;
    this.#message = `The ${subject} exceeded its limit of ${perSecond} requests per second. Try again after the time in \`Retry-After\`.`;
    this.#policy = `"${name}";q=${perSecond * burstSeconds};w=${burstSeconds}`;
    this.#refillMs = 1000 / perSecond;
    this.#burstSeconds = burstSeconds;
  }

  /** Returns when the bucket is full again after this request; throws if it is empty. */
  take(fullAt: number, reply: FastifyReply): number {
    const now = performance.now();
    const next = Math.max(fullAt, now) + this.#refillMs;
    const left = (1000 * this.#burstSeconds - (next - now)) / this.#refillMs + ROUNDING;
    this.#describe(Math.max(0, Math.floor(left)), reply);
    if (left >= 0) return next;
    throw new ApiError('rate_limited', { message: this.#message, headers: { 'retry-after': '1' } });
  }

  /** A request may count against two limits; the headers then list both. */
  #describe(left: number, reply: FastifyReply): void {
    const policy = reply.getHeader('ratelimit-policy');
    const state = `"${this.#name}";r=${left};t=${this.#burstSeconds}`;
    if (policy === undefined) {
      reply.header('ratelimit-policy', this.#policy);
      reply.header('ratelimit', state);
    } else {
      reply.header('ratelimit-policy', `${policy}, ${this.#policy}`);
      reply.header('ratelimit', `${reply.getHeader('ratelimit')}, ${state}`);
    }
  }
}
