import { randomInt } from 'node:crypto';
import { murmur3 } from '@switchyard/core/evaluation/hash';

/** Addresses can accumulate unused requests for this long: opening a page sends many requests at once. */
const ADDRESS_BURST_SECONDS = 5;
/** A power of two. More addresses than this share quotas, so neither memory nor eviction can be abused. */
const ADDRESS_SLOTS = 2 ** 17;

/** Tolerance for floating-point sums, far below one request. */
const ROUNDING = 1e-6;

export interface Rates {
  /** Requests per second and API key or account; 0 disables all limits. */
  perKey: number;
  /** Requests per second and client address; 0 disables this limit. */
  perAddress: number;
}

export type LimitKind = 'key' | 'account' | 'address';

export interface Quota {
  perSecond: number;
  burstSeconds: number;
}

/** The quotas that are not disabled. */
export function quotasOf({ perKey, perAddress }: Rates): Partial<Record<LimitKind, Quota>> {
  if (perKey === 0) return {};
  const key = { perSecond: perKey, burstSeconds: 1 };
  const address = { perSecond: perAddress, burstSeconds: ADDRESS_BURST_SECONDS };
  return { key, account: key, ...(perAddress > 0 && { address }) };
}

/** Where requests take their tokens from. */
export interface TokenSource {
  /** Takes a token; returns how many are left, or a negative number if there was none to take. */
  take(kind: LimitKind, id: string): number | Promise<number>;
}

/** Tokens given to another process. */
export interface TokenLease {
  /** At most as many as it asked for. */
  granted: number;
  /** More than it asked for, to be used soon or given back. */
  surplus: number;
  /** What is left for others. */
  left: number;
  /** When there will be another token, if nothing is left. */
  waitMs: number;
}

/** Continuously refilled token buckets. The state of a bucket is only the time at which it is full again. */
export class TokenBuckets implements TokenSource {
  readonly #quotas: Partial<Record<LimitKind, Quota>>;
  readonly #fullAt = { key: new Map<string, number>(), account: new Map<string, number>() };
  readonly #addresses: Float64Array;
  /** Makes it unpredictable which addresses share a slot. */
  readonly #seed = randomInt(2 ** 32);

  constructor(rates: Rates) {
    this.#quotas = quotasOf(rates);
    this.#addresses = new Float64Array(this.#quotas.address === undefined ? 0 : ADDRESS_SLOTS);
  }

  take(kind: LimitKind, id: string): number {
    const { perSecond, burstSeconds } = this.#quotas[kind]!;
    const slot = this.#slot(kind, id);
    const now = performance.now();
    const next = Math.max(this.#read(kind, slot), now) + 1000 / perSecond;
    const left = tokens(1000 * burstSeconds - (next - now), perSecond);
    if (left >= 0) this.#write(kind, slot, next);
    return left;
  }

  /**
   * Takes tokens for another process: as many as it wants, and some more if there are plenty.
   *
   * @param share which part of what is left may be surplus
   */
  lease(kind: LimitKind, id: string, wanted: number, share: number): TokenLease {
    const { perSecond, burstSeconds } = this.#quotas[kind]!;
    const slot = this.#slot(kind, id);
    const now = performance.now();
    const fullAt = Math.max(this.#read(kind, slot), now);
    const available = tokens(1000 * burstSeconds - (fullAt - now), perSecond);
    const granted = Math.max(0, Math.min(wanted, available));
    const surplus = Math.floor((available - granted) * share);
    const taken = granted + surplus;
    if (taken > 0) this.#write(kind, slot, fullAt + (1000 * taken) / perSecond);
    const emptyMs = fullAt - now - 1000 * burstSeconds + 1000 / perSecond;
    return { granted, surplus, left: available - taken, waitMs: Math.max(0, emptyMs) };
  }

  /** Returns tokens that were leased and not used. */
  giveBack(kind: LimitKind, id: string, count: number): void {
    const slot = this.#slot(kind, id);
    this.#write(kind, slot, this.#read(kind, slot) - (1000 * count) / this.#quotas[kind]!.perSecond);
  }

  #slot(kind: LimitKind, id: string): string | number {
    return kind === 'address' ? murmur3(id, this.#seed) & (ADDRESS_SLOTS - 1) : id;
  }

  #read(kind: LimitKind, slot: string | number): number {
    if (kind === 'address') return this.#addresses[slot as number]!;
    return this.#fullAt[kind].get(slot as string) ?? 0;
  }

  #write(kind: LimitKind, slot: string | number, fullAt: number): void {
    if (kind === 'address') this.#addresses[slot as number] = fullAt;
    else this.#fullAt[kind].set(slot as string, fullAt);
  }
}

/** Whole tokens in a time of refilling; negative if not even one. */
const tokens = (ms: number, perSecond: number) => Math.floor((ms * perSecond) / 1000 + ROUNDING);
