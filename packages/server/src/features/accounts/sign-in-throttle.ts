import { LRUCache } from 'lru-cache';
import { networkOf } from '../../http/access/network-of.ts';
import { ApiError } from '../../platform/errors/errors.ts';

/**
 * Failures before the first wait, which is one second and doubles with every further failure.
 *
 * - `guesser`: of one address at one account, so that a stranger's guesses do not lock its owner out.
 * - `address`: of one address at all accounts.
 * - `account`: of all addresses that have not signed in to it before, against guesses from many addresses.
 * - `signedIn`: of someone who is signed in and confirms an action. It does not depend on the guesses of others.
 */
const FREE_FAILURES = { guesser: 10, address: 50, account: 100, signedIn: 10 };
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

/** Who makes an attempt. */
export type AttemptBy =
  | {
      /** Lower-case email of the account, whether it exists or not; undefined if the attempt names none. */
      email?: string | undefined;
      /** Client address. */
      address: string;
    }
  | {
      /** Id of the account that is signed in already. */
      signedIn: string;
    };

export interface Attempt {
  /** Everything was right: forgets the failures of whoever made the attempt at this account. */
  succeeded(): void;
  /** Nothing was found to be wrong, but the attempt is not complete: takes back only this attempt. */
  incomplete(): void;
}

/** Where attempts are counted: here, or in another process. */
export interface AttemptCounter {
  begin(by: AttemptBy): Attempt | Promise<Attempt>;
}

/** Slows down guessing of passwords and codes. Times are monotonic, so setting the clock does not end a wait. */
export class SignInThrottle implements AttemptCounter {
  #caches: Record<Kind, LRUCache<string, Failures>> | undefined;
  /** Addresses that have signed in to an account. */
  #known: LRUCache<string, true> | undefined;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Created by the first attempt, because a cache allocates room for all its entries at once. */
  get #failures() {
    this.#caches ??= {
      guesser: new LRUCache({ max: MAX_ENTRIES }),
      address: new LRUCache({ max: MAX_ENTRIES }),
      account: new LRUCache({ max: MAX_ENTRIES }),
      signedIn: new LRUCache({ max: MAX_ENTRIES }),
    };
    return this.#caches;
  }

  /**
   * Counts an attempt as failed until it succeeds: before the expensive hash, so that parallel attempts count too.
   * Throws 429 while whoever makes it has to wait.
   */
  begin(by: AttemptBy): Attempt {
    for (const [kind, key] of this.#keysOf(by)) this.#check(kind, key);
    for (const [kind, key] of this.#keysOf(by)) this.#count(kind, key);
    return { succeeded: () => this.succeeded(by), incomplete: () => this.incomplete(by) };
  }

  /** See `Attempt`. */
  succeeded(by: AttemptBy): void {
    for (const [kind, key] of this.#keysOf(by)) {
      if (kind === 'guesser' || kind === 'signedIn') this.#failures[kind].delete(key);
      else this.#takeBack(kind, key);
    }
    if ('signedIn' in by || by.email === undefined) return;
    this.#known ??= new LRUCache({ max: MAX_ENTRIES });
    this.#known.set(guesserOf(by.email, by.address), true);
  }

  /** See `Attempt`. */
  incomplete(by: AttemptBy): void {
    for (const [kind, key] of this.#keysOf(by)) this.#takeBack(kind, key);
  }

  #keysOf(by: AttemptBy): [Kind, string][] {
    if ('signedIn' in by) return [['signedIn', by.signedIn]];
    const { email, address } = by;
    const keys: [Kind, string][] = [['address', networkOf(address)]];
    if (email === undefined) return keys;
    const guesser = guesserOf(email, address);
    keys.push(['guesser', guesser]);
    if (!this.#known?.has(guesser)) keys.push(['account', email]);
    return keys;
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

const guesserOf = (email: string, address: string) => `${networkOf(address)} ${email}`;

/**
 * Checks what was sent in an attempt. Only `sign_in_failed` and `invitation_invalid` count as failures, not an error of
 * the service.
 */
export async function checkAttempt<T>(attempt: Attempt, check: () => Promise<T>): Promise<T> {
  try {
    const result = await check();
    attempt.succeeded();
    return result;
  } catch (error) {
    const isFailure =
      error instanceof ApiError && (error.code === 'sign_in_failed' || error.code === 'invitation_invalid');
    if (!isFailure) attempt.incomplete();
    throw error;
  }
}
