import { LRUCache } from 'lru-cache';
import { ApiError } from '../../errors.ts';
import { networkOf } from '../../http/network-of.ts';

/** Failures before the first wait, which is one second and doubles with every further failure. */
const FREE_FAILURES = { account: 10, address: 50 };
const MAX_WAIT_MS = 15 * 60 * 1000;
/** Failures are forgotten after this time without another one. */
const FORGET_MS = 60 * 60 * 1000;
/** Bounds the memory; the entries used longest ago are forgotten first. */
const MAX_ENTRIES = 50_000;

interface Failures {
  count: number;
  last: number;
  blockedUntil: number;
}

type Kind = keyof typeof FREE_FAILURES;

/** What an attempt counts against. */
export interface AttemptBy {
  /** Lower-case email of the account, whether it exists or not; undefined if the attempt names none. */
  email?: string | undefined;
  /** Client address. */
  address: string;
}

export interface Attempt {
  /** Everything was right: forgets the failures of the account. */
  succeeded(): void;
  /** Nothing was wrong, but the attempt is not complete: takes back only this attempt. */
  incomplete(): void;
}

/** Where attempts are counted: here, or in another process. */
export interface AttemptCounter {
  begin(by: AttemptBy): Attempt | Promise<Attempt>;
}

/** Slows down guessing of passwords and codes. Times are monotonic, so setting the clock does not end a wait. */
export class SignInThrottle implements AttemptCounter {
  #caches: Record<Kind, LRUCache<string, Failures>> | undefined;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Created by the first attempt, because a cache allocates room for all its entries at once. */
  get #failures() {
    this.#caches ??= {
      account: new LRUCache({ max: MAX_ENTRIES }),
      address: new LRUCache({ max: MAX_ENTRIES }),
    };
    return this.#caches;
  }

  /**
   * Counts an attempt as failed until it succeeds: before the expensive hash, so that parallel attempts count too.
   * Throws 429 while the account or the address has to wait.
   */
  begin(by: AttemptBy): Attempt {
    for (const [kind, key] of keysOf(by)) this.#check(kind, key);
    for (const [kind, key] of keysOf(by)) this.#count(kind, key);
    return { succeeded: () => this.succeeded(by), incomplete: () => this.incomplete(by) };
  }

  /** See `Attempt`. */
  succeeded({ email, address }: AttemptBy): void {
    if (email !== undefined) this.#failures.account.delete(email);
    this.#takeBack('address', networkOf(address));
  }

  /** See `Attempt`. */
  incomplete(by: AttemptBy): void {
    for (const [kind, key] of keysOf(by)) this.#takeBack(kind, key);
  }

  #check(kind: Kind, key: string): void {
    const wait = (this.#failures[kind].get(key)?.blockedUntil ?? 0) - this.#now();
    if (wait <= 0) return;
    const seconds = Math.ceil(wait / 1000);
    throw new ApiError('rate_limited', {
      message: `Too many failed attempts. Try again in ${seconds} seconds.`,
      headers: { 'retry-after': String(seconds) },
    });
  }

  #count(kind: Kind, key: string): void {
    const now = this.#now();
    const known = this.#failures[kind].get(key);
    const count = known === undefined || now - known.last > FORGET_MS ? 1 : known.count + 1;
    const excess = count - FREE_FAILURES[kind];
    const wait = excess < 0 ? 0 : Math.min(1000 * 2 ** excess, MAX_WAIT_MS);
    this.#failures[kind].set(key, { count, last: now, blockedUntil: now + wait });
  }

  #takeBack(kind: Kind, key: string): void {
    const known = this.#failures[kind].get(key);
    if (known === undefined) return;
    known.count -= 1;
    known.blockedUntil = 0;
    if (known.count <= 0) this.#failures[kind].delete(key);
  }
}

function keysOf({ email, address }: AttemptBy): [Kind, string][] {
  const byAddress: [Kind, string] = ['address', networkOf(address)];
  return email === undefined ? [byAddress] : [byAddress, ['account', email]];
}
