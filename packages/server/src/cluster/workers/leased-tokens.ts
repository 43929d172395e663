import type { LimitKind, TokenLease, TokenSource } from '../../http/access/token-buckets.ts';

/** How long a worker may keep tokens that it does not use. */
const LEASE_MS = 100;

/** Kind and id of a bucket, and a number of tokens. */
export type TokenCount = [kind: LimitKind, id: string, count: number];

interface Lease {
  tokens: number;
  /** What was left for the other workers. */
  left: number;
  /** When unused tokens are given back, or the bucket may have tokens again. */
  until: number;
}

interface Request {
  kind: LimitKind;
  id: string;
  /** One per token. */
  waiting: ((left: number) => void)[];
  fail: ((error: Error) => void)[];
}

interface Primary {
  lease(wanted: TokenCount[]): Promise<TokenLease[]>;
  giveBack(unused: TokenCount[]): void;
}

/**
 * Tokens of the buckets in the primary process, so that limits count the requests of all workers. As long as a bucket
 * has plenty, a worker gets some more than it asked for, and needs to ask only now and then. Because a bucket is refilled
 * while a worker keeps tokens of it, all workers together may exceed a limit by what is refilled in that time, a tenth of
 * a second; tokens that a worker keeps and does not use are missing for the others for as long.
 */
export class LeasedTokens implements TokenSource {
  readonly #primary: Primary;
  readonly #leases = new Map<string, Lease>();
  #requests = new Map<string, Request>();
  #unused: TokenCount[] = [];

  constructor(primary: Primary) {
    this.#primary = primary;
    setInterval(() => this.#endOldLeases(), LEASE_MS).unref();
  }

  take(kind: LimitKind, id: string): number | Promise<number> {
    const key = `${kind} ${id}`;
    const lease = this.#leases.get(key);
    if (lease === undefined) return this.#ask(key, kind, id);
    if (performance.now() >= lease.until) this.#end(key, lease);
    else if (lease.tokens > 0) {
      lease.tokens -= 1;
      return lease.left + lease.tokens;
    } else if (lease.left === 0) return -1;
    return this.#ask(key, kind, id);
  }

  /** All requests of one turn of the event loop ask together. */
  #ask(key: string, kind: LimitKind, id: string): Promise<number> {
    if (this.#requests.size === 0) setImmediate(() => void this.#send());
    let request = this.#requests.get(key);
    if (request === undefined) {
      request = { kind, id, waiting: [], fail: [] };
      this.#requests.set(key, request);
    }
    const { waiting, fail } = request;
    return new Promise((resolve, reject) => {
      waiting.push(resolve);
      fail.push(reject);
    });
  }

  async #send(): Promise<void> {
    const requests = this.#requests;
    this.#requests = new Map();
    const all = [...requests.values()];
    try {
      const leases = await this.#primary.lease(
        all.map(({ kind, id, waiting }) => [kind, id, waiting.length]),
      );
      let i = 0;
      for (const [key, { waiting }] of requests) this.#receive(key, waiting, leases[i++]!);
    } catch (error) {
      for (const { fail } of all) for (const reject of fail) reject(error as Error);
    }
  }

  #receive(key: string, waiting: Request['waiting'], { granted, surplus, left, waitMs }: TokenLease): void {
    const now = performance.now();
    // The response to another request may have brought some meanwhile.
    const known = this.#leases.get(key);
    const tokens = surplus + (known?.tokens ?? 0);
    if (tokens > 0) {
      this.#leases.set(key, { tokens, left, until: known?.tokens ? known.until : now + LEASE_MS });
    } else if (granted < waiting.length) this.#leases.set(key, { tokens: 0, left: 0, until: now + waitMs });
    else this.#leases.delete(key);
    waiting.forEach((resolve, i) => {
      resolve(i < granted ? left + tokens + granted - i - 1 : -1);
    });
  }

  #endOldLeases(): void {
    const now = performance.now();
    for (const [key, lease] of this.#leases) if (now >= lease.until) this.#end(key, lease);
    if (this.#unused.length > 0) this.#primary.giveBack(this.#unused);
    this.#unused = [];
  }

  /** The bucket was refilled meanwhile: tokens that are kept for longer would exceed the limit. */
  #end(key: string, { tokens }: Lease): void {
    this.#leases.delete(key);
    if (tokens > 0) this.#unused.push([...splitKey(key), tokens]);
  }
}

function splitKey(key: string): [LimitKind, string] {
  const end = key.indexOf(' ');
  return [key.slice(0, end) as LimitKind, key.slice(end + 1)];
}
