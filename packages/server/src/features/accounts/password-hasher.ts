import { ApiError } from '../../platform/errors/errors.ts';

/** The OWASP parameters for Argon2id: 19 MiB, two passes, one thread. */
const OPTIONS = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Compared with if there is no account, so that the response takes the same effort; no password matches it. */
const NOBODY =
  '$argon2id$v=19$m=19456,t=2,p=1$VNBqPE3Zz6poY3eTRfHPqg$o5eva8Uw9VCsvZt/G2CPE6M9m1VC5mT67HlnBo2JUYk';

/** Hashing runs on the thread pool of Node.js, which has four threads: two stay free for files and names. */
const MAX_RUNNING = 2;
/** About half a second of hashing. */
const MAX_WAITING = 20;

/** Hashes and verifies passwords, a few at a time, so that sign-ins cannot starve the server. */
export class PasswordHasher {
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #runs = 0;

  /** Hashings so far. */
  get runs(): number {
    return this.#runs;
  }

  hash(password: string): Promise<string> {
    return this.#inTurn(async ({ hash }) => hash(normalized(password), OPTIONS));
  }

  /** Takes the same effort without a stored hash, and then returns false. */
  async verify(stored: string | null | undefined, password: string): Promise<boolean> {
    const matches = await this.#inTurn(({ verify }) => verify(stored ?? NOBODY, normalized(password)));
    return matches && stored != null;
  }

  async #inTurn<T>(run: (argon2: typeof import('@node-rs/argon2')) => Promise<T>): Promise<T> {
    if (this.#running >= MAX_RUNNING) {
      if (this.#waiting.length >= MAX_WAITING) {
        throw new ApiError('overloaded', { headers: { 'retry-after': '1' } });
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running += 1;
    }
    try {
      this.#runs += 1;
      // Imported lazily: most processes never hash a password.
      return await run(await import('@node-rs/argon2'));
    } finally {
      // Hands the place over, so that nobody can slip in between.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}

/** The same characters can be typed as different code points. */
const normalized = (password: string) => password.normalize('NFKC');
