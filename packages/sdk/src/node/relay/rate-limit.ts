import { randomInt } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { murmur3 } from '@switchyard/core/evaluation/hash';

/** Unused requests accumulate for this long: opening a page sends several at once. */
const BURST_MS = 5000;
/** Tolerance for floating-point sums, far below one request. */
const ROUNDING_MS = 1e-3;
/** A power of two. More clients than this share quotas, so memory is bounded and eviction cannot be abused. */
const SLOTS = 2 ** 14;

/** Continuously refilled token buckets. The state of a bucket is only the time at which it is full again. */
export class RateLimit {
  readonly #refillMs: number;
  readonly #fullAt: Float64Array;
  readonly #slots: number;
  /** Makes it unpredictable which clients share a slot. */
  readonly #seed = randomInt(2 ** 32);

  /** 0: no limit. */
  constructor(perSecond: number, slots = SLOTS) {
    this.#slots = slots;
    this.#refillMs = perSecond > 0 ? 1000 / perSecond : 0;
    this.#fullAt = new Float64Array(perSecond > 0 ? slots : 0);
  }

  /** Counts a request; false if the quota is used up. */
  take(id: string | undefined): boolean {
    if (id === undefined || this.#refillMs === 0) return true;
    const slot = murmur3(id, this.#seed) & (this.#slots - 1);
    const now = performance.now();
    const next = Math.max(this.#fullAt[slot]!, now) + this.#refillMs;
    if (next - now > Math.max(BURST_MS, this.#refillMs) + ROUNDING_MS) return false;
    this.#fullAt[slot] = next;
    return true;
  }
}

/** The IPv4 address, or the /64 network from which an IPv6 client can pick addresses. */
export function networkOf(address: string | undefined): string | undefined {
  if (address === undefined || !isIPv6(address)) return address;
  const [, ipv4] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (ipv4) return ipv4;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter(Boolean);
  const rest = tail?.split(':').filter(Boolean) ?? [];
  const omitted = tail === undefined ? 0 : 8 - groups.length - rest.length;
  return [...groups, ...Array<string>(Math.max(0, omitted)).fill('0'), ...rest].slice(0, 4).join(':');
}
