import { ApiError } from '../../platform/errors/errors.ts';
import type { HotReply } from '../contract/hot-route.ts';
import { networkOf } from './network-of.ts';
import { type LimitKind, type Quota, quotasOf, type Rates, type TokenSource } from './token-buckets.ts';

const SUBJECTS: Record<LimitKind, string> = {
  key: 'API key',
  account: 'account',
  address: 'client address',
};

/**
 * Limits requests per API key, account and client address. The headers follow
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 *
 * Each method counts a request and throws if the quota is used up; it returns a promise if another process has to be
 * asked first.
 */
export class RateLimiter {
  readonly #tokens: TokenSource;
  readonly #limits: Partial<Record<LimitKind, Limit>>;

  constructor(rates: Rates, tokens: TokenSource) {
    this.#tokens = tokens;
    this.#limits = Object.fromEntries(
      Object.entries(quotasOf(rates)).map(([kind, quota]) => [kind, new Limit(kind as LimitKind, quota)]),
    );
  }

  takeKey(keyId: string, reply: HotReply): Promise<void> | undefined {
    return this.#take('key', keyId, reply);
  }

  takeAccount(accountId: string, reply: HotReply): Promise<void> | undefined {
    return this.#take('account', accountId, reply);
  }

  takeAddress(address: string, reply: HotReply): Promise<void> | undefined {
    return this.#limits.address && this.#take('address', networkOf(address), reply);
  }

  #take(kind: LimitKind, id: string, reply: HotReply): Promise<void> | undefined {
    const limit = this.#limits[kind];
    if (limit === undefined) return undefined;
    const left = this.#tokens.take(kind, id);
    if (typeof left !== 'number') return left.then((known) => limit.apply(known, reply));
    limit.apply(left, reply);
    return undefined;
  }
}

class Limit {
  readonly #kind: LimitKind;
  readonly #message: string;
  readonly #policy: string;
  readonly #burstSeconds: number;
  /** What the first request of many leaves. */
  readonly #max: number;

  constructor(kind: LimitKind, { perSecond, burstSeconds }: Quota) {
    this.#kind = kind;
    this.#message = `The ${SUBJECTS[kind]} exceeded its limit of ${perSecond} requests per second. Try again after the time in \`Retry-After\`.`;
    this.#policy = `"${kind}";q=${perSecond * burstSeconds};w=${burstSeconds}`;
    this.#burstSeconds = burstSeconds;
    this.#max = perSecond * burstSeconds - 1;
  }

  /** @param left negative if the request may not be served */
  apply(left: number, reply: HotReply): void {
    this.#describe(Math.max(0, Math.min(left, this.#max)), reply);
    if (left < 0) {
      throw new ApiError('rate_limited', { message: this.#message, headers: { 'retry-after': '1' } });
    }
  }

  /** A request may count against two limits; the headers then list both. */
  #describe(left: number, reply: HotReply): void {
    const policy = reply.getHeader('ratelimit-policy');
    const state = `"${this.#kind}";r=${left};t=${this.#burstSeconds}`;
    if (policy === undefined) {
      reply.header('ratelimit-policy', this.#policy);
      reply.header('ratelimit', state);
    } else {
      reply.header('ratelimit-policy', `${policy}, ${this.#policy}`);
      reply.header('ratelimit', `${reply.getHeader('ratelimit')}, ${state}`);
    }
  }
}
